// roofline plot, as a person calls it: reports of scripted machines, and points of arithmetic
// alone.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

constexpr const char* kPlotted = R"(name "Toy"
seed 7
threads 4
clock 2GHz
peak fp32 2TFLOP/s
peak bf16 8TFLOP/s
bandwidth dram 200GB/s
overhead kernel 4us
overhead library 6us
)";

/// A report of a few points, in a folder of its own.
class Plot : public testing::Test {
 protected:
  Plot() {
    const std::string script = folder_.write("machine.script", kPlotted);
    const test::Run run = roofline({"matvec", "--shape", "4096x4096", "--rows", "1,8,64", "--seed",
                                    "5", "--backend", "scripted:" + script, "-o", report()});
    EXPECT_EQ(run.status, 0) << run.err;
  }
  [[nodiscard]] std::string report() const { return folder_.path("r.json"); }
  [[nodiscard]] test::Run plot(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "plot");
    return roofline(arguments);
  }
  void edit(const std::function<void(json&)>& change) const {
    json parsed = json::parse(folder_.read("r.json"));
    change(parsed);
    (void)folder_.write("r.json", parsed.dump());
  }
  TemporaryFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  if (at == std::string::npos) return "missing";
  const std::size_t begin = at + name.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

/// The attributes of the marker of a point.
std::string marker(const std::string& svg, const std::string& id) {
  const std::size_t at = svg.find(" data-id=\"" + id + "\"");
  if (at == std::string::npos) return {};
  return svg.substr(at, svg.find('>', at) - at);
}

TEST_F(Plot, B191_TheDrawnPointsAreThoseOfTheReport) {
  const std::string svg_path = folder_.path("roof.svg");
  const std::string html_path = folder_.path("roof.html");
  ASSERT_EQ(plot({report(), "-o", svg_path}).status, 0);
  ASSERT_EQ(plot({report(), "-o", html_path}).status, 0);
  const std::string svg = folder_.read("roof.svg");
  const std::string html = folder_.read("roof.html");
  const json parsed = json::parse(folder_.read("r.json"));
  const auto number = [](const json& value) {
    return value.is_null() ? std::string() : value.dump();
  };
  std::size_t compared = 0;
  for (const json& point : parsed.at("points")) {
    if (point.at("outcome") != "measured") continue;
    ++compared;
    for (const std::string& drawing : {svg, html}) {
      const std::string element = marker(drawing, point.at("id"));
      ASSERT_FALSE(element.empty()) << point.at("id");
      EXPECT_EQ(attribute(element, "data-class"), point.at("verdict"));
      const auto same = [&](const char* drawn, const char* key) {
        const std::string text = attribute(element, drawn);
        if (point.at(key).is_null()) {
          EXPECT_EQ(text, "") << point.at("id") << key;
        } else {
          EXPECT_EQ(json::parse(text).get<double>(), point.at(key).get<double>())
              << point.at("id") << key << number(point.at(key));
        }
      };
      same("data-intensity", "intensity_flop_per_byte");
      same("data-achieved", "achieved_flop_per_s");
      same("data-roof", "ceiling_flop_per_s");
    }
  }
  EXPECT_GE(compared, 4U);
  // The page also has the report itself.
  const std::string opening = "<script type=\"application/json\" id=\"report-0\">";
  const std::size_t begin = html.find(opening) + opening.size();
  EXPECT_EQ(json::parse(html.substr(begin, html.find("</script>", begin) - begin)), parsed);
}

TEST_F(Plot, B192_NamesWithMarkupAreDrawnWithoutAnythingElse) {
  edit([](json& report) {
    for (json& point : report.at("points")) {
      if (point.at("kind") == "matvec") point["id"] = "kernel<32>(a && b, \"c\")";
    }
  });
  // An empty environment: no display, no fonts' configuration, no locale, no PATH.
  const test::Run run = run_program(
      "/usr/bin/env", {"-i", roofline_path(), "plot", report(), "-o", folder_.path("roof.svg")});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string svg = folder_.read("roof.svg");
  EXPECT_TRUE(has(svg, "kernel&lt;32&gt;(a &amp;&amp; b, &quot;c&quot;)"));
  EXPECT_FALSE(has(svg, "kernel<32>"));
}

