#include "measure/suite.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "roofline/error.hpp"
#include "roofline/point_id.hpp"

namespace roofline::measure {
namespace {

std::string built_in(const std::string& name) {
  const std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/configs/suites/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> ids(const Suite& suite) {
  std::set<std::string> out;
  for (const Workload& point : suite.points) out.insert(point_id(point));
  return out;
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_suite(text, "mine.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Suite, QuickHoldsWhatItPromises) {
  const Suite suite = parse_suite(built_in("quick"), "quick");
  const auto points = ids(suite);
  for (const char* dtype : {"fp64", "fp32", "bf16", "int8"}) {
    EXPECT_TRUE(points.contains("gemm/" + std::string(dtype) + "/2048x2048x2048")) << dtype;
    EXPECT_TRUE(points.contains("gemm/" + std::string(dtype) + "/512x14336x4096")) << dtype;
  }
  for (const char* rows : {"1", "8", "32"})
    EXPECT_TRUE(points.contains("matvec/bf16/T=" + std::string(rows) + "_4096x14336"));
  for (const char* kind : {"read", "write", "copy", "scale", "add", "triad", "update"}) {
    EXPECT_TRUE(points.contains("stream/fp64/" + std::string(kind))) << kind;
  }
  EXPECT_TRUE(points.contains("launch/kernel"));
  EXPECT_TRUE(points.contains("launch/library"));
}

TEST(Suite, StandardHoldsSquaresAndProductionShapes) {
  const auto points = ids(parse_suite(built_in("standard"), "standard"));
  for (const char* n : {"512", "1024", "2048", "4096", "8192"}) {
    const std::string side(n);
    EXPECT_TRUE(points.contains("gemm/bf16/" + side + "x" + side + "x" + side)) << n;
  }
  // MLP projections, vocabulary head and batch tokens of 512, 2048 and 8192.
  for (const char* id :
       {"gemm/bf16/512x14336x4096", "gemm/bf16/512x4096x14336", "gemm/bf16/2048x14336x4096",
        "gemm/bf16/8192x14336x4096", "gemm/bf16/512x128256x4096"}) {
    EXPECT_TRUE(points.contains(id)) << id;
  }
  for (const char* fused : {"1", "2", "4"}) {
    EXPECT_TRUE(points.contains("elementwise/fp32/dram_ops_4_fused_" + std::string(fused)));
  }
  for (const char* id :
       {"stream/fp64/update", "stream/fp64/triad-regular", "launch/kernel", "launch/library"})
    EXPECT_TRUE(points.contains(id)) << id;
  for (const char* level : {"l1", "l2", "l3"}) {
    EXPECT_TRUE(points.contains("stream/fp64/read-" + std::string(level))) << level;
    EXPECT_TRUE(points.contains("stream/fp64/triad-" + std::string(level))) << level;
  }
}

TEST(Suite, StreamsHaveLevelsAndStores) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"stream","stream":["copy","update"],"dtype":"fp32",
          "level":["l2","dram"],"stores":["best","regular"]}]})",
      "mine.json");
  ASSERT_EQ(suite.points.size(), 8U);
  const auto& first = std::get<Stream>(suite.points.front());
  EXPECT_EQ(first.level, Boundary::l2);
  EXPECT_FALSE(first.write_allocate);
  const auto& last = std::get<Stream>(suite.points.back());
  EXPECT_EQ(last.kind, StreamKind::update);
  EXPECT_EQ(last.level, Boundary::dram);
  EXPECT_TRUE(last.write_allocate);
}

TEST(Suite, LaunchesHavePaths) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"launch","path":["library","graph"]}]})", "mine.json");
  ASSERT_EQ(suite.points.size(), 2U);
  EXPECT_EQ(suite.points[0], Workload{Launch{LaunchPath::library}});
  EXPECT_EQ(suite.points[1], Workload{Launch{LaunchPath::graph}});
}

std::set<std::string> gpu_ids(const Suite& suite) {
  std::set<std::string> out;
  for (const Workload& point : suite.gpu_points) out.insert(point_id(point));
  return out;
}

TEST(Suite, AGpuGetsWhatACpuHasNot) {
  for (const char* name : {"quick", "standard"}) {
    const Suite suite = parse_suite(built_in(name), name);
    const auto gpu = gpu_ids(suite);
    for (const char* id :
         {"transfer/to_device-pinned", "transfer/to_host-pinned", "stream/fp64/read-l2",
          "launch/graph", "launch/event", "matvec/int8-by-bf16-g128/T=1_4096x14336",
          "matvec/int4-by-bf16-g128/T=8_4096x14336", "matvec/bf16/T=1_4096x14336",
          "stream/fp64/read", "gemm/bf16/2048x2048x2048"}) {
      EXPECT_TRUE(gpu.contains(id)) << name << ": " << id;
    }
    for (const std::string& id : ids(suite)) {
      EXPECT_FALSE(id.starts_with("transfer/")) << id;
      EXPECT_NE(id, "launch/graph");
      EXPECT_EQ(id.find("int4"), std::string::npos) << id;
    }
  }
  // A CPU's run takes no longer for it.
  EXPECT_EQ(ids(parse_suite(built_in("quick"), "quick")).size(), 24U);
}

TEST(Suite, EntriesAreForTheDevicesTheyName) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"launch","path":"kernel"},
          {"kind":"launch","path":"graph","devices":"gpu"},
          {"kind":"launch","path":"library","devices":["cpu","gpu"]},
          {"kind":"peak","devices":["cpu"]}]})",
      "mine.json");
  EXPECT_EQ(ids(suite),
            (std::set<std::string>{"launch/kernel", "launch/library", "peak/fp32/registers"}));
  EXPECT_EQ(gpu_ids(suite),
            (std::set<std::string>{"launch/kernel", "launch/graph", "launch/library"}));
  EXPECT_EQ(&suite.points_for(backend::DeviceKind::gpu), &suite.gpu_points);
}

