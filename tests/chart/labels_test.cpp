// Where the words of a picture stand: within it, over no marker, across no line that is not theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "chart/axis.hpp"
#include "chart/charts.hpp"
#include "chart/svg.hpp"
#include "chart/svg_reading.hpp"
#include "chart/svg_text.hpp"
#include "report/json_reader.hpp"
#include "report/sample_reports.hpp"

namespace roofline::chart {
namespace {

/// Where the first plot of a picture is.
Box plot_of(const std::string& svg) {
  const std::string frame = svg.substr(svg.find("<rect class=\"fr\""));
  const double left = number_after(frame, " x=\"");
  const double top = number_after(frame, " y=\"");
  return {left, top, left + number_after(frame, " width=\""),
          top + number_after(frame, " height=\"")};
}

Report kinds() {
  const std::string path = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/reports/kinds.json";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return report::read_report(text, path);
}

/// One panel from 0.1 to 1000 FLOP/byte and from 1 GFLOP/s to 10 TFLOP/s; its slopes of 10 GB/s
/// are its diagonal.
Panel square_panel() {
  return {.x = log_axis("x", report::Unit::flop_per_byte, 0.1, 1000),
          .y = log_axis("y", report::Unit::flop_per_s, 1e9, 1e13)};
}

Line diagonal() {
  return {.path = {{0.1, 1e9}, {1000, 1e13}},
          .roof = true,
          .label = "DRAM read 10.0 GB/s, measured",
          .brief = "DRAM 10.0 GB/s"};
}

Line flat(double y, std::string label = "") {
  return {.path = {{0.1, y}, {1000, y}}, .roof = true, .label = std::move(label)};
}

std::string drawn(Panel panel) {
  Figure figure{.title = "figure"};
  figure.panels.push_back(std::move(panel));
  return to_svg(figure, {.theme = Theme::light});
}

const SvgText* text_starting(const std::vector<SvgText>& texts, const std::string& begin) {
  for (const SvgText& one : texts) {
    if (one.text.starts_with(begin)) return &one;
  }
  return nullptr;
}

double nearest_marker(const std::string& svg, const SvgText& text) {
  double out = 1e9;
  for (const SvgMarker& one : markers_of(svg)) out = std::min(out, text.distance(one.at));
  return out;
}

std::vector<double> geometric(double first, double below, double factor) {
  std::vector<double> out{first};
  while (out.back() * factor < below) out.push_back(out.back() * factor);
  return out;
}

TEST(Labels, OfTheReportOfAllKindsLieOverNoMarker) {
  const Report report = kinds();
  for (const char* kind : {"roofline", "decode"}) {
    const std::string svg = to_svg(find_chart_kind(kind)->build({&report, 1}, {}), {});
    ASSERT_GE(markers_of(svg).size(), 2U);
    for (const SvgText& text : texts_of(svg, "halo"))
      EXPECT_GE(nearest_marker(svg, text), 4) << kind << ": " << text.text;
  }
}

TEST(Labels, EveryPointOfTheReportOfAllKindsHasOne) {
  const Report report = kinds();
  const std::string svg = to_svg(roofline_chart({&report, 1}, {}), {});
  const std::vector<SvgText> texts = texts_of(svg, "halo");
  for (const char* label :
       {"triad", "T=1", "T=8", "1048576 ops 4 fused 1", "1048576 ops 4 fused 4"})
    EXPECT_NE(text_starting(texts, label), nullptr) << label;
}

TEST(Labels, OfASlopeAreBriefWhereMarksLeaveLittleRoom) {
  Panel panel = square_panel();
  panel.lines.push_back(diagonal());
  // 120 pixels apart: less than the label, more than its brief form.
  for (const double x : geometric(0.15, 1000, 3.2))
    panel.marks.push_back({.at = {x, 1e10 * x}, .label = "T=" + std::to_string(x).substr(0, 3)});
  const std::string svg = drawn(panel);
  const std::vector<SvgText> texts = texts_of(svg, "halo");
  const SvgText* const roof = text_starting(texts, "DRAM");
  ASSERT_NE(roof, nullptr);
  EXPECT_EQ(roof->text, "DRAM 10.0 GB/s");
  EXPECT_GE(nearest_marker(svg, *roof), 4);
  for (const Mark& mark : panel.marks)
    EXPECT_NE(text_starting(texts, mark.label), nullptr) << mark.label;
}

TEST(Labels, OfASlopeFullOfMarksStandBeyondThem) {
  Panel panel = square_panel();
  panel.lines.push_back(diagonal());
  for (const double x : geometric(0.11, 1000, 1.1)) panel.marks.push_back({.at = {x, 1e10 * x}});
  const std::string svg = drawn(panel);
  const auto texts = texts_of(svg, "halo");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0].text, "DRAM read 10.0 GB/s, measured");
  EXPECT_GE(nearest_marker(svg, texts[0]), 4);
}

