// audit and merge as a person runs them: over reports that the program writes, and over reports
// that somebody edited.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "audited.hpp"
#include "report/json_reader.hpp"
#include "report/misstatements.hpp"
#include "roofline/audit.hpp"
#include "roofline/error.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

TEST(AuditCommand, ReportsOfTheProgramHoldButForWhatIsWrongWithThem) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  struct Case {
    const char* script;
    std::set<std::string> also;  ///< beside that no hardware was measured
  };
  const Case cases[] = {
      {"quiet.script", {}},
      {"decode_at_its_roof.script", {}},
      {"undercounted_bytes.script", {}},
      {"throttling.script", {"untrusted_end", "unsettled", "above_roof"}},
      {"noisy_neighbour.script", {"untrusted_end", "unsettled", "above_roof"}},
      {"power_limited.script", {"above_roof", "unsettled", "untrusted_end"}},
  };
  for (const Case& one : cases) {
    (void)run_script(one.script, file);
    const auto said = audit_json(file);
    EXPECT_EQ(said.status, 0) << one.script << "\n" << said.out;
    for (const std::string& rule : rules_of(said)) {
      EXPECT_TRUE(rule == "simulated" || one.also.contains(rule))
          << one.script << ": " << rule << "\n"
          << said.out;
    }
    EXPECT_TRUE(rules_of(said).contains("simulated")) << one.script;
  }
  // Other families: loads, caches, chains, empty calls.
  const std::vector<std::string> commands[] = {
      {"gemm", "--shape", "512x512x512", "--dtype", "bf16", "--duration", "burst,sustained"},
      {"matvec", "--hot", "--shape", "1024x1024"},
      {"elementwise", "--fused", "1,2"},
      {"launch"}};
  for (const auto& command : commands) {
    (void)run_script("quiet.script", file, command);
    EXPECT_EQ(rules_of(audit_json(file)), std::set<std::string>{"simulated"}) << command[0];
  }
}

/// Keys that nothing else in a report follows from or gives: what was read, asked or said before.
bool is_raw(const std::string& pointer) {
  constexpr std::array kRaw{"/prediction/",        "/hypotheses/",       "/implementation/",
                            "/clock_hz",           "/cpu_share",         "/power_w",
                            "/temperature_c",      "/reported_clock_hz", "/workload/alpha",
                            "/workload/scale_bits"};
  return std::any_of(kRaw.begin(), kRaw.end(),
                     [&](const char* part) { return contains(pointer, part); });
}

void each_number(Json& value, const std::string& pointer,
                 const std::function<void(Json&, const std::string&)>& act) {
  if (value.is_structured()) {
    for (auto& [key, child] : value.items()) each_number(child, pointer + "/" + key, act);
  } else if (value.is_number() && value.get<double>() != 0) {
    act(value, pointer);
  }
}

TEST(AuditCommand, EveryDerivedNumberThatIsEditedIsFound) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  (void)run_script("quiet.script", file,
                   {"matvec", "--shape", "1024x1024", "--rows", "1,64", "--dtype", "bf16"});
  Json report = Json::parse(folder.read("r.json"));
  std::size_t edited = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < report["points"].size(); ++i) {
    each_number(report["points"][i], "/points/" + std::to_string(i),
                [&](Json& value, const std::string& pointer) {
                  if (is_raw(pointer) || contains(pointer, "/samples/")) return;
                  const Json before = value;
                  // A count stays whole; a hundredth more is no rounding.
                  if (before.is_number_integer()) {
                    value = before.get<std::uint64_t>() + before.get<std::uint64_t>() / 100 + 1;
                  } else {
                    value = before.get<double>() * 1.01;
                  }
                  ++edited;
                  try {
                    const Audit found = audit(report::read_report(report.dump(), "edited"));
                    EXPECT_GT(found.count(Severity::error), 0U) << pointer;
                  } catch (const InputError&) {
                    // The reader itself sees that a sum is none.
                  }
                  value = before;
                });
  }
  EXPECT_GT(edited, 100U);
  each_number(report["roofs"], "/roofs", [&](Json& value, const std::string& pointer) {
    if (is_raw(pointer)) return;
    const Json before = value;
    value = before.get<double>() * 1.01;
    const Audit found = audit(report::read_report(report.dump(), "edited"));
    EXPECT_GT(found.count(Severity::error), 0U) << pointer;
    value = before;
  });
}

