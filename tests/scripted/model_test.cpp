// What a call takes on a scripted machine, and which sizes and refusals it gives: figures worked
// out by hand from the peaks and bandwidths in the script.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/scripted/model.hpp"
#include "roofline/error.hpp"
#include "scripted_machine.hpp"

namespace roofline::test {
namespace {

constexpr double kExact = 1e-12;  // relative: rounding alone

#define EXPECT_SECONDS(seconds, expected) EXPECT_NEAR((seconds) / (expected), 1, kExact)

TEST(ScriptedModel, ACallTakesTheSlowerOfArithmeticAndTraffic) {
  ScriptedMachine machine(kPlainMachine);
  EXPECT_SECONDS(machine.call_s(big_gemm()), 2.0);
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 80e-6);
  // 2 * 4096^2 FLOP take 34 us, 4096^2 * 4 B of weights and 32 kB of vectors longer.
  const Projection matvec{.rows = 1, .d_in = 4096, .d_out = 4096, .activation = DType::fp32};
  EXPECT_SECONDS(machine.call_s(matvec), (4096.0 * 4096 * 4 + 2 * 4096 * 4) / 100e9);
}

TEST(ScriptedModel, IterationsTakeTheirMultiple) {
  ScriptedMachine machine(kPlainMachine);
  const auto run = machine.prepare(copy_8mb());
  const Sample sample = run->time(1000);
  EXPECT_SECONDS(in_second(sample.duration), 80e-3);
  EXPECT_EQ(sample.iterations, 1000U);
}

TEST(ScriptedModel, OverheadIsAddedByThePathOfTheCall) {
  ScriptedMachine machine(kPlainMachine +
                          "overhead kernel 10us\noverhead library 30us\noverhead graph 1us\n");
  EXPECT_SECONDS(machine.call_s(Launch{LaunchPath::kernel}), 10e-6);
  EXPECT_SECONDS(machine.call_s(Launch{LaunchPath::library}), 30e-6);
  EXPECT_SECONDS(machine.call_s(Launch{LaunchPath::graph}), 1e-6);
  EXPECT_SECONDS(machine.call_s(big_gemm()), 2.0 + 30e-6);
  const Elementwise chain{.elements = 1'000'000, .dtype = DType::fp32};
  EXPECT_SECONDS(machine.call_s(chain), 80e-6 + 10e-6);
  // Iterations of streams and probes run inside one call.
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 80e-6);
  EXPECT_SECONDS(machine.call_s(PeakProbe{}), 1e-6);
}

TEST(ScriptedModel, APointMayHaveAnOverheadOfItsOwn) {
  ScriptedMachine machine(kPlainMachine +
                          "overhead library 30us\n"
                          "point stream/* overhead=5us\npoint gemm/* overhead=0s\n");
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 85e-6);
  EXPECT_SECONDS(machine.call_s(big_gemm()), 2.0);
}

TEST(ScriptedModel, EfficiencyAndMoreTrafficThanCounted) {
  ScriptedMachine machine(kPlainMachine +
                          "overhead library 1s\n"
                          "point gemm/* efficiency=50%\n"
                          "point stream/* efficiency=80% traffic_factor=2\n");
  EXPECT_SECONDS(machine.call_s(big_gemm()), 1 + 2 / 0.5);
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 160e-6 / 0.8);
}

TEST(ScriptedModel, RegularStoresMoveWhatTheyReadFirst) {
  ScriptedMachine machine(kPlainMachine);
  Stream regular = copy_8mb();
  regular.write_allocate = true;
  EXPECT_SECONDS(machine.call_s(regular), 120e-6);
}

TEST(ScriptedModel, EachStreamHasItsOwnRateAndOtherWorkThatOfItsMix) {
  ScriptedMachine machine(kPlainMachine +
                          "bandwidth dram copy 50GB/s\nbandwidth dram triad 40GB/s\n");
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 160e-6);
  Stream read = copy_8mb();
  read.kind = StreamKind::read;
  EXPECT_SECONDS(machine.call_s(read), 40e-6);
  // One array in and one out is a copy's mix, which scale and update have at the plain 100 GB/s.
  const Elementwise chain{.elements = 1'000'000, .dtype = DType::fp32};
  EXPECT_SECONDS(machine.call_s(chain), 80e-6);
}

