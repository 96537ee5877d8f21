// What the options of the measuring commands ask for, as points.
#include "cli/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

const Stream& stream(const Workload& point) { return std::get<Stream>(point); }

std::string refusal(const BandwidthOptions& options) {
  try {
    static_cast<void>(bandwidth_points(options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Bandwidth, AllMixesOnceByDefault) {
  const auto points = bandwidth_points({});
  EXPECT_EQ(points.size(), 7U);
  std::set<StreamKind> kinds;
  for (const Workload& point : points) {
    kinds.insert(stream(point).kind);
    EXPECT_EQ(stream(point).elements, 0U) << "the device knows its caches";
    EXPECT_EQ(stream(point).level, Boundary::dram);
    EXPECT_FALSE(stream(point).write_allocate);
  }
  EXPECT_TRUE(kinds.contains(StreamKind::update));
  EXPECT_EQ(kinds.size(), 7U);
}

TEST(Bandwidth, EveryLevelAndKindOfStoreThatMeansSomething) {
  BandwidthOptions options;
  options.stream = "read,triad,update";
  options.boundary = "dram,l3,l2,l1";
  options.stores = "best,regular";
  const auto points = bandwidth_points(options);
  // DRAM: read, triad twice, update; caches: three each.
  EXPECT_EQ(points.size(), 4U + 3 * 3);
  const auto regular = std::count_if(points.begin(), points.end(), [](const Workload& point) {
    return stream(point).write_allocate;
  });
  EXPECT_EQ(regular, 1);
}

TEST(Bandwidth, WorkingSetsAreOfAllArraysTogether) {
  BandwidthOptions options;
  options.stream = "read,triad";
  options.working_set = "48KiB:192KiB:x2";
  const auto points = bandwidth_points(options);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(stream(points[0]).elements, 48 * 1024 / 8U);
  EXPECT_EQ(stream(points[2]).elements, 192 * 1024 / 8U);
  EXPECT_EQ(stream(points[3]).elements, 48 * 1024 / 3 / 8U);
  EXPECT_TRUE(stream(points[3]).write_allocate) << "in a cache a store past it is no store to it";
  options.stores = "best";
  EXPECT_FALSE(stream(bandwidth_points(options)[3]).write_allocate);
}

TEST(Bandwidth, ContradictionsNameTheOption) {
  EXPECT_NE(refusal({.stream = "quad"}).find("triad, update"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "l4"}).find("--boundary: 'l4'"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "link"}).find("--boundary: 'link'"), std::string::npos);
  EXPECT_NE(refusal({.stores = "nt"}).find("--stores: 'nt'"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "l2", .elements = "100"}).find("--elements"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "l2", .working_set = "1MiB"}).find("--working-set"),
            std::string::npos);
  EXPECT_NE(refusal({.elements = "100", .working_set = "1MiB"}).find("give one"),
            std::string::npos);
  EXPECT_NE(refusal({.stream = "triad", .working_set = "16"}).find("--working-set: 16"),
            std::string::npos);
  EXPECT_NE(refusal({.working_set = "16KiB:x2"}).find("--working-set"), std::string::npos);
  EXPECT_NE(refusal({.working_set = "16kg"}).find("--working-set"), std::string::npos);
}

TEST(ByteAxis, TakesUnitsInEveryForm) {
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(byte_axis("16KiB:64KiB:x2", "--x"), (Sizes{16384, 32768, 65536}));
  EXPECT_EQ(byte_axis("1kB:3kB:+1kB", "--x"), (Sizes{1000, 2000, 3000}));
  EXPECT_EQ(byte_axis("1MiB,4096", "--x"), (Sizes{1048576, 4096}));
  for (const char* wrong :
       {"", "1MiB,", ":", "1MiB:2MiB", "x2", "1MiB:2MiB:x1", "2MiB:1MiB:x2", "1.5", "-1MiB", "0"}) {
    EXPECT_THROW(static_cast<void>(byte_axis(wrong, "--x")), InputError) << wrong;
  }
}

TEST(ElementwisePoints, AreTheProductOfTheAxes) {
  ElementwiseOptions options;
  const auto points = elementwise_points(options);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(
      points[1],
      (Workload{Elementwise{.elements = 0, .ops = 4, .ops_per_kernel = 2, .dtype = DType::fp32}}));
  options.ops = "2,8";
  options.dtype = "fp32,fp64";
  options.elements = "1000";
  EXPECT_EQ(elementwise_points(options).size(), 12U);
  options.inputs = "4";
  EXPECT_THROW(static_cast<void>(elementwise_points(options)), InputError);
}

TEST(MatvecPoints, TakeTheWordsOfGemmAsWell) {
  MatvecOptions options;
  options.rows = "1,2";
  options.d_in = "64";
  options.d_out = "32,128";
  const auto points = matvec_points(options);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(std::get<Projection>(points[0]).d_in, 64U);
  EXPECT_EQ(std::get<Projection>(points[0]).d_out, 32U);
  options.d_out.clear();
  EXPECT_THROW(static_cast<void>(matvec_points(options)), InputError);
}

TEST(RoofPoints, HoldAPeakPerTypeAndTheEmptyCallOfEachPath) {
  const Workload gemm = Gemm{.m = 8, .n = 8, .k = 8, .input = DType::bf16};
  const Workload matvec = Projection{.rows = 1, .d_in = 8, .d_out = 8, .activation = DType::fp32};
  const auto points = roof_points({gemm, gemm, matvec});
  const auto count = [&](const Workload& wanted) {
    return std::count(points.begin(), points.end(), wanted);
  };
  EXPECT_EQ(count(PeakProbe{.dtype = DType::bf16}), 1);
  EXPECT_EQ(count(PeakProbe{.dtype = DType::fp32}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::library}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::kernel}), 1);
  EXPECT_EQ(count(Stream{.kind = StreamKind::read}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::graph}), 0);
}

}  // namespace
}  // namespace roofline::cli