/// Words and flags of points that were recorded: what was asked, how it went, what was said of it
/// then. Nothing in a report gives them again.
bool is_record(const std::string& pointer) {
  constexpr std::array kRecorded{
      "/id",           "/device/",         "/workload/",        "/convention",  "/hypotheses/",
      "/causes/",      "/prediction/",     "/placement",        "/disturbance", "/end",
      "/verification", "/implementation/", "/thread_placement", "_reason",      "/reason",
      "/peak_key",     "/clock_events"};
  return std::any_of(kRecorded.begin(), kRecorded.end(),
                     [&](const char* part) { return contains(pointer, part); });
}

void each_word(Json& value, const std::string& pointer,
               const std::function<void(Json&, const std::string&)>& act) {
  if (value.is_structured()) {
    for (auto& [key, child] : value.items()) each_word(child, pointer + "/" + key, act);
  } else if (value.is_string() || value.is_boolean()) {
    act(value, pointer);
  }
}

TEST(AuditCommand, EveryWordThatFollowsFromTheRestIsHeldAgainstIt) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  (void)run_script("quiet.script", file,
                   {"matvec", "--shape", "1024x1024", "--rows", "1,64", "--dtype", "bf16"});
  Json report = Json::parse(folder.read("r.json"));
  std::set<std::string> keys;
  for (std::size_t i = 0; i < report["points"].size(); ++i) {
    each_word(report["points"][i], "/points/" + std::to_string(i),
              [&](Json& value, const std::string& pointer) {
                if (is_record(pointer)) return;
                const Json before = value;
                if (value.is_boolean()) {
                  value = !before.get<bool>();
                } else {
                  value = before.get<std::string>() + "x";
                }
                keys.insert(pointer.substr(pointer.rfind('/') + 1));
                try {
                  AsWritten edited;
                  const Report read = report::read_report(report.dump(), "edited", edited);
                  EXPECT_GT(audit(read, edited).count(Severity::error), 0U) << pointer;
                } catch (const InputError&) {
                  // No such word.
                }
                value = before;
              });
  }
  for (const char* key : {"shape", "lever", "peak_source", "bandwidth_source", "overhead_source",
                          "empirical_peak_source", "empirical_peak_point", "accumulate", "clean"})
    EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(AuditCommand, WhatAPointSaysOtherwiseThanItsRestIsNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  (void)run_script("quiet.script", file, {"matvec", "--shape", "1024x1024", "--rows", "1,64"});
  const Json whole = Json::parse(folder.read("r.json"));
  const auto errors = [&](const Json& report) {
    std::vector<std::string> out;
    const Json said = Json::parse(audit_json(folder.write("e.json", report.dump())).out);
    for (const Json& found : said["findings"]) {
      if (found["severity"] != "error") continue;
      out.push_back(found["rule"].get<std::string>() + " " + found["point"].get<std::string>() +
                    " " + found["field"].get<std::string>());
    }
    return out;
  };
  using Errors = std::vector<std::string>;
  const std::string id = whole["points"].back()["id"];
  Json edited = whole;
  edited["points"].back()["shape"] = "T=1 7x7";
  EXPECT_EQ(errors(edited), Errors{"wrong_statement " + id + " shape"});
  // A call through a library is not one of a kernel.
  edited = whole;
  Json& path = edited["points"].back()["overhead_path"];
  path = path == "kernel" ? "library" : "kernel";
  EXPECT_EQ(errors(edited), Errors{"unlisted_roof " + id + " overhead_path"});
  edited = whole;
  edited["points"].back()["prediction"]["ridge_flop_per_byte"] =
      edited["points"].back()["prediction"]["side"] == "memory" ? 1e-3 : 1e6;
  EXPECT_EQ(errors(edited), Errors{"wrong_placement " + id + " prediction.side"});
  // A point that never ran has no time.
  edited = whole;
  Json& failed = edited["points"].back();
  failed["outcome"] = "failed";
  failed["reason"] = "it broke";
  const auto all = errors(edited);
  EXPECT_NE(std::find(all.begin(), all.end(), "wrong_statement " + id + " time_median_s"),
            all.end());
  // Within rounding.
  edited = whole;
  Json& total = edited["points"].back()["intensity_flop_per_byte"];
  total = total.get<double>() * (1 + 1e-9);
  EXPECT_EQ(errors(edited), Errors{});
}

