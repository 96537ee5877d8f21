// What the program says of a scripted machine: runs it on a script and a few points, reads the
// report and its hypotheses back, and holds every report to what is promised of all. Knows no
// failure mode.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {

/// A script that ships with the tests.
inline std::string shipped(const std::string& name) {
  const std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/scripts/" + name +
                           ".script");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The report of one run of the program on a scripted machine.
class Diagnosed {
 public:
  using json = nlohmann::json;

  /// `points` are entries of a suite, beside those of the roofs.
  Diagnosed(const std::string& machine, const std::string& points) {
    const TemporaryFolder folder;
    const std::string roofs = R"({"kind":"peak","dtype":["fp32","bf16"]},
      {"kind":"stream","stream":["read","copy"]},)";
    const std::string suite =
        folder.write("suite.json", R"({"name":"diagnosed","points":[)" + roofs + points + "]}");
    const std::string script = folder.write("machine.script", machine);
    const Run run = roofline({"run", "--backend", "scripted:" + script, "--suite", suite, "--seed",
                              "5", "-o", folder.path("report.json")});
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string text = folder.read("report.json");
    for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
    report_ = json::parse(text);
    for (const json& point : report_.at("points")) expect_explained(point);
  }

  [[nodiscard]] json point(const std::string& id) const {
    for (const json& entry : report_.at("points")) {
      if (entry.at("id") == id) return entry;
    }
    throw std::runtime_error("no point " + id);
  }
  /// The likeliest hypothesis about a point.
  [[nodiscard]] std::string first(const std::string& id) const {
    return first_of(point(id).at("hypotheses"));
  }
  /// The likeliest finding about the report.
  [[nodiscard]] std::string finding() const { return first_of(report_.at("findings")); }
  [[nodiscard]] std::string evidence() const {
    return report_.at("findings").at(0).at("evidence").get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> all_of(const std::string& id) const {
    return ids(point(id).at("hypotheses"));
  }
  /// Whether any point or the report itself is said to have it.
  [[nodiscard]] bool names(const std::string& mode) const {
    std::vector<std::string> all = ids(report_.at("findings"));
    for (const json& entry : report_.at("points")) {
      const auto more = ids(entry.at("hypotheses"));
      all.insert(all.end(), more.begin(), more.end());
    }
    return std::find(all.begin(), all.end(), mode) != all.end();
  }
  [[nodiscard]] const json& report() const { return report_; }

 private:
  static std::vector<std::string> ids(const json& hypotheses) {
    std::vector<std::string> out;
    for (const json& entry : hypotheses) out.push_back(entry.at("id").get<std::string>());
    return out;
  }
  static std::string first_of(const json& hypotheses) {
    return hypotheses.empty() ? "nothing" : ids(hypotheses).front();
  }
  /// More than 30 % under its ceiling: there is a hypothesis, with a counter that would confirm it.
  static void expect_explained(const json& point) {
    const json& share = point.at("of_ceiling");
    if (share.is_null() || share.get<double>() >= 0.7 || point.at("defines_roof") == true) return;
    EXPECT_FALSE(point.at("hypotheses").empty()) << point.at("id");
    for (const json& one : point.at("hypotheses")) {
      for (const char* key : {"text", "evidence", "counter", "remedy"})
        EXPECT_FALSE(one.at(key).get<std::string>().empty()) << point.at("id") << ' ' << key;
    }
  }

  json report_;
};

}  // namespace roofline::test