TEST(Labels, WithoutAnyRoomCoverFewMarksAndLieBelowThem) {
  Panel panel = square_panel();
  panel.lines.push_back(diagonal());
  // A cloud along the whole slope, thin in its last part alone.
  for (int step = 0; step < 110; ++step) {
    const double x = 0.11 * std::pow(10, step * 0.036);
    for (int across = -6; across <= 6; ++across) {
      if (x > 20 && (step + across) % 3 != 0) continue;
      panel.marks.push_back({.at = {x, 1e10 * x * std::pow(10, across * 0.075)}});
    }
  }
  const std::string svg = drawn(panel);
  const auto texts = texts_of(svg, "halo");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_LT(nearest_marker(svg, texts[0]), 4) << "there was room: the test tests nothing";
  const Box plot = plot_of(svg);
  EXPECT_GT(texts[0].at.x, plot.left + (plot.right - plot.left) * 0.55) << "where it is thin";
  EXPECT_LT(texts[0].place, markers_of(svg).front().place) << "marks are drawn on top";
}

TEST(Labels, OfAMarkBetweenRoofsAreLedOutOfThem) {
  Panel panel = square_panel();
  // 9 pixels apart: no text fits between.
  const std::vector<double> roofs{0.72e12, 0.85e12, 1e12};
  for (const double y : roofs) panel.lines.push_back(flat(y));
  panel.marks.push_back({.at = {10, 0.85e12}, .label = "512x14336x4096"});
  const std::string svg = drawn(panel);
  const auto texts = texts_of(svg, "halo");
  ASSERT_EQ(texts.size(), 1U);
  const Box plot = plot_of(svg);
  const Box box = texts[0].box();
  for (const double y : roofs) {
    const double height = plot.bottom - (std::log10(y) - 9) / 4 * (plot.bottom - plot.top);
    EXPECT_FALSE(box.top < height && height < box.bottom) << y;
  }
  // A line leads from the mark to its label.
  const std::size_t leader = svg.find("<path class=\"l th h0\" d=\"M");
  ASSERT_NE(leader, std::string::npos);
  const std::string path = svg.substr(leader, svg.find('\n', leader) - leader);
  const Position end{number_after(path, "L"), number_after(path.substr(path.find('L')), " ")};
  EXPECT_LT(texts[0].distance(end), 4);
}

/// A mark among so many lines that no text is clear of them.
Panel ruled_panel() {
  Panel panel = square_panel();
  for (const double y : geometric(1.02e9, 1e13, 1.15))
    panel.lines.push_back({.path = flat(y).path});
  panel.marks.push_back({.at = {10, 1e11}, .label = "gemm bf16"});
  return panel;
}

TEST(Labels, OfSeriesAreNeverOnALine) {
  Panel panel = ruled_panel();
  EXPECT_EQ(texts_of(drawn(panel), "halo").size(), 1U);
  panel.by_series = true;
  EXPECT_EQ(texts_of(drawn(panel), "halo").size(), 0U) << "better none than one that is false";
}

TEST(Labels, InACrowdAreOnNoRoof) {
  Panel panel = ruled_panel();
  for (int i = 0; i < 50; ++i) panel.marks.push_back({.at = {200, 1e10}, .label = "other"});
  EXPECT_EQ(texts_of(drawn(panel), "halo").size(), 0U);
  panel.marks[0].rank = 0;
  EXPECT_EQ(texts_of(drawn(panel), "halo").size(), 1U) << "but for what cannot be";
}

// ---- titles ----

constexpr const char* kLongName =
    "NVIDIA H100 80GB HBM3 MIG 3g.40gb Device of a very long product name that no chart can hold "
    "in a single line (engineering sample, rev. 2)";