TEST(AuditCommand, KeysOfAnotherVersionAreOnlyMentioned) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  (void)run_script("quiet.script", file, {"launch"});
  Json report = Json::parse(folder.read("r.json"));
  EXPECT_EQ(Json::parse(audit_json(file).out)["unknown_keys"], Json::array());
  for (Json& point : report["points"]) {
    point["colour"] = "blue";
    for (Json& sample : point["samples"]) sample["seen"] = Json{{"by", 1}};
    point.erase("lever");
    point.erase("shape");
  }
  const auto said = audit_json(folder.write("other.json", report.dump()));
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(Json::parse(said.out)["unknown_keys"], (Json{"colour", "samples.seen"}));
  EXPECT_EQ(rules_of(said), std::set<std::string>{"simulated"});
  EXPECT_TRUE(contains(roofline({"audit", folder.path("other.json")}).out,
                       "writes no such key: colour, samples.seen"));
}

TEST(AuditCommand, ARoofThatNoPointUsesIsWorkedOutFromItsProbe) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  const std::string script = folder.write(
      "units.script",
      "name \"Toy\"\nseed 7\nclock 2GHz\npeak fp32 2TFLOP/s\npeak bf16 8TFLOP/s\n"
      "bandwidth dram 200GB/s\npoint peak/* fact.ideal_flop_per_cycle=500 fact.threads=2\n");
  (void)roofline({"gemm", "--backend", "scripted:" + script, "--shape", "512x512x512", "--dtype",
                  "fp32,bf16", "-o", file});
  Json report = Json::parse(folder.read("r.json"));
  std::size_t derived = 0;
  for (Json& roof : report["roofs"]) {
    if (roof["origin"] != "derived" || roof["kind"] != "compute") continue;
    ++derived;
    const Json before = roof["clock_hz"];
    roof["clock_hz"] = 2 * before.get<double>();
    const auto said = audit_json(folder.write("e.json", report.dump()));
    EXPECT_EQ(said.status, 1) << roof;
    EXPECT_TRUE(rules_of(said).contains("wrong_roof")) << roof;
    roof["clock_hz"] = before;
  }
  EXPECT_EQ(derived, 2U);
}

TEST(AuditCommand, AnEditedReportIsStatusOneWithRuleEvidenceAndWayOut) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.json");
  (void)run_script("quiet.script", file, {"gemm", "--shape", "1024x1024x1024", "--dtype", "fp32"});
  Json report = Json::parse(folder.read("r.json"));
  Json& point = report["points"].back();
  ASSERT_EQ(point["kind"], "gemm");
  point["mfu"] = 0.99;
  (void)folder.write("edited.json", report.dump());
  const auto table = roofline({"audit", folder.path("edited.json")});
  EXPECT_EQ(table.status, 1);
  for (const char* part : {"error  wrong_rate", "gemm/fp32/1024x1024x1024: mfu is 0.99",
                           "the report's own figures give", "way out: Divide again", "1 error"}) {
    EXPECT_TRUE(contains(table.out, part)) << part << "\n" << table.out;
  }
  const auto markdown =
      roofline({"audit", "-", "--format", "markdown"}, {.input = folder.read("edited.json")});
  EXPECT_EQ(markdown.status, 1);
  EXPECT_TRUE(contains(markdown.out, "| error | `wrong_rate` | `gemm/fp32/1024x1024x1024` |"))
      << markdown.out;
  const Json json = Json::parse(audit_json(folder.path("edited.json")).out);
  EXPECT_EQ(json.at("errors"), 1);
  EXPECT_EQ(json.at("findings")[0].at("field"), "mfu");
  EXPECT_EQ(json.at("findings")[0].at("stored"), 0.99);
  EXPECT_NEAR(json.at("findings")[0].at("expected").get<double>(),
              Json::parse(folder.read("r.json"))["points"].back()["mfu"].get<double>(), 1e-12);
}