TEST(ScriptedModel, OtherWorkMovesAtTheNearestStatedMix) {
  ScriptedMachine machine(
      "peak fp32 1000TFLOP/s\nbandwidth dram read 100GB/s\nbandwidth dram copy 50GB/s\n");
  const Projection matvec{.rows = 1, .d_in = 4096, .d_out = 4096, .activation = DType::fp32};
  EXPECT_SECONDS(machine.call_s(matvec), (4096.0 * 4096 * 4 + 2 * 4096 * 4) / 100e9);
  const Elementwise chain{.elements = 1'000'000, .dtype = DType::fp32};
  EXPECT_SECONDS(machine.call_s(chain), 160e-6);
}

TEST(ScriptedModel, ArraysAreSizedForTheirLevel) {
  ScriptedMachine machine(kPlainMachine +
                          "level l2 6MiB\nlevel l3 48MiB\n"
                          "bandwidth l2 1TB/s\nbandwidth l3 500GB/s\n");
  const auto elements = [&](const Stream& stream) {
    return std::get<Stream>(machine.supported(stream)).elements;
  };
  EXPECT_EQ(elements({.dtype = DType::fp64}), 8U * 48 * 1048576 / 8);
  EXPECT_EQ(elements({.dtype = DType::fp64, .level = Boundary::l2}), 1048576U / 8);
  EXPECT_EQ(elements({.dtype = DType::fp32, .level = Boundary::l3}), 8U * 1048576 / 4);
  EXPECT_EQ(elements({.elements = 5, .level = Boundary::l2}), 5U);
  const Stream inner{.kind = StreamKind::read, .elements = 1'000'000, .level = Boundary::l2};
  EXPECT_SECONDS(machine.call_s(inner), 8e-6);
}

TEST(ScriptedModel, WithoutLevelsArraysAreLargeAndFitTheMemory) {
  ScriptedMachine plain(kPlainMachine);
  EXPECT_EQ(std::get<Stream>(plain.supported(Stream{.dtype = DType::fp64})).elements,
            256U * 1048576 / 8);
  ScriptedMachine small(kPlainMachine + "memory 64MiB\n");
  EXPECT_EQ(std::get<Stream>(small.supported(Stream{.dtype = DType::fp64})).elements,
            16U * 1048576 / 8);
}

TEST(ScriptedModel, AProbeGetsAMicrosecondOfWorkAndKeepsWhatItHas) {
  ScriptedMachine machine(kPlainMachine);
  EXPECT_EQ(std::get<PeakProbe>(machine.supported(PeakProbe{})).flops, 1'000'000U);
  EXPECT_EQ(std::get<PeakProbe>(machine.supported(PeakProbe{.flops = 77})).flops, 77U);
}

TEST(ScriptedModel, WhatTheScriptDoesNotStateIsUnsupportedAndSaysWhichLineIsMissing) {
  ScriptedMachine machine("peak fp32 1TFLOP/s\n");
  const auto says = [&](const Workload& workload, const std::string& line) {
    const std::string reason = machine.refusal(workload);
    EXPECT_NE(reason.find("`" + line), std::string::npos) << reason;
  };
  says(Gemm{.m = 8, .n = 8, .k = 8, .input = DType::bf16}, "peak bf16 ");
  says(PeakProbe{.dtype = DType::int8}, "peak int8 ");
  says(Elementwise{.elements = 8, .dtype = DType::bf16}, "peak bf16 ");
  says(Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp32}, "bandwidth dram ");
  says(Stream{}, "bandwidth dram ");
  says(Stream{.elements = 8, .level = Boundary::l2}, "bandwidth l2 ");
  says(Stream{.level = Boundary::l2}, "level l2 ");
  says(Launch{.path = LaunchPath::graph}, "overhead graph ");
  says(Launch{.path = LaunchPath::event}, "overhead event ");
  says(Transfer{}, "bandwidth link ");
  says(Kernel{.intensity = flop_per_byte(1)}, "time=");
  EXPECT_EQ(machine.refusal(PeakProbe{}), "");
}

TEST(ScriptedModel, TransfersMoveAtTheRateOfTheirWayOverTheLink) {
  ScriptedMachine machine("bandwidth link 25GB/s\nbandwidth link to_host 20GB/s\n");
  constexpr std::uint64_t bytes = 1'000'000'000;
  EXPECT_SECONDS(machine.call_s(Transfer{.bytes = bytes}), 1 / 25.0);
  EXPECT_SECONDS(machine.call_s(Transfer{.direction = TransferDirection::to_host, .bytes = bytes}),
                 1 / 20.0);
  EXPECT_EQ(std::get<Transfer>(machine.supported(Transfer{})).bytes, 256U << 20);
  ScriptedMachine tiny("bandwidth link 25GB/s\nmemory 3B\n");
  EXPECT_EQ(std::get<Transfer>(tiny.supported(Transfer{})).bytes, 1U);
}

