// import as a person runs it, over tables that others wrote, and what the audit finds in them.
#include <gtest/gtest.h>

#include "audited.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

constexpr const char* kTable =
    "name,flop,read,write,time_us,dtype\n"
    "gemm_4096x4096x4096,137438953472,67108864,33554432,600,bf16\n"
    "gemm_4096x4096x4096,137438953472,67108864,33554432,610,bf16\n"
    "gemm_4096x4096x4096,137438953472,67108864,33554432,605,bf16\n"
    "copy,0,1000000000,1000000000,1100,fp32\n"
    "\"silu, fused\",33554432,67108864,33554432,60,bf16\n";

TEST(ImportCommand, PlacesKernelsAsExplainDoes) {
  const TemporaryFolder folder;
  const std::string table = folder.write("k.csv", kTable);
  const std::string file = folder.path("k.json");
  const auto imported = roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "-o", file});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_TRUE(contains(imported.out, "kernel/bf16/silu,_fused")) << imported.out;
  const std::string text = folder.read("k.json");
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  const Json report = Json::parse(text);
  ASSERT_EQ(report["points"].size(), 3U);
  struct Asked {
    const char* flop;
    const char* read;
    const char* write;
    const char* time;
    const char* dtype;
  };
  const Asked asked[] = {{"137438953472", "67108864", "33554432", "605us", "bf16"},
                         {"0", "1000000000", "1000000000", "1100us", "fp32"},
                         {"33554432", "67108864", "33554432", "60us", "bf16"}};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto explain = roofline({"explain", "--device", "a100-80gb-sxm", "--flop", asked[i].flop,
                                   "--read", asked[i].read, "--write", asked[i].write, "--time",
                                   asked[i].time, "--dtype", asked[i].dtype, "--json"});
    const Json expected = Json::parse(explain.out);
    const Json& point = report["points"][i];
    for (const char* key :
         {"intensity_flop_per_byte", "ridge_flop_per_byte", "bound", "ceiling_flop_per_s", "mfu",
          "of_ceiling", "verdict", "lever", "achieved_flop_per_s", "achieved_byte_per_s",
          "peak_flop_per_s", "peak_origin", "bandwidth_byte_per_s", "above_roof"}) {
      EXPECT_EQ(point.at(key), expected.at(key)) << i << " " << key;
    }
  }
  EXPECT_EQ(report["points"][0]["samples"].size(), 3U);
  const auto said = audit_json(file);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(rules_of(said), (std::set<std::string>{"unverified", "few_samples"})) << said.out;
}

/// What the audit says of one kernel of 4096 cubed on a device with these roofs.
std::set<std::string> audit_of(const std::string& row, std::vector<std::string> roofs,
                               const std::string& head = "name,flop,read,write,time_us,dtype") {
  const TemporaryFolder folder;
  const std::string table = folder.write("k.csv", head + "\n" + row + "\n");
  const std::string file = folder.path("k.json");
  std::vector<std::string> command{"import", "csv", table, "-o", file};
  command.insert(command.end(), roofs.begin(), roofs.end());
  const auto imported = roofline(command);
  EXPECT_EQ(imported.status, 0) << imported.err;
  std::set<std::string> out = rules_of(audit_json(file));
  out.erase("unverified");
  out.erase("few_samples");
  return out;
}

using Rules = std::set<std::string>;
const std::vector<std::string> kA100{"--device", "a100-80gb-sxm"};

std::vector<std::string> a100_with(const std::string& peak) {
  return {"--device", "a100-80gb-sxm", "--peak-flops", peak};
}

std::vector<std::string> h100_with(const std::string& peak) {
  return {"--device", "h100-80gb-sxm", "--peak-flops", peak};
}

TEST(ImportCommand, CountingMistakesAreFoundByTheAudit) {
  EXPECT_EQ(audit_of("gemm_4096x4096x4096,68719476736,67108864,33554432,600,bf16", kA100),
            Rules{"fma_counted_as_one"});
  EXPECT_EQ(audit_of("gemm_4096x4096x4096_beta1,137438953472,67108864,33554432,600,bf16", kA100),
            Rules{"c_not_read"});
  EXPECT_EQ(audit_of("gemm_4096x4096x4096,137438953472,100663296,0,600,bf16", kA100),
            Rules{"output_not_written"});
  EXPECT_EQ(audit_of("gemm_4096x4096x4096,137438953472,33554432,33554432,600,bf16", kA100),
            Rules{"bytes_below_shape"});
  EXPECT_EQ(audit_of("gemm_4096x4096x4096,137438953472,100663296,600,bf16", kA100,
                     "name,flop,bytes,time_us,dtype"),
            Rules{});
  // 8 MiB read at 2.8 TB/s where DRAM has 2.039: they lie in the 40 MiB of L2.
  EXPECT_EQ(audit_of("reduce,2097152,8388608,4,3,fp32", kA100), (Rules{"hot_cache", "impossible"}));
}

