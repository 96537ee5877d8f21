// Texts that are no report: one sentence that names the file and the place, never a crash.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

/// What the reader says; empty when it says nothing.
std::string complaint(const std::string& text) {
  try {
    (void)report::read_report(text, "bad.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void expect_names_file_and(const std::string& said, const std::string& place) {
  EXPECT_EQ(said.rfind("bad.json", 0), 0U) << said;
  EXPECT_NE(said.find(place), std::string::npos) << said << "\n  should name " << place;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

Json sample() {
  static const Json document = Json::parse(report::to_json(test::sample_report()));
  return document;
}

struct Fault {
  friend void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.pointer << " = " << fault.value;
  }

  const char* pointer;
  Json value;
  const char* says;  ///< after the pointer
};

class FaultyValue : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyValue, IsNamedByItsPointer) {
  Json document = sample();
  document[Json::json_pointer(GetParam().pointer)] = GetParam().value;
  expect_names_file_and(complaint(document.dump()),
                        std::string(GetParam().pointer) + " " + GetParam().says);
}

// Point 0 is a peak probe, 2 a stream, 5 a measured GEMM, 9 a skipped one.
INSTANTIATE_TEST_SUITE_P(
    Report, FaultyValue,
    ::testing::Values(
        Fault{"/schema_version", "1", "must be a whole number, not text"},
        Fault{"/schema_version", 0, "is 0"},
        Fault{"/schema_version", 2, "is 2, but this roofline reads up to 1"},
        Fault{"/schema_version", 999, "is 999"},
        Fault{"/schema_version", -1, "must not be negative"},
        Fault{"/schema_version", nullptr, "must not be null"},
        Fault{"/run", Json::array(), "must be an object, not a list"},
        Fault{"/run/duration_s", "48.2 s", "must be a number, not text"},
        Fault{"/run/duration_s", -1, "must not be negative"},
        Fault{"/run/interrupted", 1, "must be true or false, not a number"},
        Fault{"/device", "cpu", "must be an object, not text"},
        Fault{"/environment/isa/0", 1, "must be text, not a number"},
        Fault{"/environment/l3_byte", Json{{"byte", 1}},
              "must be a plain value or a list of texts"},
        Fault{"/points", Json::object(), "must be a list, not an object"},
        Fault{"/points/0", "text", "must be an object"},
        Fault{"/points/0/id", 7, "must be text, not a number"},
        Fault{"/points/0/kind", "gemv", "is 'gemv', not one of gemm, matvec"},
        Fault{"/points/0/workload/dtype", "fp31", "is 'fp31', which is no dtype"},
        Fault{"/points/0/workload/work_flop", 1.5, "must be a whole number"},
        Fault{"/points/0/outcome", "done", "is 'done', not one of measured"},
        Fault{"/points/2/workload/stream", "triade", "is 'triade', not one of read, write"},
        Fault{"/points/5/work_flop", 1e30, "must be a whole number that fits 64 bits"},
        Fault{"/points/5/work_flop", -4, "must not be negative"},
        Fault{"/points/5/work_flop", "17179869184", "must be a whole number, not text"},
        Fault{"/points/5/traffic_byte/total", 1, "is not the sum of by_tensor"},
        Fault{"/points/5/traffic_byte/moved", 1, "is less than total"},
        Fault{"/points/5/traffic_byte/boundary", "hbm", "is 'hbm', not one of dram"},
        Fault{"/points/5/traffic_byte/by_tensor/A/byte", "12", "must be a whole number"},
        Fault{"/points/5/traffic_byte/by_tensor/A/direction", "in", "is 'in', not read or write"},
        Fault{"/points/5/traffic_byte/by_tensor/C",
              Json{{"byte", 18446744073709551615U}, {"direction", "read"}},
              "makes a sum beyond 64 bits"},
        Fault{"/points/5/peak_flop_per_s", 0, "must be greater than 0"},
        Fault{"/points/5/peak_key", nullptr, "must not be null"},
        Fault{"/points/5/bandwidth_byte_per_s", -1.0, "must be greater than 0"},
        Fault{"/points/5/bandwidth_origin", "guess", "is 'guess', not one of datasheet"},
        Fault{"/points/5/bound", "latency", "is 'latency', not one of memory, compute, overhead"},
        Fault{"/points/5/mfu", "74.4 %", "must be a number, not text"},
        Fault{"/points/5/verdict", "good", "is 'good', not one of at_memory_roof"},
        Fault{"/points/5/time_median_s", nullptr, "must not be null"},
        Fault{"/points/5/samples/2/duration_s", -0.1, "must not be negative"},
        Fault{"/points/5/samples/2/iterations", 1.5, "must be a whole number"},
        Fault{"/points/5/verification/state", "ok", "is 'ok', not one of verified"},
        Fault{"/points/5/causes", Json{{"id", "x"}}, "must be a list"},
        Fault{"/roofs/0/kind", "network", "is 'network', not compute, memory or overhead"},
        Fault{"/roofs/0/peak_flop_per_s", "143 GFLOP/s", "must be a number, not text"}));

TEST(Malformed, AMissingKeyIsNamed) {
  for (const char* key : {"schema_version", "run", "device", "points"}) {
    Json document = sample();
    document.erase(key);
    expect_names_file_and(complaint(document.dump()), "/" + std::string(key) + " is missing");
  }
  Json document = sample();
  document["points"][5]["workload"].erase("k");
  expect_names_file_and(complaint(document.dump()), "/points/5/workload/k is missing");
}

TEST(Malformed, TextsThatAreNoJson) {
  const std::pair<std::string, std::string> texts[] = {
      {"", "is empty"},
      {" \n\t", "is empty"},
      {"not json", "line 1, column 2"},
      {"{\"schema_version\": 1,\n \"run\": NaN}", "line 2"},
      {R"({"schema_version": 1, "run": -Infinity})", "line 1"},
      {R"({"schema_version": 1, "run": Infinity})", "line 1"},
      {R"({"schema_version": 1,234})", "line 1"},
      {R"({"schema_version": 0,5})", "line 1"},
      {R"({"schema_version": 1} trailing)", "line 1"},
      {"{'schema_version': 1}", "line 1"},
      {R"({"schema_version": 1e999})", "too large"},
      {"{\"a\": \"\xFF\"}", "line 1"},
      {"[1, 2]", "must be an object"},
      {"null", "must be an object"},
      {"12", "must be an object"},
      {R"("text")", "must be an object"},
      {"{}", "/schema_version is missing"},
  };
  for (const auto& [text, says] : texts) expect_names_file_and(complaint(text), says);
}

TEST(Malformed, ATruncatedReportIsSaidToBeTruncated) {
  const std::string text = report::to_json(test::sample_report());
  for (std::size_t length = 1; length < text.size() - 2; length += 211) {
    const std::string said = complaint(text.substr(0, length));
    ASSERT_EQ(said.rfind("bad.json", 0), 0U) << length;
    // Half a word or number (`tru`, `1.`) is malformed before the end shows.
    const bool truncated = said.find("truncated") != std::string::npos;
    const bool not_json = said.find("not JSON at line") != std::string::npos;
    ASSERT_TRUE(truncated || not_json) << said;
  }
}

TEST(Malformed, DeepNestingCannotExhaustTheStack) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += open;
    expect_names_file_and(complaint(text), "nested more than 64 deep");
  }
}

TEST(Malformed, BracketsWithinTextAreNoNesting) {
  Report report = test::sample_report();
  report.run.command_line = std::string(500, '[') + "\\\"" + std::string(500, '{');
  EXPECT_EQ(complaint(report::to_json(report)), "");
}

TEST(Malformed, LongAndStrangeTextsAreCutShortInTheMessage) {
  Json document = sample();
  document["points"][0]["kind"] = std::string(100000, 'x') + "\n\x1b[31m";
  std::string said = complaint(document.dump());
  EXPECT_LT(said.size(), 400U);
  expect_names_file_and(said, "/points/0/kind");
  document["points"][0]["kind"] = "line\nbreak\x1b[31m";
  said = complaint(document.dump());
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
  expect_names_file_and(said, "'line break [31m'");
}

TEST(Malformed, APointerEscapesItsKeys) {
  Json document = sample();
  document["environment"]["a/b~c"] = Json{{"x", 1}};
  expect_names_file_and(complaint(document.dump()), "/environment/a~1b~0c ");
}

}  // namespace
}  // namespace roofline