TEST(AuditCommand, RoofsThatAreGoneAreMissed) {
  const TemporaryFolder folder;
  (void)run_script("quiet.script", folder.path("r.json"), {"bandwidth", "--stream", "read"});
  Json report = Json::parse(folder.read("r.json"));
  report["roofs"] = Json::array();
  const auto said = audit_json(folder.write("none.json", report.dump()));
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(rules_of(said).contains("unlisted_roof")) << said.out;
}

TEST(AuditCommand, AFigureBeyondAllBoundsIsNoInfinity) {
  const TemporaryFolder folder;
  (void)run_script("quiet.script", folder.path("r.json"), {"gemm", "--shape", "512x512x512"});
  Json report = Json::parse(folder.read("r.json"));
  report["points"].back()["mfu"] = 1e308;
  const std::string file = folder.write("huge.json", report.dump());
  const auto said = roofline({"audit", file});
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_FALSE(contains(said.out, "inf ") || contains(said.out, "inf)")) << said.out;
}

TEST(AuditCommand, StatusesAreAsDocumented) {
  const TemporaryFolder folder;
  EXPECT_EQ(roofline({"audit", folder.path("none.json")}).status, 4);
  EXPECT_EQ(roofline({"audit", folder.write("bad.json", "{")}).status, 2);
  const std::string file = folder.path("r.json");
  (void)run_script("failing.script", file, {"gemm", "--shape", "64x64x64", "--dtype", "bf16"});
  EXPECT_EQ(roofline({"audit", file, "--format", "xml"}).status, 2);
  Json report = Json::parse(folder.read("r.json"));
  report["points"] = Json::array();
  report["roofs"] = Json::array();
  const auto nothing = roofline({"audit", folder.write("empty.json", report.dump())});
  EXPECT_EQ(nothing.status, 5) << nothing.out;
  EXPECT_TRUE(contains(nothing.err, "no measured point")) << nothing.err;
}

TEST(AuditCommand, ThePageListsEveryRule) {
  std::ifstream file(ROOFLINE_SOURCE_DIR "/docs/audit.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const AuditRule& rule : audit_rules()) {
    const std::string row = "| `" + std::string(rule.id) + "` | " +
                            std::string(name(rule.severity)) + " | " + std::string(rule.symptom);
    EXPECT_TRUE(contains(page, row)) << "docs/audit.md lacks " << row;
  }
}

TEST(MergeCommand, ReportsBecomeOneThatHolds) {
  const TemporaryFolder folder;
  const std::string a = folder.path("a.json");
  const std::string b = folder.path("b.json");
  const std::string all = folder.path("all.json");
  (void)run_script("quiet.script", a, {"gemm", "--shape", "512x512x512", "--dtype", "fp32"});
  (void)run_script("quiet.script", b, {"matvec", "--shape", "1024x1024", "--rows", "1"});
  const auto kept = roofline({"merge", a, b, "--keep", "best", "-o", all});
  ASSERT_EQ(kept.status, 0) << kept.err;
  const std::string text = folder.read("all.json");
  for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
  const Json report = Json::parse(text);
  ASSERT_EQ(report["merged_from"].size(), 2U);
  EXPECT_EQ(report["merged_from"][0]["file"], a);
  EXPECT_TRUE(contains(report["merged_from"][1]["run"]["command_line"], "roofline matvec"));
  EXPECT_TRUE(contains(report["run"]["command_line"], "roofline merge"));
  EXPECT_EQ(report["environment"]["backend"], "scripted");
  EXPECT_EQ(audit_json(all).status, 0) << audit_json(all).out;

  const auto apart = roofline({"merge", "one=" + a, "two=" + b, "-o", all});
  ASSERT_EQ(apart.status, 0) << apart.err;
  EXPECT_EQ(audit_json(all).status, 0) << audit_json(all).out;
  EXPECT_TRUE(contains(roofline({"show", all}).out, "@two")) << roofline({"show", all}).out;

  EXPECT_EQ(roofline({"merge", a, b, "-o", b}).status, 2);
  EXPECT_EQ(roofline({"merge", a, "-o", all}).status, 2);
  EXPECT_EQ(roofline({"merge", a, b, "-o", all, "--keep", "worst"}).status, 2);
  EXPECT_EQ(roofline({"merge", a, folder.path("none.json"), "-o", all}).status, 4);
}

}  // namespace
}  // namespace roofline::test
