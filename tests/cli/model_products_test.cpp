// gemm --shapes-from: the products of a model measured, each under its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kQuietMachine =
    "scripted:" + std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/scripts/quiet.script";
const std::string kConfigs = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/models/configs/";

auto gemm_of(const std::string& model, const Words& more) {
  Words all{"gemm", "--shapes-from", model, "--backend", kQuietMachine};
  all.insert(all.end(), more.begin(), more.end());
  return roofline(all);
}

/// The names of products by id.
std::map<std::string, std::string> products_in(const std::string& text) {
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  std::map<std::string, std::string> out;
  const json report = json::parse(text);
  for (const json& point : report.at("points")) {
    EXPECT_EQ(point.at("implementation").contains("product"), point.at("kind") == "gemm");
    if (point.at("kind") == "gemm") out[point.at("id")] = point.at("implementation").at("product");
  }
  return out;
}

TEST(ModelProducts, EveryProductOfALayerAndTheHead) {
  const auto run = gemm_of("llama-3.1-8b", {"--tokens", "1,32", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(products_in(run.out),
            (std::map<std::string, std::string>{{"gemm/bf16/1x6144x4096", "qkv"},
                                                {"gemm/bf16/32x6144x4096", "qkv"},
                                                {"gemm/bf16/1x4096x4096", "output"},
                                                {"gemm/bf16/32x4096x4096", "output"},
                                                {"gemm/bf16/1x28672x4096", "gate_up"},
                                                {"gemm/bf16/32x28672x4096", "gate_up"},
                                                {"gemm/bf16/1x4096x14336", "down"},
                                                {"gemm/bf16/32x4096x14336", "down"},
                                                {"gemm/bf16/1x128256x4096", "lm_head"},
                                                {"gemm/bf16/32x128256x4096", "lm_head"}}));
  const json report = json::parse(run.out);
  EXPECT_EQ(report.at("run").at("suite"), "gemm");
}

TEST(ModelProducts, ATokenMeetsThemInThisOrder) {
  const auto run = gemm_of(kConfigs + "mixtral-8x7b-v0.1.json", {"--tokens", "64", "--dry-run"});
  ASSERT_EQ(run.status, 0) << run.err;
  std::size_t last = 0;
  for (const char* line : {"64x6144x4096 ", "64x4096x4096 ", "64x8x4096 ", "16x28672x4096 ",
                           "16x4096x14336 ", "64x32000x4096 "}) {
    const std::size_t at = run.out.find(line);
    ASSERT_NE(at, std::string::npos) << line << run.out;
    EXPECT_GT(at, last) << line;
    last = at;
  }
  for (const char* name : {"qkv: ", "router: ", "expert_gate_up: ", "expert_down: ", "lm_head: "})
    EXPECT_NE(run.out.find(name), std::string::npos) << name << run.out;
}

TEST(ModelProducts, AShapeIsMeasuredOnceUnderAllItsNames) {
  const auto run = gemm_of("deepseek-v3", {"--tokens", "1", "--dry-run"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("expert_gate_up, shared_gate_up: "), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("1x4096x7168"), run.out.rfind("1x4096x7168")) << run.out;
}

TEST(ModelProducts, TheOtherOptionsOfGemmHold) {
  const auto run = gemm_of("llama-3.2-1b", {"--tokens", "8:16:x2", "--dtype", "fp32,bf16",
                                            "--transpose-b", "--data", "zeros", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto products = products_in(run.out);
  EXPECT_EQ(products.size(), 2U * 2 * 5);
  EXPECT_EQ(products.at("gemm/fp32/16x3072x2048_tB_zeros"), "qkv");
  const json report = json::parse(run.out);
  for (const json& point : report.at("points")) {
    if (point.at("kind") != "gemm") continue;
    EXPECT_EQ(point.at("workload").at("transpose_b"), true);
  }
}

TEST(ModelProducts, TheNameIsInTheTableTheColumnsAndTheResumedRun) {
  const TemporaryFolder folder;
  const auto table = gemm_of("llama-3.1-8b", {"--tokens", "32", "-o", folder.path("run.json")});
  EXPECT_NE(table.out.find("32x6144x4096    qkv "), std::string::npos) << table.out;
  const auto shown = roofline({"show", folder.path("run.json"), "--columns",
                               "id,implementation.product", "--filter", "kind=gemm"});
  EXPECT_NE(shown.out.find("gate_up"), std::string::npos) << shown.out << shown.err;
  const auto again =
      gemm_of("llama-3.1-8b", {"--tokens", "32", "--resume", folder.path("run.json")});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(products_in(folder.read("run.json")).at("gemm/bf16/32x6144x4096"), "qkv");
  const auto repeated = gemm_of("llama-3.1-8b", {"--tokens", "32", "--repeat", "2", "--json"});
  EXPECT_EQ(products_in(repeated.out).size(), 5U);
}

TEST(ModelProducts, TheNamesStayWhereTheTableIsTooWide) {
  const auto table = gemm_of("deepseek-v3", {"--tokens", "1,64"});
  EXPECT_NE(table.out.find("not shown at this width: "), std::string::npos) << table.out;
  for (const char* name : {" product ", " shared_gate_up ", " lm_head "})
    EXPECT_NE(table.out.find(name), std::string::npos) << name << table.out;
}

TEST(ModelProducts, WhatContradictsIsRefusedByName) {
  const auto refused = [](const Words& more, const std::string& part) {
    const auto run = gemm_of("llama-3.1-8b", more);
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  };
  refused({"--shape", "8x8x8"}, "--shapes-from and --shape both name shapes");
  refused({"--m", "8"}, "--shapes-from and --m, --n, --k both name shapes");
  refused({"--k", "8"}, "--shapes-from and --m, --n, --k both name shapes");
  refused({"--tokens", "many"}, "--tokens");
  refused({"--tokens", "0"}, "--tokens");
  const auto run = roofline({"gemm", "--tokens", "8"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--tokens is for the products of a model"), std::string::npos) << run.err;
  EXPECT_EQ(roofline({"gemm", "--shapes-from", "llama-3.1-9b"}).status, 2);
  EXPECT_EQ(roofline({"gemm", "--shapes-from", "./not-there.json"}).status, 4);
  const auto none = roofline({"gemm", "--shapes-from", kConfigs + "mamba-2.8b-hf.json"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("state-space"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace roofline::test
