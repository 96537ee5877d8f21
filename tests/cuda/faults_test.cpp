// What goes wrong on the device, and what is left of the points then.
#include "over_fake.hpp"

namespace roofline::cuda {
namespace {

class FaultyRuns : public OverFake {};

Stream a_triad() { return {.kind = StreamKind::triad, .elements = 5000, .dtype = DType::fp32}; }

TEST_F(FaultyRuns, OutOfMemoryEndsThePointAndSaysWhatIsFree) {
  for (int nth = 1; nth <= 4; ++nth) {
    use(std::string(kSmallA100) + "fault cuMemAlloc " + std::to_string(nth) + " out_of_memory\n");
    const auto gpu = backend();
    const std::string why = failure(*gpu, a_triad());
    EXPECT_NE(why.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << why;
    EXPECT_NE(why.find("are free on cuda:0"), std::string::npos) << why;
    EXPECT_EQ(failure(*gpu, a_triad()), "") << "the next point has its memory";
  }
}

TEST_F(FaultyRuns, WhatCannotFitIsRefusedWithWhatWould) {
  const auto gpu = backend();
  const std::string why = refused(*gpu, Stream{.kind = StreamKind::triad, .elements = 100'000'000});
  EXPECT_NE(why.find("use at most"), std::string::npos) << why;
}

class StickyFaults : public FaultyRuns, public testing::WithParamInterface<const char*> {};

TEST_P(StickyFaults, EndThePointAndTheOthersGoOn) {
  // The first point's kernels are the only ones of this name.
  use(std::string(kSmallA100) + "fault kernel:roofline_stream_triad_* 20 " + GetParam() + "\n");
  const auto gpu = backend();
  Point other(*gpu, Stream{.kind = StreamKind::copy, .elements = 4096, .dtype = DType::fp32});
  ASSERT_TRUE(verified(other.run().verify()));
  std::string why;
  for (int i = 0; i < 20 && why.empty(); ++i) why = failure(*gpu, a_triad());
  EXPECT_NE(why.find("made anew"), std::string::npos) << why;
  EXPECT_TRUE(verified(other.run().verify()));
  EXPECT_GT(in_second(other.run().time(2).duration), 0);
  EXPECT_EQ(fact_of(other.run().facts(), "context_made_anew"), FactValue{std::uint64_t{1}});
  EXPECT_EQ(failure(*gpu, a_triad()), "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, StickyFaults,
                         testing::Values("illegal_address", "misaligned_address", "launch_failed"));

TEST_F(FaultyRuns, AMemoryErrorIsTheEndOfTheDevice) {
  use(std::string(kSmallA100) + "fault kernel:roofline_stream_* 3 ecc\n");
  const auto gpu = backend();
  const std::string why = failure(*gpu, a_triad());
  EXPECT_EQ(why.rfind("lost: ", 0), 0U) << why;
  EXPECT_NE(why.find("ECC"), std::string::npos) << why;
  EXPECT_NE(refused(*gpu, a_triad()).find("ECC"), std::string::npos);
  EXPECT_EQ(in_byte(gpu->memory_left(gpu->devices()[0])), 0);
}

TEST_F(FaultyRuns, ALostDeviceIsGivenUpAndTheOthersGoOn) {
  use("device a100-80gb x2 l2=256KiB memory=40MiB sms=8\n"
      "fault kernel:roofline_stream_triad_* 3 device_lost device=0\n");
  const auto gpu = backend();
  const std::string why = failure(*gpu, a_triad());
  EXPECT_EQ(why.rfind("lost: ", 0), 0U) << why;
  Point second(*gpu, a_triad(), 1);
  EXPECT_TRUE(verified(second.run().verify()));
}

TEST_F(FaultyRuns, NoBinaryForThisGpu) {
  use(std::string(kSmallA100) + "fault cuModuleLoadData every no_binary\n");
  const auto gpu = backend();
  const std::string why = failure(*gpu, a_triad());
  EXPECT_NE(why.find("no kernels for this GPU"), std::string::npos) << why;
}

TEST_F(FaultyRuns, AWrongResultIsIncorrect) {
  use(std::string(kSmallA100) + "fault kernel:roofline_stream_* every corrupt\n");
  const auto gpu = backend();
  for (const StreamKind kind : {StreamKind::triad, StreamKind::write}) {
    Point point(*gpu, Stream{.kind = kind, .elements = 5000, .dtype = DType::fp32});
    EXPECT_EQ(point.run().verify().state, VerificationState::incorrect) << name(kind);
  }
}

TEST_F(FaultyRuns, B106_TheSecondDeviceUsesItsOwnMemory) {
  use("device a100-80gb x2 l2=256KiB memory=40MiB sms=8\n");
  const auto gpu = backend();
  const auto devices = gpu->devices();
  const double first = in_byte(gpu->memory_left(devices[0]));
  Point point(*gpu, Stream{.kind = StreamKind::triad, .elements = 400'000}, 1);
  EXPECT_EQ(in_byte(gpu->memory_left(devices[0])), first);
  EXPECT_LT(in_byte(gpu->memory_left(devices[1])), first - 8e6);
}

}  // namespace
}  // namespace roofline::cuda