TEST(ScriptedModel, AHotProductMovesAtTheRateOfItsLevel) {
  ScriptedMachine machine(
      "peak fp32 1PFLOP/s\nbandwidth dram 100GB/s\nbandwidth l2 400GB/s\nlevel l2 8MiB\n");
  Projection product{.rows = 1, .d_in = 1000, .d_out = 1000, .activation = DType::fp32};
  const double bytes = total_traffic(account(product)).as_double();
  EXPECT_SECONDS(machine.call_s(product), bytes / 100e9);
  product.level = Boundary::l2;
  EXPECT_SECONDS(machine.call_s(product), bytes / 400e9);
}

TEST(ScriptedModel, AStreamNeedsNoPeak) {
  ScriptedMachine machine("bandwidth dram 100GB/s\n");
  EXPECT_EQ(machine.refusal(Stream{.kind = StreamKind::triad, .dtype = DType::fp64}), "");
}

TEST(ScriptedModel, WithAStatedTimeNothingElseNeedBeStated) {
  ScriptedMachine machine("point gemm/* time=1.25ms\npoint kernel/* time=3s\n");
  EXPECT_SECONDS(machine.call_s(big_gemm()), 1.25e-3);
  EXPECT_SECONDS(machine.call_s(Kernel{.intensity = flop_per_byte(1)}), 3.0);
}

TEST(ScriptedModel, AStatedTimeIsTheWholeCall) {
  ScriptedMachine machine(kPlainMachine +
                          "overhead library 1s\npoint gemm/* time=5s efficiency=10%\n");
  EXPECT_SECONDS(machine.call_s(big_gemm()), 5.0);
}

TEST(ScriptedModel, MoreThanTheMemoryIsUnsupported) {
  ScriptedMachine machine(kPlainMachine + "memory 1GiB\n");
  EXPECT_NE(machine.refusal(big_gemm()).find("1073741824"), std::string::npos);
  EXPECT_EQ(in_byte(machine.backend().memory_left(machine.device())), 1073741824.0);
  EXPECT_EQ(in_byte(machine.backend().footprint(copy_8mb(), machine.device())), 8e6);
}

TEST(ScriptedModel, AnImpossibleWorkloadIsTheCallersMistake) {
  ScriptedMachine machine(kPlainMachine + "point * unsupported=\"whatever\"\n");
  EXPECT_THROW((void)machine.refusal(Gemm{.m = 0, .n = 1, .k = 1}), InputError);
}

TEST(ScriptedModel, ACoreClockOfItsOwnMovesArithmeticOnly) {
  ScriptedMachine machine(kPlainMachine + "point * clock=1GHz\n");
  EXPECT_SECONDS(machine.call_s(big_gemm()), 4.0);
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 80e-6);
  const auto run = machine.prepare(copy_8mb());
  EXPECT_EQ(in_hertz(run->time(1).clock.value()), 1e9);
}

TEST(ScriptedModel, AStatedTimeFollowsTheClockWhereArithmeticBinds) {
  ScriptedMachine machine(kPlainMachine +
                          "point * clock=1GHz\npoint gemm/* time=3s\npoint stream/* time=1ms\n");
  EXPECT_SECONDS(machine.call_s(big_gemm()), 6.0);
  EXPECT_SECONDS(machine.call_s(copy_8mb()), 1e-3);
}

TEST(ScriptedModel, OpenSizesAreFoundByTheirIdBeforeAndAfterTheyAreFilledIn) {
  const std::vector<std::pair<Workload, std::string>> cases{
      {Elementwise{.ops = 3, .dtype = DType::fp32}, "elementwise/fp32/dram_ops_3*"},
      {Stream{.kind = StreamKind::copy}, "stream/fp64/copy"},
      {Stream{.kind = StreamKind::copy, .write_allocate = true}, "stream/fp64/copy-regular"},
  };
  for (const auto& [open, pattern] : cases) {
    ScriptedMachine refusing(kPlainMachine + "point " + pattern + " unsupported=\"no\"");
    EXPECT_EQ(refusing.refusal(open), "no") << pattern;
    ScriptedMachine machine(kPlainMachine + "point " + pattern + " time=7s\n");
    EXPECT_SECONDS(machine.call_s(open), 7.0) << pattern;
  }
}

TEST(ScriptedModel, AStatedSizeIsPartOfTheName) {
  const Stream stated{.kind = StreamKind::copy, .elements = 1000};
  ScriptedMachine machine(kPlainMachine + "point stream/fp64/copy-1000 time=7s\n");
  EXPECT_SECONDS(machine.call_s(stated), 7.0);
}

}  // namespace
}  // namespace roofline::test