// Wrong peaks of public code, as somebody would state them.
TEST(ImportCommand, Q01_Q03_Q04_B011_B015_AWrongDenominatorIsFoundByTheAudit) {
  const std::string row = "k,100000000000,100000000,100000000,1000,bf16";
  // Sparse bf16 is also the dense rate of the next narrower type, int8 and fp8.
  const Rules sparse{"sparse_denominator", "wrong_dtype_denominator"};
  EXPECT_EQ(audit_of(row, a100_with("624TFLOP/s")), sparse);
  EXPECT_EQ(audit_of(row, h100_with("1979TFLOP/s")), sparse);
  // 156 is the tf32 peak of an A100, and half of its bf16 peak.
  EXPECT_EQ(audit_of(row, a100_with("156TFLOP/s")),
            (Rules{"peak_counted_once", "wrong_dtype_denominator"}));
  EXPECT_EQ(audit_of(row, a100_with("312TFLOP/s")), Rules{});
  EXPECT_EQ(audit_of(row, a100_with("250TFLOP/s")), Rules{});
}

TEST(ImportCommand, B185_ACounterAtTwiceTheTheoreticalIsAnErrorOfTheAudit) {
  EXPECT_EQ(audit_of("stream,0,4078000000,0,1000,fp32", kA100),
            (Rules{"impossible", "output_not_written"}));
}

TEST(ImportCommand, B132_AHeaderAloneIsNoSuccess) {
  const TemporaryFolder folder;
  const auto run =
      roofline({"import", "csv", folder.write("k.csv", "name,flop,bytes,time_us,dtype\n"),
                "--device", "a100-80gb-sxm", "-o", folder.path("k.json")});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(contains(run.err, "0 results")) << run.err;
  EXPECT_EQ(roofline({"show", folder.path("k.json")}).status, 4);  // nothing was written
}

TEST(ImportCommand, DevicesAreThoseOfTheRows) {
  const TemporaryFolder folder;
  const std::string head = "name,flop,bytes,time_us,dtype,device\n";
  const std::string table = folder.write(
      "k.csv", head + "k,1e11,1e8,1000,bf16,NVIDIA H100 80GB HBM3\nk,1e11,1e8,1000,bf16,\n");
  const auto two = roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "--json"});
  ASSERT_EQ(two.status, 0) << two.err;
  for (const std::string& error : schema_errors(two.out)) ADD_FAILURE() << error;
  const Json report = Json::parse(two.out);
  EXPECT_EQ(report["points"][0]["device"]["id"], "h100-80gb-sxm");
  EXPECT_NEAR(report["points"][0]["peak_flop_per_s"].get<double>(), 989.4e12, 1e12);
  EXPECT_EQ(report["points"][1]["device"]["id"], "a100-80gb-sxm");
  EXPECT_NEAR(report["points"][1]["peak_flop_per_s"].get<double>(), 312e12, 1e12);

  const auto roofs =
      roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "--bandwidth", "1TB/s"});
  EXPECT_EQ(roofs.status, 2) << roofs.err;
  const auto unknown =
      roofline({"import", "csv", folder.write("u.csv", head + "k,1,1,1,bf16,h100x\n")});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_TRUE(contains(unknown.err, "line 2, column device: 'h100x'")) << unknown.err;
  const auto refused =
      roofline({"import", "csv", folder.write("f.csv", head + "k,1,1,1,fp8,a100-80gb-sxm\n")});
  EXPECT_EQ(refused.status, 3);
  EXPECT_TRUE(contains(refused.err, "line 2: a100-80gb-sxm cannot compute in fp8")) << refused.err;
  const auto none = roofline({"import", "csv", folder.write("n.csv", head + "k,1,1,1,bf16,\n")});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "no roof is given")) << none.err;
}

TEST(ImportCommand, ACpuIsHeldAgainstAReport) {
  const TemporaryFolder folder;
  const std::string roofs = folder.path("cpu.json");
  (void)run_script("quiet.script", roofs);
  const std::string table = folder.write(
      "k.csv", "name,flop,read,write,time_us,dtype,threads\nk,1e8,1e9,1e9,10000,fp32,4\n");
  const auto bare = roofline({"import", "csv", table, "--device", "cpu"});
  EXPECT_EQ(bare.status, 3) << bare.err;
  const auto held =
      roofline({"import", "csv", table, "--device", "cpu", "--peak-flops", "measured:" + roofs,
                "--bandwidth", "measured:" + roofs, "-o", folder.path("k.json"), "--json"});
  ASSERT_EQ(held.status, 0) << held.err;
  const Json report = Json::parse(held.out);
  EXPECT_EQ(report["points"][0]["bandwidth_origin"], "measured");
  EXPECT_TRUE(contains(report["points"][0]["bandwidth_source"], "cpu.json: stream "));
  EXPECT_TRUE(rules_of(audit_json(folder.path("k.json"))).contains("write_allocate"));
}

TEST(ImportCommand, ReadingsThatCannotBeFailWhenStrict) {
  const TemporaryFolder folder;
  const std::string table =
      folder.write("k.csv", "name,flop,bytes,time_us,dtype\nk,1e12,1e6,1000,bf16\n");
  const std::vector<std::string> command{"import", "csv", table, "--device", "a100-80gb-sxm"};
  EXPECT_EQ(roofline(command).status, 0);
  std::vector<std::string> strict = command;
  strict.emplace_back("--strict");
  const auto run = roofline(strict);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "1 reading cannot be")) << run.err;
  EXPECT_EQ(roofline({"import", "ncu", table}).status, 2);
  EXPECT_EQ(roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "-o", table}).status, 2);
}

}  // namespace
}  // namespace roofline::test
