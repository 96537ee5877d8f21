#include "beside_others.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "roofline/error.hpp"

namespace roofline::selftest {
namespace {

using testing::Test;

Record measured(const std::string& id, const Workload& workload, double seconds) {
  Record out;
  out.id = id;
  out.workload = workload;
  out.account = account(workload);
  Measured outcome;
  outcome.time_median = second(seconds);
  outcome.noise = 0.002;
  out.outcome = outcome;
  return out;
}

/// 8 GB in 2 ms: 4 TB/s.
Record read_stream() {
  return measured("stream/fp64/read", Stream{StreamKind::read, 1'000'000'000, DType::fp64}, 2e-3);
}

Report report_of(const std::string& device, std::vector<Record> points) {
  Report out;
  out.device_name = device;
  out.run.command_line = "roofline bandwidth --device cuda:0";
  out.points = std::move(points);
  return out;
}

const std::string kHeadings = "device,point,value,unit,stretch,source\n";
const std::string kPeerHeadings = "point,value,unit,how\n";

std::vector<Anchor> anchors(const std::string& rows) {
  return read_anchors(kHeadings + rows, "anchors.csv");
}

/// The row of the table that begins with this point.
std::string row(const std::string& table, const std::string& point) {
  const std::size_t begin = table.find("| `" + point + "`");
  if (begin == std::string::npos) return "no row";
  return table.substr(begin, table.find('\n', begin) - begin);
}

TEST(BesideOthers, HoldsARateAgainstAnAnchorOfThisVeryDevice) {
  const auto known = anchors(
      "NVIDIA H200,stream/*/read,5e12,byte_per_s,8e12,who, where and when\n"
      "NVIDIA H200 NVL,stream/*/read,1e12,byte_per_s,,another card\n");
  const std::string table = beside_others({report_of("NVIDIA H200", {read_stream()})}, known, {});
  EXPECT_EQ(row(table, "stream/fp64/read"),
            "| `stream/fp64/read` | 4.00 TB/s | 0.200 % | 5.00 TB/s | 80.0 % | 8.00 TB/s | - | - | "
            "who, where and when |");
  EXPECT_EQ(table.find("another card"), std::string::npos);
}

TEST(BesideOthers, TakesTheBestOfSeveralPoints) {
  Record slower = read_stream();
  slower.id = "stream/fp32/read";
  std::get<Measured>(slower.outcome).time_median = second(4e-3);
  const auto known = anchors("G,stream/*/read,4e12,byte_per_s,,x\n");
  const std::string table = beside_others({report_of("G", {slower, read_stream()})}, known, {});
  EXPECT_NE(row(table, "stream/fp64/read").find("| 100 % |"), std::string::npos) << table;
  // The other one is not lost.
  EXPECT_NE(row(table, "stream/fp32/read").find("2.00 TB/s"), std::string::npos) << table;
}

TEST(BesideOthers, AShorterTimeIsBetter) {
  const Record launch = measured("launch/kernel", Launch{LaunchPath::kernel}, 2e-6);
  const auto known = anchors("G,launch/kernel,3e-6,s,,x\n");
  const std::string table = beside_others({report_of("G", {launch})}, known, {});
  EXPECT_NE(row(table, "launch/kernel").find("| 3.00 us | 150 % |"), std::string::npos) << table;
}

TEST(BesideOthers, WhatWasNotMeasuredStaysInTheTable) {
  Record failed = read_stream();
  failed.outcome = Failed{"cuMemAlloc: out of memory"};
  const auto known = anchors("G,stream/*/read,4e12,byte_per_s,,x\n");
  const std::string table = beside_others({report_of("G", {failed})}, known, {});
  EXPECT_NE(row(table, "stream/*/read").find("not measured | - | 4.00 TB/s | - |"),
            std::string::npos)
      << table;
  EXPECT_NE(row(table, "stream/fp64/read").find("| failed |"), std::string::npos) << table;
}

TEST(BesideOthers, APeerStandsInEitherTable) {
  const Record matvec =
      measured("matvec/fp16/T=1_4096x4096",
               Projection{.rows = 1, .d_in = 4096, .d_out = 4096, .activation = DType::fp16}, 1e-5);
  const auto peers = read_peers(kPeerHeadings +
                                    "stream/*/read,2e12,byte_per_s,torch.sum, median of 20\n"
                                    "matvec/fp16/T=1_4096x4096,3357000000000,byte_per_s,torch.mv\n",
                                "torch.csv");
  const auto known = anchors("G,stream/*/read,4e12,byte_per_s,,x\n");
  const std::string table = beside_others({report_of("G", {read_stream(), matvec})}, known, peers);
  EXPECT_NE(row(table, "stream/fp64/read").find("| 2.00 TB/s | 200 % |"), std::string::npos)
      << table;
  // 2 * 4096 * 4096 + 2 * 2 * 4096 bytes in 10 us are 3.357 TB/s, 83.9 % of the 4 TB/s read.
  EXPECT_NE(row(table, "matvec/fp16/T=1_4096x4096").find("| 83.9 % | 3.36 TB/s | 100 % |"),
            std::string::npos)
      << table;
}

TEST(BesideOthers, AMadeUpDeviceSaysSo) {
  const auto known = anchors("NVIDIA A100,stream/*/read,4e12,byte_per_s,,x\n");
  const std::string table =
      beside_others({report_of("FAKE NVIDIA A100", {read_stream()})}, known, {});
  EXPECT_NE(table.find("made up"), std::string::npos);
  EXPECT_NE(row(table, "stream/fp64/read").find("4.00 TB/s"), std::string::npos);
  EXPECT_EQ(beside_others({report_of("NVIDIA A100", {})}, known, {}).find("made up"),
            std::string::npos);
}

TEST(BesideOthers, AnUnknownDeviceHasNoAnchors) {
  const std::string table = beside_others({report_of("NVIDIA X1", {read_stream()})}, {}, {});
  EXPECT_NE(table.find("Nobody's figures are known"), std::string::npos);
  EXPECT_NE(row(table, "stream/fp64/read").find("4.00 TB/s"), std::string::npos);
}

TEST(Anchors, AFaultNamesItsLine) {
  const auto error_of = [](const std::string& rows) -> std::string {
    try {
      static_cast<void>(anchors(rows));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of("# a comment\nG,p,0,byte_per_s,,x\n"),
            "anchors.csv, line 3: '0' is no positive number");
  EXPECT_EQ(error_of("G,p,1e12,GB/s,,x\n"),
            "anchors.csv, line 2: 'GB/s' is not known; use byte_per_s, flop_per_s or s");
  EXPECT_EQ(error_of("G,p,1e12,s\n"), "anchors.csv, line 2: it has 4 fields, not 6");
  EXPECT_EQ(error_of("G,p,1e12,s,more,x\n"), "anchors.csv, line 2: 'more' is no positive number");
}

/// The shipped file: every row is read, and none promises what its device cannot have.
TEST(Anchors, ShippedOnesAreBelowTheirDataSheets) {
  std::ifstream in(ROOFLINE_ANCHORS, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto shipped = read_anchors(text, ROOFLINE_ANCHORS);
  EXPECT_GE(shipped.size(), 15U);
  for (const Anchor& anchor : shipped) {
    EXPECT_FALSE(anchor.source.empty()) << anchor.point;
    if (anchor.device == "NVIDIA H200" && anchor.figure == Figure::byte_per_s) {
      EXPECT_LT(anchor.stretch.value_or(anchor.value), 4.8e12) << anchor.point;
    }
    EXPECT_GE(anchor.stretch.value_or(anchor.value), anchor.value) << anchor.point;
  }
}

}  // namespace
}  // namespace roofline::selftest