TEST_F(Plot, B195_AnUnknownPeakIsSaidAndNotDrawn) {
  edit([](json& report) {
    for (json& roof : report.at("roofs")) EXPECT_EQ(roof.at("origin"), "measured");
  });
  const test::Run run = plot({report()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(has(run.out, "Theoretical roof unknown")) << run.out;
  EXPECT_TRUE(has(run.out, "DRAM read 200 GB/s, measured")) << run.out;
  EXPECT_TRUE(has(run.out, "T=64")) << run.out;
}

TEST_F(Plot, B189_EachTypeHasItsOwnRoof) {
  const test::Run fp32 =
      plot({"--device", "h100-80gb-sxm", "--dtype", "fp32", "--intensity", "30"});
  EXPECT_TRUE(has(fp32.out, "ridge fp32 20.0")) << fp32.out << fp32.err;
  const test::Run fp64 =
      plot({"--device", "h100-80gb-sxm", "--dtype", "fp64", "--intensity", "15"});
  EXPECT_TRUE(has(fp64.out, "ridge fp64 9.99")) << fp64.out;
  const test::Run both =
      plot({"--device", "h100-80gb-sxm", "--dtype", "fp32,bf16", "--intensity", "30"});
  EXPECT_TRUE(has(both.out, "ridge bf16 295")) << both.out;
  EXPECT_TRUE(has(both.out, "ridge fp32 20.0")) << both.out;
}

TEST_F(Plot, FormatsFollowTheEndingOrTheOption) {
  EXPECT_TRUE(has(plot({report(), "--format", "svg"}).out, "<svg "));
  EXPECT_TRUE(has(plot({report(), "--format", "html"}).out, "<!DOCTYPE html>"));
  EXPECT_TRUE(has(plot({report(), "--ascii"}).out, "1 TFLOP/s +"));
  ASSERT_EQ(plot({report(), "-o", folder_.path("a.txt")}).status, 0);
  EXPECT_EQ(folder_.read("a.txt"), plot({report()}).out);
  EXPECT_EQ(plot({report(), "-o", folder_.path("a.png")}).status, 2);
  EXPECT_EQ(plot({report(), "--format", "pdf"}).status, 2);
  EXPECT_EQ(plot({report(), "--kind", "pie"}).status, 2);
  EXPECT_EQ(plot({report(), "--theme", "pink"}).status, 2);
  EXPECT_EQ(plot({report(), "--axis", "depth", "--kind", "sweep"}).status, 2);
}

TEST_F(Plot, EveryKindIsDrawnAndAlwaysTheSame) {
  for (const char* kind : {"roofline", "bandwidth", "sweep", "decode", "gap"}) {
    for (const char* format : {"svg", "html", "text"}) {
      const test::Run run = plot({report(), "--kind", kind, "--format", format});
      EXPECT_EQ(run.status, 0) << kind << format << run.err;
      EXPECT_EQ(run.out, plot({report(), "--kind", kind, "--format", format}).out);
    }
  }
  const test::Run german =
      run_program(roofline_path(), {"plot", report(), "--format", "svg"},
                  {.environment = {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}}});
  EXPECT_EQ(german.out, plot({report(), "--format", "svg"}).out);
}

TEST_F(Plot, NoReportIsOverwritten) {
  const std::string before = folder_.read("r.json");
  const test::Run run = plot({report(), "--format", "svg", "-o", report()});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(has(run.err, "would be lost")) << run.err;
  // By another name of the same file.
  EXPECT_EQ(plot({report(), "--format", "svg", "-o", folder_.path("./r.json")}).status, 2);
  EXPECT_EQ(folder_.read("r.json"), before);
}

TEST_F(Plot, WhatIsMissingIsNamed) {
  EXPECT_EQ(plot({}).status, 2);
  EXPECT_TRUE(has(plot({}).err, "give a report"));
  EXPECT_EQ(plot({folder_.path("none.json")}).status, 4);
  EXPECT_EQ(plot({report(), "--gemm", "64x64x64"}).status, 2);
  EXPECT_EQ(plot({"--gemm", "64x64x64"}).status, 2) << "no roof is given";
  EXPECT_EQ(plot({"--device", "a100-80gb-sxm", "--gemm", "64x64x64", "--dtype", "fp8"}).status, 3);
  EXPECT_EQ(plot({"--device", "a100-80gb-sxm", "--matvec", "64x64:"}).status, 2);
}

TEST_F(Plot, AnOptionWithoutEffectIsRefused) {
  EXPECT_EQ(plot({report(), "--axis", "m"}).status, 2);
  EXPECT_EQ(plot({report(), "--device", "a100-80gb-sxm"}).status, 2);
  EXPECT_EQ(plot({report(), "--dtype", "bf16"}).status, 2);
  EXPECT_EQ(plot({report(), "--ascii", "--format", "svg"}).status, 2);
  EXPECT_EQ(plot({"--device", "a100-80gb-sxm", "--gemm", "64x64x64", "--weights", "int8"}).status,
            2);
}

TEST_F(Plot, AClockOrAThemeWithoutEffectIsRefused) {
  const std::vector<std::string> operation = {"--device", "a100-80gb-sxm", "--gemm", "64x64x64"};
  for (const std::vector<std::string>& idle :
       {std::vector<std::string>{"--clock", "1GHz"}, {"--theme", "dark"}}) {
    std::vector<std::string> call = operation;
    call.insert(call.end(), idle.begin(), idle.end());
    const test::Run run = plot(call);
    EXPECT_EQ(run.status, 2) << idle[0];
    EXPECT_NE(run.err.find(idle[0]), std::string::npos) << run.err;
  }
}

TEST_F(Plot, OperationsNeedNoReport) {
  const test::Run run = plot({"--device", "a100-80gb-sxm,h100-80gb-sxm", "--gemm", "4096x4096x4096",
                              "--matvec", "4096x14336:1:64:x2", "--format", "svg"});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* id :
       {"gemm/bf16/4096x4096x4096", "matvec/bf16/T=1_4096x14336", "matvec/bf16/T=64_4096x14336"})
    EXPECT_TRUE(has(run.out, std::string("data-id=\"") + id + "\"")) << id;
  EXPECT_TRUE(has(run.out, "bf16 312 TFLOP/s, datasheet"));
  EXPECT_TRUE(has(run.out, "bf16 989 TFLOP/s, datasheet"));
  EXPECT_EQ(attribute(marker(run.out, "gemm/bf16/4096x4096x4096"), "data-roof"), "3.12e+14");
}