Report of_devices(const std::vector<std::string>& names) {
  Report out = test::sample_report();
  out.devices.clear();
  for (std::size_t i = 0; i < names.size(); ++i)
    out.devices.push_back({"cuda:" + std::to_string(i), names[i], {}});
  for (Record& point : out.points) point.device_id = "cuda:0";
  for (RoofEntry& entry : out.roofs) entry.device = "cuda:0";
  return out;
}

TEST(Titles, NoTextLeavesThePicture) {
  const std::string word(300, 'W');
  for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
           {kLongName, kLongName},
           {word, "other " + word},
           {"AMD EPYC 9654 96-Core Processor", "Intel(R) Xeon(R) Platinum 8480+ with Granite Ridge",
            "Ampere Altra Max M128-30 of the third socket"}}) {
    const Report report = of_devices(names);
    for (const ChartKind& kind : chart_kinds()) {
      const std::string svg = to_svg(kind.build({&report, 1}, {}), {});
      EXPECT_LE(texts_of(svg, "t1").size(), 3U);
      for (const SvgText& text : texts_of(svg)) {
        if (text.angle != 0) continue;
        EXPECT_LE(text.box().right, 960) << kind.name << ": " << text.text;
        EXPECT_GE(text.box().left, 0) << kind.name << ": " << text.text;
      }
    }
  }
}

TEST(Titles, PanelsOfDevicesWithLongNamesAreToldApart) {
  const Report report = of_devices({kLongName, kLongName});
  const std::string svg = to_svg(roofline_chart({&report, 1}, {}), {});
  std::vector<std::string> ends;
  for (const SvgText& line : texts_of(svg, "t2")) {
    if (line.text.find("cuda:") != std::string::npos)
      ends.push_back(line.text.substr(line.text.find("cuda:")));
  }
  EXPECT_EQ(ends, (std::vector<std::string>{"cuda:0", "cuda:1"}));
}

TEST(Titles, WhatIsTooLongForItsLinesLosesItsMiddle) {
  const std::string text = std::string(200, 'a') + " " + std::string(200, 'b') + ", cuda:1";
  const TextRoom room{.width = 400, .size = 14, .lines = 2};
  const std::vector<std::string> lines = lines_within(text, room);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("aaaa"));
  EXPECT_TRUE(lines[1].ends_with("bb, cuda:1"));
  for (const std::string& line : lines) EXPECT_LE(text_width(line, 14), 400);
  EXPECT_EQ(lines_within("two words", room), std::vector<std::string>{"two words"});
  EXPECT_TRUE(lines_within("", room).empty());
  // Never half a character.
  std::string greek;
  for (int i = 0; i < 300; ++i) greek += "\xCE\xB1";
  for (const std::string& line : lines_within(greek, room)) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (static_cast<unsigned char>(line[i]) != 0xCEU) continue;
      ASSERT_LT(i + 1, line.size());
      EXPECT_EQ(static_cast<unsigned char>(line[i + 1]), 0xB1U);
    }
  }
}

std::vector<std::string> titles(const std::vector<Report>& reports,
                                const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const Panel& panel : roofline_chart(reports, {.files = files}).panels)
    out.push_back(panel.title);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Titles, RunsOfOneMinuteAreToldApartByTheirFiles) {
  Report report = test::sample_report();
  report.device_id.clear();
  report.device_name = "Toy";
  report.run.started = "2026-11-30T21:31:01Z";
  Report later = report;
  later.run.started = "2026-11-30T21:31:40Z";
  const std::string same = "Toy, 2026-11-30 21:31 UTC";
  const std::vector<Report> two{report, later};
  EXPECT_EQ(titles(two, {"runs/a.json", "runs/slow.json"}),
            (Texts{same + ", a.json", same + ", slow.json"}));
  EXPECT_EQ(titles(two, {"old/r.json", "new/r.json"}),
            (Texts{same + ", old/r.json", same + ", new/r.json"}));
  EXPECT_EQ(titles(two, {"r.json", "-"}), (Texts{same + ", r.json", same + ", report 2"}));
  EXPECT_EQ(titles(two, {"r.json", "r.json"}),
            (Texts{same + ", r.json (report 1)", same + ", r.json (report 2)"}));
  EXPECT_EQ(titles(two, {}), (Texts{same + ", report 1", same + ", report 2"}));
  later.run.started = "2026-11-30T22:05:00Z";
  EXPECT_EQ(titles({report, later}, {"a.json", "b.json"}),
            (Texts{same, "Toy, 2026-11-30 22:05 UTC"}));
}

}  // namespace
}  // namespace roofline::chart
