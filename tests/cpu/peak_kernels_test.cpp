#include "kernels/cpu/peak.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "backend/cpu/context.hpp"
#include "backend/cpu/sizing.hpp"
#include "backend/cpu/workloads.hpp"
#include "host/isa.hpp"
#include "kernels/cpu/bf16.hpp"

namespace roofline::cpu {
namespace {

bool runs_here(PeakExtension extension) {
  const host::IsaFeatures f = host::detect_isa();
  switch (extension) {
    case PeakExtension::fma:
      return f.avx2 && f.fma;
    case PeakExtension::avx_vnni:
      return f.avx_vnni;
    case PeakExtension::avx512f:
      return f.avx512f;
    case PeakExtension::avx512_bf16:
      return f.avx512_bf16;
    case PeakExtension::avx512_vnni:
      return f.avx512_vnni;
  }
  return false;
}

template <class T>
void fill(std::byte* bytes, T value) {
  for (std::size_t at = 0; at < 64; at += sizeof value)
    std::memcpy(bytes + at, &value, sizeof value);
}

template <class T>
void expect_all(const PeakKernel& kernel, const PeakState& state, T expected) {
  for (std::size_t at = 0; at < kernel.accumulators * kernel.vector_bytes; at += sizeof expected) {
    T value{};
    std::memcpy(&value, state.accumulators + at, sizeof value);
    ASSERT_EQ(value, expected) << kernel.instruction << " lane " << at / sizeof expected;
  }
}

TEST(PeakKernels, EveryInstructionAddsWhatItShould) {
  constexpr std::uint64_t kLoops = 10;
  for (const PeakKernel& kernel : peak_kernels()) {
    if (!runs_here(kernel.needs)) continue;
    PeakState state{};
    switch (kernel.element) {
      case PeakElement::f64:
        fill(state.x, 2.0);
        fill(state.even, 3.0);
        fill(state.odd, 0.25);
        break;
      case PeakElement::f32:
        fill(state.x, 2.0F);
        fill(state.even, 3.0F);
        fill(state.odd, 0.25F);
        break;
      case PeakElement::bf16:
        fill(state.x, to_bf16(2));
        fill(state.even, to_bf16(3));
        fill(state.odd, to_bf16(0.25));
        break;
      case PeakElement::int8:
        fill(state.x, std::uint8_t{200});  // beyond 127: unsigned
        fill(state.even, std::int8_t{-3});
        fill(state.odd, std::int8_t{1});
        break;
    }
    kernel.run(kLoops, state);
    switch (kernel.element) {
      case PeakElement::f64:
        expect_all(kernel, state, 65.0);
        break;
      case PeakElement::f32:
        expect_all(kernel, state, 65.0F);
        break;
      case PeakElement::bf16:
        expect_all(kernel, state, 130.0F);
        break;
      case PeakElement::int8:
        expect_all(kernel, state, std::int32_t{-16000});
        break;
    }
  }
}

TEST(PeakKernels, WorkIsLanesTimesTwoTimesAccumulators) {
  for (const PeakKernel& kernel : peak_kernels()) {
    const std::size_t element = kernel.element == PeakElement::f64    ? 8
                                : kernel.element == PeakElement::f32  ? 4
                                : kernel.element == PeakElement::bf16 ? 2
                                                                      : 1;
    const std::size_t products = kernel.vector_bytes / element;
    EXPECT_EQ(kernel.flops_per_loop, 4 * products * kernel.accumulators) << kernel.instruction;
    EXPECT_EQ(kernel.ideal_flops_per_cycle, 4.0 * static_cast<double>(products))
        << kernel.instruction;
  }
}

const PeakKernel* first_that_runs_here() {
  for (const PeakKernel& kernel : peak_kernels()) {
    if (runs_here(kernel.needs)) return &kernel;
  }
  return nullptr;
}

/// Right in a short run, and leaves most of a long one out: what a compiler that drops chains would
/// come to.
void lazy(std::uint64_t loops, PeakState& state) {
  first_that_runs_here()->run(loops > 2000 ? loops / 1000 : loops, state);
}

TEST(PeakRuns, WorkThatIsLeftOutIsFoundByTheRate) {
  const PeakKernel* const honest = first_that_runs_here();
  if (honest == nullptr) GTEST_SKIP() << "no peak kernel for this CPU";
  Context context(CpuOptions{});
  EXPECT_EQ(prepare_peak_with(*honest, context)->verify().state, VerificationState::verified);
  PeakKernel kernel = *honest;
  kernel.run = lazy;
  const Verification verification = prepare_peak_with(kernel, context)->verify();
  EXPECT_EQ(verification.state, VerificationState::incorrect);
  EXPECT_NE(verification.detail.find("work was left out"), std::string::npos)
      << verification.detail;
}

/// Takes twice as long as its work: an instruction that starts every other cycle only.
void half_rate(std::uint64_t loops, PeakState& state) {
  first_that_runs_here()->run(2 * loops, state);
}

TEST(PeakRuns, Q10_AHalfRateInstructionIsFlagged) {
  const PeakKernel* const honest = first_that_runs_here();
  if (honest == nullptr) GTEST_SKIP() << "no peak kernel for this CPU";
  Context context(CpuOptions{});
  PeakKernel kernel = *honest;
  kernel.run = half_rate;
  const auto run = prepare_peak_with(kernel, context);
  for (int i = 0; i < 5; ++i) static_cast<void>(run->time(100));
  double of_ideal = 0;
  bool flagged = false;
  for (const Fact& fact : run->facts()) {
    if (fact.key == "of_ideal") of_ideal = std::get<double>(fact.value);
    if (fact.key == "below_ideal_of_two_units") flagged = fact.value == FactValue{true};
  }
  EXPECT_GT(of_ideal, 0);
  EXPECT_LT(of_ideal, 0.6) << "lanes x 2 x 2 units x clock is what is held against";
  EXPECT_TRUE(flagged);
}

TEST(PeakKernels, B175_PeakCountsCoresNotThreads) {
  // 8 cores with 16 threads, AVX2, two FMA units, 4 GHz, fp32: 1024 GFLOP/s.
  for (const PeakKernel& kernel : peak_kernels()) {
    if (kernel.element == PeakElement::f32 && kernel.needs == PeakExtension::fma) {
      EXPECT_DOUBLE_EQ(ideal_flop_per_s(8, kernel.ideal_flops_per_cycle, 4.0e9), 1024e9);
    }
  }
}

}  // namespace
}  // namespace roofline::cpu