TEST_F(Plot, AChartWithoutAPointSaysSo) {
  EXPECT_EQ(plot({report(), "-o", folder_.path("full.svg")}).err, "");
  edit([](json& r) {
    for (json& point : r["points"]) {
      point["outcome"] = "skipped";
      point["reason"] = "not here";
      for (const char* key : {"samples", "median_s", "achieved_flop_per_s"}) point.erase(key);
    }
  });
  const test::Run run = plot({report(), "-o", folder_.path("empty.svg")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(has(run.err, "no point has a place in a chart of kind roofline")) << run.err;
}

TEST_F(Plot, ReportsOfOneMinuteAreToldApartByTheirFiles) {
  const std::string other = folder_.write("slow.json", folder_.read("r.json"));
  const test::Run run = plot({report(), other, "--format", "svg"});
  EXPECT_TRUE(has(run.out, " UTC, r.json</text>")) << run.err;
  EXPECT_TRUE(has(run.out, " UTC, slow.json</text>"));
}

TEST_F(Plot, AFilterChoosesWhatIsDrawn) {
  const test::Run run = plot({report(), "--filter", "kind=matvec", "--format", "svg"});
  EXPECT_TRUE(has(run.out, "data-id=\"matvec/"));
  EXPECT_FALSE(has(run.out, "data-id=\"stream/"));
}

}  // namespace
}  // namespace roofline::test