TEST(Suite, TransfersGoBothWaysFromBothKindsOfMemory) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"transfer","direction":["to_device","to_host"],
          "host_memory":["pinned","pageable"],"bytes":4096},{"kind":"transfer"}]})",
      "mine.json");
  ASSERT_EQ(suite.points.size(), 5U);
  EXPECT_EQ(suite.points[3], (Workload{Transfer{.direction = TransferDirection::to_host,
                                                .host_memory = HostMemory::pageable,
                                                .bytes = 4096}}));
  EXPECT_EQ(suite.points[4], Workload{Transfer{}});
}

TEST(Suite, WeightsLieInTheLevelThatIsNamed) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"matvec","rows":1,"shape":"8x8","level":["dram","l2"]}]})",
      "mine.json");
  ASSERT_EQ(suite.points.size(), 2U);
  EXPECT_EQ(std::get<Projection>(suite.points[1]).level, Boundary::l2);
}

TEST(Suite, ListsAreProducts) {
  const Suite suite = parse_suite(
      R"({"name":"x","points":[{"kind":"gemm","dtype":["fp32","bf16"],"shape":["8x8x8","16x16x16"]},
          {"kind":"matvec","weights":"int8","activations":"fp32","rows":[1,2,4],"shape":"64x32"}]})",
      "mine.json");
  EXPECT_EQ(suite.points.size(), 7U);
  const auto& last = std::get<Projection>(suite.points.back());
  EXPECT_EQ(last.rows, 4U);
  EXPECT_EQ(last.weight, DType::int8);
  EXPECT_EQ(last.activation, DType::fp32);
}

TEST(Suite, SamplingIsRead) {
  const Suite suite = parse_suite(
      R"({"name":"x","sampling":{"budget_s":2.5,"min_samples":5},"points":[{"kind":"peak","dtype":"fp32"}]})",
      "mine.json");
  EXPECT_EQ(in_second(suite.plan.budget), 2.5);
  EXPECT_EQ(suite.plan.min_samples, 5U);
}

TEST(Suite, FaultsAreNamedWithTheirPlace) {
  const struct {
    const char* text;
    const char* says;
  } faults[] = {
      {"{", "not valid JSON"},
      {"[]", "must be an object"},
      {R"({"name":"x"})", "'points'"},
      {R"({"name":"x","points":[]})", "'points'"},
      {R"({"name":"x","points":[{"kind":"gem"}]})", "'gem'"},
      {R"({"name":"x","points":[{"kind":"gemm","shape":"8x8"}]})", "points[0]"},
      {R"({"name":"x","points":[{"kind":"gemm","shape":"0x8x8"}]})", "points[0]"},
      {R"({"name":"x","points":[{"kind":"gemm","dtype":"bf17","shape":"8x8x8"}]})", "bf17"},
      {R"({"name":"x","points":[{"kind":"gemm","dtype":"int32","shape":"8x8x8"}]})", "int32"},
      {R"({"name":"x","points":[{"kind":"gemm","shape":"8x8x8","shapes":"9x9x9"}]})", "'shapes'"},
      {R"({"name":"x","points":[{"kind":"gemm","shape":["4294967296x4294967296x4294967296"]}]})",
       "64 bits"},
      {R"({"name":"x","points":[{"kind":"stream","stream":"read","elements":-1}]})", "'elements'"},
      {R"({"name":"x","points":[{"kind":"stream","stream":"read","level":"l4"}]})", "'l4'"},
      {R"({"name":"x","points":[{"kind":"stream","stream":"read","level":"link"}]})", "'link'"},
      {R"({"name":"x","points":[{"kind":"stream","stream":"copy","stores":"nt"}]})", "'nt'"},
      {R"({"name":"x","points":[{"kind":"stream","stream":"quad"}]})", "triad, update"},
      {R"({"name":"x","points":[{"kind":"launch","path":"stream"}]})", "'stream'"},
      {R"({"name":"x","points":[{"kind":"peak","devices":"tpu"}]})", "'tpu'"},
      {R"({"name":"x","points":[{"kind":"transfer","direction":"up"}]})", "'up'"},
      {R"({"name":"x","points":[{"kind":"transfer","host_memory":"paged"}]})", "'paged'"},
      {R"({"name":"x","points":[{"kind":"transfer","bytes":0}]})", "'bytes'"},
      {R"({"name":"x","points":[{"kind":"matvec","rows":1,"shape":"8x8","level":"link"}]})",
       "'link'"},
      {R"({"name":"x","points":[{"kind":"launch"}]})", "'path'"},
      {R"({"name":"x","points":[{"kind":"matvec","rows":0,"shape":"8x8"}]})", "'rows'"},
      {R"({"name":"x","points":[{"kind":"matvec","rows":1.5,"shape":"8x8"}]})", "'rows'"},
      {R"({"name":"x","sampling":{"budget_s":-1},"points":[{"kind":"peak"}]})", "'budget_s'"},
      {R"({"name":"x","sampling":{"budget_s":NaN},"points":[{"kind":"peak"}]})", "not valid JSON"},
      {R"({"name":"x","schema_version":2,"points":[{"kind":"peak"}]})", "schema_version"},
  };
  for (const auto& fault : faults) {
    const std::string said = refusal(fault.text);
    EXPECT_NE(said.find(fault.says), std::string::npos) << fault.text << "\n -> " << said;
    EXPECT_NE(said.find("mine.json"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace roofline::measure
