#include "profile/kernel_table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "roofline/error.hpp"

namespace roofline::profile {
namespace {

KernelTable read(const std::string& text, std::optional<DType> dtype = {}) {
  return read_kernel_table(text, "k.csv", dtype);
}

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  const std::string sentence = refusal(text);
  for (const std::string& part : parts)
    EXPECT_NE(sentence.find(part), std::string::npos) << text << "\n-> " << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

const std::string kHead = "name,flop,bytes,time_us,dtype\n";

TEST(KernelTable, ARowIsAKernelWithItsCountsAndTime) {
  const KernelTable table = read(
      "name,flop,read,write,time_us,dtype,threads\n"
      "\"silu, fused\",1000,2000,3000,4.5,bf16,8\n");
  ASSERT_EQ(table.kernels.size(), 1U);
  const TimedKernel& kernel = table.kernels[0];
  EXPECT_EQ(kernel.name, "silu, fused");
  EXPECT_EQ(kernel.workload.flops, Count{1000});
  EXPECT_EQ(kernel.workload.read_bytes, Count{2000});
  EXPECT_EQ(kernel.workload.write_bytes, Count{3000});
  EXPECT_EQ(kernel.workload.dtype, DType::bf16);
  EXPECT_EQ(kernel.threads, 8U);
  EXPECT_TRUE(kernel.directions_known);
  ASSERT_EQ(kernel.samples.size(), 1U);
  EXPECT_DOUBLE_EQ(in_second(kernel.samples[0].duration), 4.5e-6);
  EXPECT_TRUE(table.notes.empty());
}

TEST(KernelTable, UnitsStandInTheHeadingOrInTheCell) {
  struct Case {
    const char* text;
    double seconds;
    std::uint64_t flop;
    std::uint64_t bytes;
  };
  const Case cases[] = {
      {"name,flop,bytes,time_ms,dtype\na,1e9,2e6,3,fp32\n", 3e-3, 1'000'000'000, 2'000'000},
      {"Kernel Name;GFLOP;bytes (GB);time [ns];dtype\na;1.5;0.25;7;fp32\n", 7e-9, 1'500'000'000,
       250'000'000},
      {"kernel\twork\ttraffic\tduration\tprecision\r\na\t2 GFLOP\t80GB\t1.5 ms\tfp32\r\n", 1.5e-3,
       2'000'000'000, 80'000'000'000},
      {"name,flop_G,bytes_MiB,time_us,dtype\na,0.001,1,1us,fp32\n", 1e-6, 1'000'000, 1'048'576},
      // A float that a spreadsheet wrote with all its digits.
      {"name,flop,bytes_GB,time_s,dtype\na,268435456.0,0.26843545600000003,1e-3,fp32\n", 1e-3,
       268'435'456, 268'435'456},
      {"name,flop,bytes,time (\xC2\xB5s),dtype\na,1,1,2,fp32\n", 2e-6, 1, 1},
  };
  for (const Case& one : cases) {
    const KernelTable table = read(one.text);
    ASSERT_EQ(table.kernels.size(), 1U) << one.text;
    const TimedKernel& kernel = table.kernels[0];
    EXPECT_DOUBLE_EQ(in_second(kernel.samples[0].duration), one.seconds) << one.text;
    EXPECT_EQ(kernel.workload.flops->value(), one.flop) << one.text;
    EXPECT_EQ(kernel.workload.read_bytes->value(), one.bytes) << one.text;
    EXPECT_FALSE(kernel.directions_known);
    EXPECT_FALSE(kernel.workload.write_bytes);
  }
}

TEST(KernelTable, RowsOfOneKernelAreItsSamples) {
  const KernelTable table = read(kHead + "a,1,2,10,bf16\nb,1,2,20,bf16\na,1,2,11,bf16\n");
  ASSERT_EQ(table.kernels.size(), 2U);
  EXPECT_EQ(table.rows, 3U);
  EXPECT_EQ(table.kernels[0].samples.size(), 2U);
  EXPECT_EQ(table.kernels[0].line, 2U);
  EXPECT_EQ(table.kernels[1].line, 3U);
}

// A rate of unlike shapes is the ratio of the sums, or none: here each shape is a point of its own.
TEST(KernelTable, B193_ShapesOfOneNameStandApart) {
  const KernelTable table = read(kHead + "a,0,1GB,1000,bf16\na,0,1MB,100,bf16\n");
  ASSERT_EQ(table.kernels.size(), 2U);
  std::vector<Record> records;
  for (const TimedKernel& kernel : table.kernels)
    records.push_back(record_of(kernel, "x", "X", "k.csv"));
  tell_apart(records);
  EXPECT_EQ(records[0].id, "kernel/bf16/a");
  EXPECT_EQ(records[1].id, "kernel/bf16/a#2");
  const auto rate = [](const Record& record) {
    return total_traffic(record.account).as_double() /
           in_second(std::get<Measured>(record.outcome).time_median);
  };
  EXPECT_NEAR(rate(records[0]), 1e12, 1);
  EXPECT_NEAR(rate(records[1]), 1e10, 1);
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("rows of a differ in their counts"), std::string::npos);
}

TEST(KernelTable, IdsStayTheirOwn) {
  const KernelTable table = read(kHead +
                                 "a b,1,2,1,bf16\na_b,1,2,1,bf16\na_b#2,1,2,1,bf16\n"
                                 "a b,1,3,1,bf16\n");
  std::vector<Record> records;
  for (const TimedKernel& kernel : table.kernels)
    records.push_back(record_of(kernel, "x", "X", "k.csv"));
  tell_apart(records);
  std::set<std::string> ids;
  for (const Record& record : records) EXPECT_TRUE(ids.insert(record.id).second) << record.id;
}

TEST(KernelTable, ARecordSaysWhereItIsFromAndThatNobodyCheckedIt) {
  const KernelTable table = read(kHead + "a,100,50,2,bf16\na,100,50,3,bf16\na,100,50,10,bf16\n");
  const Record record = record_of(table.kernels.at(0), "h100", "NVIDIA H100", "k.csv");
  const auto& measured = std::get<Measured>(record.outcome);
  EXPECT_DOUBLE_EQ(in_second(measured.time_median), 3e-6);
  EXPECT_DOUBLE_EQ(in_second(measured.time_min), 2e-6);
  EXPECT_EQ(measured.samples.size(), 3U);
  EXPECT_EQ(measured.verification.state, VerificationState::unverified);
  EXPECT_EQ(measured.verification.detail, "timed elsewhere: k.csv, line 2");
  EXPECT_EQ(record.account.work, Count{100});
  EXPECT_EQ(record.device_id, "h100");
}

TEST(KernelTable, WhatIsWrongIsNamedWithLineAndColumn) {
  expect_refused(kHead + "a,1,2,0,bf16\n", {"k.csv, line 2, column time_us", "zero"});
  expect_refused(kHead + "a,1,2,-1,bf16\n", {"k.csv, line 2, column time_us", "negative"});
  expect_refused(kHead + "a,1,2,nan,bf16\n", {"line 2, column time_us", "finite"});
  expect_refused(kHead + "a,1,2,inf,bf16\n", {"line 2, column time_us", "finite"});
  expect_refused(kHead + "a,1,2,1e400,bf16\n", {"line 2, column time_us", "range"});
  expect_refused(kHead + "a,1,2,,bf16\n", {"line 2, column time_us is empty"});
  expect_refused(kHead + "a,1,2,1 ms,bf16\n", {"'1 ms'", "in ms", "heading says us"});
  expect_refused(kHead + "a,\"1,234\",2,1,bf16\n", {"line 2, column flop", "comma"});
  expect_refused(kHead + "a,1.5,2,1,bf16\n", {"column flop", "whole number"});
  expect_refused(kHead + "a,-1,2,1,bf16\n", {"column flop", "negative"});
  expect_refused(kHead + "a,1,2Gb,1,bf16\n", {"column bytes", "bits"});
  expect_refused(kHead + "a,1,2,1,bf61\n", {"line 2, column dtype", "unknown dtype 'bf61'"});
  expect_refused(kHead + "a,0,0,1,bf16\n", {"line 2", "does nothing"});
  expect_refused(kHead + "a,1,2,1\n", {"line 2 has 4 fields where the header has 5"});
  expect_refused(kHead + ",1,2,1,bf16\n", {"line 2, column name is empty"});
  expect_refused("name,flop,bytes,time,dtype\na,1,2,3,bf16\n",
                 {"line 2, column time", "'3' has no unit", "time_us"});
  expect_refused("name,flop,bytes,time_us,dtype,threads\na,1,2,3,bf16,0\n",
                 {"line 2, column threads", "'0'"});
}

TEST(KernelTable, TheHeaderMustNameWhatIsNeededOnce) {
  expect_refused("name,flop,time_us,dtype\na,1,2,bf16\n", {"k.csv, line 1", "no column for bytes"});
  expect_refused("name,flop,read,time_us,dtype\n", {"no column for write"});
  expect_refused("name,bytes,time_us,dtype\n", {"no column for flop"});
  expect_refused("name,flop,bytes,time_us\na,1,2,3\n", {"no column for dtype", "--dtype"});
  expect_refused("name,flop,flops,bytes,time_us,dtype\n", {"column flops means flop", "keep one"});
  expect_refused("name,flop,bytes,read,write,time_us,dtype\n", {"bytes counts again"});
  expect_refused("name,flop,bytes,time_furlong,dtype\n", {"'furlong'", "time_us"});
  // A rate is no count, and the least of several times no minutes.
  expect_refused("name,GFLOP/s,bytes,time_us,dtype\na,1,2,3,bf16\n", {"no column for flop"});
  expect_refused("name,flop,bytes_per_s,time_us,dtype\na,1,2,3,bf16\n", {"no column for bytes"});
  expect_refused("name,flop,bytes,time_min,dtype\na,1,2,3,bf16\n", {"no column for time"});
  EXPECT_EQ(read("name,flop,bytes,time_us\na,1,2,3\n", DType::fp16).kernels.at(0).workload.dtype,
            DType::fp16);
}

TEST(KernelTable, B132_NothingToImportIsNoSuccess) {
  expect_refused("", {"0 results", "k.csv is empty"});
  expect_refused(kHead, {"0 results", "no row"});
  expect_refused(kHead + "\n\n", {"0 results"});
}

TEST(KernelTable, ColumnsThatAreNotUsedAreNamed) {
  const KernelTable table =
      read("name,flop,bytes,time_us,dtype,grid,registers\na,1,2,3,bf16,\"(1,1,1)\",64\n");
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes[0].find("not used: grid, registers"), std::string::npos) << table.notes[0];
}

}  // namespace
}  // namespace roofline::profile
