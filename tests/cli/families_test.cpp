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
  EXPECT_NE(refusal({.boundary = "l4"}).find("--boundary: 'l4'"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "link", .elements = "100"}).find("--elements"), std::string::npos);
  EXPECT_NE(refusal({.boundary = "dram", .direction = "to_host"}).find("--direction"),
            std::string::npos);
  EXPECT_NE(refusal({.boundary = "dram", .host_memory = "pinned"}).find("--host-memory"),
            std::string::npos);
  EXPECT_NE(refusal({.direction = "up"}).find("--direction: 'up'"), std::string::npos);
  EXPECT_NE(refusal({.host_memory = "paged"}).find("--host-memory: 'paged'"), std::string::npos);
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

TEST(Bandwidth, OverTheLinkBothWaysFromPinnedMemory) {
  BandwidthOptions options;
  options.boundary = "link";
  const auto usual = bandwidth_points(options);
  ASSERT_EQ(usual.size(), 2U);
  EXPECT_EQ(usual[0], Workload{Transfer{}});
  EXPECT_EQ(usual[1], Workload{Transfer{.direction = TransferDirection::to_host}});
  options.direction = "d2h";
  options.host_memory = "pinned,pageable";
  options.working_set = "1MiB,64MiB";
  const auto sized = bandwidth_points(options);
  ASSERT_EQ(sized.size(), 4U);
  EXPECT_EQ(sized[3], (Workload{Transfer{.direction = TransferDirection::to_host,
                                         .host_memory = HostMemory::pageable,
                                         .bytes = 64 << 20}}));
  // What only a transfer has asks for transfers.
  EXPECT_EQ(kind_name(bandwidth_points({.direction = "to_host"}).at(0)), "transfer");
}

TEST(Bandwidth, OfAGpuIsThatOfItsMemoryItsCacheAndItsLink) {
  const auto points = bandwidth_points({}, backend::DeviceKind::gpu);
  ASSERT_EQ(points.size(), 7U + 7 + 2);
  EXPECT_EQ(stream(points[6]).level, Boundary::dram);
  EXPECT_EQ(stream(points[7]).level, Boundary::l2);
  EXPECT_EQ(kind_name(points[15]), "transfer");
  // Sizes choose the level themselves.
  EXPECT_EQ(bandwidth_points({.working_set = "1MiB"}, backend::DeviceKind::gpu).size(), 7U);
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

TEST(MatvecPoints, HaveDefaultsThatSuitTheDevice) {
  MatvecOptions options;
  options.weights = "bf16,fp16,int8,int4";
  options.rows = "1";
  const auto of = [](const Workload& point) { return std::get<Projection>(point); };
  const auto gpu = matvec_points(options, backend::DeviceKind::gpu);
  ASSERT_EQ(gpu.size(), 4U);
  EXPECT_EQ(of(gpu[0]).activation, DType::bf16);
  EXPECT_EQ(of(gpu[0]).scale_group, 0U);
  EXPECT_EQ(of(gpu[1]).activation, DType::fp16);
  for (const std::size_t integer : {2U, 3U}) {
    EXPECT_EQ(of(gpu[integer]).activation, DType::bf16);
    EXPECT_EQ(of(gpu[integer]).scale_group, 128U);
  }
  const auto cpu = matvec_points(options);
  EXPECT_EQ(of(cpu[2]).activation, DType::fp32);
  EXPECT_EQ(of(cpu[2]).scale_group, 0U);
  options.shape = "64x32";
  EXPECT_EQ(of(matvec_points(options, backend::DeviceKind::gpu)[2]).scale_group, 64U)
      << "a group is no longer than a column";
}

TEST(MatvecPoints, ScalesAndLevelsAreAskedFor) {
  MatvecOptions options;
  options.weights = "bf16,int8";
  options.rows = "1";
  options.scale_group = "32";
  options.hot = true;
  const auto of = [](const Workload& point) { return std::get<Projection>(point); };
  const auto points = matvec_points(options);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(of(points[0]).scale_group, 0U) << "bf16 weights have no scales";
  EXPECT_EQ(of(points[1]).scale_group, 32U);
  EXPECT_EQ(of(points[1]).level, Boundary::l2);
  options.scale_group = "0";
  EXPECT_EQ(of(matvec_points(options, backend::DeviceKind::gpu)[1]).scale_group, 0U);
  options.hot = false;
  options.level = "dram,l2";
  EXPECT_EQ(matvec_points(options).size(), 4U);
}

TEST(MatvecPoints, ContradictionsAreRefused) {
  MatvecOptions options;
  options.hot = true;
  options.level = "l2";
  EXPECT_THROW(static_cast<void>(matvec_points(options)), InputError) << "--hot and --level";
  options.hot = false;
  options.level = "link";
  EXPECT_THROW(static_cast<void>(matvec_points(options)), InputError);
  options.level = "";
  options.scale_group = "32";
  EXPECT_THROW(static_cast<void>(matvec_points(options)), InputError) << "bf16 has no scales";
}

TEST(RoofPoints, OfAHotProductHoldTheReadStreamOfItsLevel) {
  const auto roofs =
      roof_points({Projection{.rows = 1, .d_in = 8, .d_out = 8, .level = Boundary::l2}},
                  backend::DeviceKind::gpu);
  EXPECT_NE(std::find(roofs.begin(), roofs.end(),
                      Workload{Stream{.kind = StreamKind::read, .level = Boundary::l2}}),
            roofs.end());
}

TEST(RoofPoints, HoldAPeakPerTypeAndTheEmptyCallOfEachPath) {
  const Workload gemm = Gemm{.m = 8, .n = 8, .k = 8, .input = DType::bf16};
  const Workload matvec = Projection{.rows = 1, .d_in = 8, .d_out = 8, .activation = DType::fp32};
  const auto points = roof_points({gemm, gemm, matvec}, backend::DeviceKind::cpu);
  const auto count = [&](const Workload& wanted) {
    return std::count(points.begin(), points.end(), wanted);
  };
  EXPECT_EQ(count(PeakProbe{.dtype = DType::bf16}), 1);
  EXPECT_EQ(count(PeakProbe{.dtype = DType::fp32}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::library}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::kernel}), 1);
  EXPECT_EQ(count(Stream{.kind = StreamKind::read}), 1);
  EXPECT_EQ(count(Launch{LaunchPath::graph}), 0);
  // Of a GPU only products show what its matrix units do, and short calls are replayed in graphs.
  const auto of_gpu = roof_points({gemm, gemm, matvec}, backend::DeviceKind::gpu);
  EXPECT_EQ(of_gpu.size(), points.size() - 1 + 2);
  for (const LaunchPath path : {LaunchPath::graph, LaunchPath::library_graph})
    EXPECT_EQ(std::count(of_gpu.begin(), of_gpu.end(), Workload{Launch{path}}), 1) << name(path);
  EXPECT_EQ(std::count(of_gpu.begin(), of_gpu.end(), Workload{PeakProbe{.dtype = DType::bf16}}), 0);
}

}  // namespace
}  // namespace roofline::cli
