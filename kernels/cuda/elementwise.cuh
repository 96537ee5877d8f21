// A group of operations of a chain in one pass: every input is loaded once, all loads of a thread
// before its first operation, the operations run in registers, the result is stored once.
//
// Arithmetic is fp64 for double and fp32 for everything else, each operation rounded: multiply and
// add are not contracted, so that a chain of n operations is n operations.
#pragma once

#include "kernels/cuda/dialect.cuh"

namespace roofline::cuda::device {

template <class T>
struct ComputeOf {
  using type = float;
};
template <>
struct ComputeOf<double> {
  using type = double;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

template <class C>
ROOFLINE_DEVICE C apply(bool multiplies, C value, C operand) {
  return multiplies ? multiply_rounded(value, operand) : add_rounded(value, operand);
}

template <class T>
struct Chain {
  const T* inputs[4];
  u32 first_op;
  u32 ops;
  const Compute<T>* constants;
};

/// kPacks packs of 16 bytes that are `step` packs apart, from pack `i`.
template <class T, u32 kInputs, u32 kPacks>
ROOFLINE_DEVICE void run_packs(T* out, const Chain<T>& chain, u64 i, u32 step) {
  constexpr u32 kLanes = Pack<T>::kLanes;
  uint4 loaded[kInputs][kPacks];
  ROOFLINE_UNROLL
  for (u32 input = 0; input < kInputs; ++input) {
    ROOFLINE_UNROLL
    for (u32 p = 0; p < kPacks; ++p) {
      loaded[input][p] =
          load128<Hint::plain>(reinterpret_cast<const uint4*>(chain.inputs[input]) + i + p * step);
    }
  }
  Compute<T> value[kPacks][kLanes];
  ROOFLINE_UNROLL
  for (u32 p = 0; p < kPacks; ++p) {
    const auto pack = bits_as<Pack<T>>(loaded[0][p]);
    ROOFLINE_UNROLL
    for (u32 lane = 0; lane < kLanes; ++lane) value[p][lane] = widen(pack.v[lane]);
  }
  ROOFLINE_UNROLL
  for (u32 op = 0; op + 1 < kInputs; ++op) {
    const bool multiplies = (chain.first_op + op) % 2 == 0;
    ROOFLINE_UNROLL
    for (u32 p = 0; p < kPacks; ++p) {
      const auto pack = bits_as<Pack<T>>(loaded[op + 1][p]);
      ROOFLINE_UNROLL
      for (u32 lane = 0; lane < kLanes; ++lane) {
        value[p][lane] = apply(multiplies, value[p][lane], widen(pack.v[lane]));
      }
    }
  }
  ROOFLINE_NO_UNROLL
  for (u32 op = kInputs - 1; op < chain.ops; ++op) {
    const Compute<T> constant = load_uncounted(chain.constants + op);
    const bool multiplies = (chain.first_op + op) % 2 == 0;
    ROOFLINE_UNROLL
    for (u32 p = 0; p < kPacks; ++p) {
      ROOFLINE_UNROLL
      for (u32 lane = 0; lane < kLanes; ++lane) {
        value[p][lane] = apply(multiplies, value[p][lane], constant);
      }
    }
  }
  ROOFLINE_UNROLL
  for (u32 p = 0; p < kPacks; ++p) {
    Pack<T> pack;
    ROOFLINE_UNROLL
    for (u32 lane = 0; lane < kLanes; ++lane) narrow(value[p][lane], &pack.v[lane]);
    store128<Hint::plain>(reinterpret_cast<uint4*>(out) + i + p * step, bits_as<uint4>(pack));
  }
}

template <class T, u32 kInputs>
ROOFLINE_DEVICE void run_element(T* out, const Chain<T>& chain, u64 i) {
  Compute<T> value = widen(load(chain.inputs[0] + i));
  for (u32 op = 0; op < chain.ops; ++op) {
    const bool multiplies = (chain.first_op + op) % 2 == 0;
    Compute<T> operand;
    if (op + 1 < kInputs) {
      // No index into the array: it would have to lie in memory.
      const T* const input = op == 0   ? chain.inputs[1]
                             : op == 1 ? chain.inputs[2]
                                       : chain.inputs[3];
      operand = widen(load(input + i));
    } else {
      operand = load_uncounted(chain.constants + op);
    }
    value = apply(multiplies, value, operand);
  }
  T narrowed;
  narrow(value, &narrowed);
  store(out + i, narrowed);
}

/// Tiles as in stream.cuh.
template <class T, u32 kInputs>
ROOFLINE_DEVICE void run_chain(T* out, const Chain<T>& chain, u64 n) {
  // 64 bytes per input in flight and 16 to 32 values per thread; with three and four inputs half.
  constexpr u32 kPacks = kInputs <= 2 ? 4 : 2;
  constexpr u32 kLanes = Pack<T>::kLanes;
  const u64 packs = n / kLanes;
  const u32 step = blockDim.x;
  const u64 tile = u64{step} * kPacks;
  const u64 stride = tile * gridDim.x;
  u64 i = blockIdx.x * tile + threadIdx.x;
  ROOFLINE_NO_UNROLL
  for (; i + u64{step} * (kPacks - 1) < packs; i += stride) {
    run_packs<T, kInputs, kPacks>(out, chain, i, step);
  }
  ROOFLINE_NO_UNROLL
  for (; i < packs; i += step) run_packs<T, kInputs, 1>(out, chain, i, step);
  if (blockIdx.x == 0 && threadIdx.x < n % kLanes) {
    run_element<T, kInputs>(out, chain, packs * kLanes + threadIdx.x);
  }
}

/// blockDim.x is a multiple of 32; any gridDim.x. What each parameter is: kernels.def.
template <class T>
ROOFLINE_DEVICE void elementwise(T* out, const T* i0, const T* i1, const T* i2, const T* i3,
                                 u32 inputs, u32 first_op, u32 ops, const Compute<T>* constants,
                                 u64 n) {
  const Chain<T> chain{{i0, i1, i2, i3}, first_op, ops, constants};
  switch (inputs) {
    case 1:
      run_chain<T, 1>(out, chain, n);
      break;
    case 2:
      run_chain<T, 2>(out, chain, n);
      break;
    case 3:
      run_chain<T, 3>(out, chain, n);
      break;
    default:
      run_chain<T, 4>(out, chain, n);
      break;
  }
}

}  // namespace roofline::cuda::device
