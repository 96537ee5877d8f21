#include "backend/cpu/operands.hpp"

#include "backend/cpu/random.hpp"

namespace roofline::cpu {
namespace {

/// Whole numbers that every type holds: -3 .. 3, or 0 .. 3 where bytes are unsigned.
int small_number(const OperandSource& source, std::uint64_t index) {
  switch (source.data) {
    case DataPattern::zeros:
      return 0;
    case DataPattern::ones:
      return 1;
    case DataPattern::random:
    case DataPattern::integers:
      break;
  }
  const std::uint64_t bits = random_bits(source.seed, index) >> 32;
  return source.unsigned_bytes ? static_cast<int>(bits % 4) : static_cast<int>(bits % 7) - 3;
}

template <class T>
T as_element(DType dtype, int number) {
  if (dtype == DType::bf16) return static_cast<T>(to_bf16(static_cast<float>(number)));
  return static_cast<T>(number);
}

}  // namespace

Buffer operand_array(Context& context, const OperandSource& source, std::uint64_t first,
                     std::uint64_t n) {
  const auto fill = [&]<class T>(T (*random)(std::uint64_t, std::uint64_t)) {
    return context.filled_with<T>(n, [&](std::size_t i) {
      return source.data == DataPattern::random
                 ? random(source.seed, first + i)
                 : as_element<T>(source.dtype, small_number(source, first + i));
    });
  };
  switch (source.dtype) {
    case DType::fp64:
      return fill(random_fp64);
    case DType::fp32:
      return fill(random_fp32);
    case DType::bf16:
      return fill(random_bf16);
    default:
      break;
  }
  return source.unsigned_bytes ? fill(random_uint7) : fill(random_int8);
}

double operand_element(const OperandSource& source, std::uint64_t index) {
  if (source.data != DataPattern::random) return small_number(source, index);
  switch (source.dtype) {
    case DType::fp64:
      return random_fp64(source.seed, index);
    case DType::fp32:
      return static_cast<double>(random_fp32(source.seed, index));
    case DType::bf16:
      return static_cast<double>(from_bf16(random_bf16(source.seed, index)));
    default:
      break;
  }
  return source.unsigned_bytes ? random_uint7(source.seed, index) : random_int8(source.seed, index);
}

}  // namespace roofline::cpu
