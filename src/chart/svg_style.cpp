#include "chart/svg_style.hpp"

#include <array>
#include <string_view>

namespace roofline::chart {
namespace {

struct Tone {
  std::string_view fill;
  std::string_view line;
  std::string_view text;
};

struct Palette {
  std::string_view paper;
  std::string_view ink;
  std::string_view faded;  ///< of texts that are read second
  std::string_view frame;
  std::string_view grid;
  std::string_view fine_grid;
  std::string_view warning;
  std::array<Tone, kHueCount> tones;
  std::array<std::string_view, kPartCount> parts;
};

constexpr Palette kLight = {"#ffffff",
                            "#1c1f23",
                            "#59606a",
                            "#8c939c",
                            "#d5d9de",
                            "#eceef1",
                            "#b3261e",
                            {{{"#4a5058", "#3a3f46", "#33383e"},
                              {"#0072b2", "#00659e", "#00588a"},
                              {"#d55e00", "#bd5300", "#a34800"},
                              {"#009e73", "#008460", "#006e50"},
                              {"#e69f00", "#b87e00", "#8a5e00"},
                              {"#56b4e9", "#2b8cc4", "#1b6f9f"},
                              {"#cc79a7", "#b0588b", "#94406f"},
                              {"#f0e442", "#a19600", "#6f6700"}}},
                            {"#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#d55e00"}};

constexpr Palette kDark = {"#14171b",
                           "#e8eaed",
                           "#a7aeb7",
                           "#737b85",
                           "#343a42",
                           "#23272d",
                           "#ff8a80",
                           {{{"#c9ced4", "#c9ced4", "#d6dade"},
                             {"#3d92d9", "#3d92d9", "#74b6ee"},
                             {"#f07a2e", "#f07a2e", "#ff9a57"},
                             {"#1fb98b", "#1fb98b", "#4fd6ae"},
                             {"#f0ae32", "#f0ae32", "#f6c567"},
                             {"#93d4ff", "#93d4ff", "#a9ddff"},
                             {"#e09cc2", "#e09cc2", "#ecb6d4"},
                             {"#f4eb6a", "#f4eb6a", "#f7f08f"}}},
                           {"#1fb98b", "#f0ae32", "#e09cc2", "#5fb8ee", "#f07a2e"}};

std::string rule(std::string_view selectors, std::string_view property, std::string_view value) {
  return std::string(selectors) + "{" + std::string(property) + ":" + std::string(value) + "}";
}

std::string colours(const Palette& p) {
  std::string out;
  out += rule(".rf .bg", "fill", p.paper);
  out += rule(".rf text", "fill", p.ink);
  out += rule(".rf .u", "fill", p.faded);
  out += rule(".rf .w", "fill", p.warning);
  out += rule(".rf .fr", "stroke", p.frame);
  out += rule(".rf .g", "stroke", p.grid);
  out += rule(".rf .g2", "stroke", p.fine_grid);
  out += rule(".rf .no", "stroke", p.warning);
  out += rule(".rf .halo", "stroke", p.paper);
  for (std::size_t i = 0; i < p.tones.size(); ++i) {
    const std::string hue = ".h" + std::to_string(i);
    out += rule(".rf .k" + hue, "fill", p.tones[i].fill);
    out += rule(".rf .k" + hue + ",.rf .l" + hue, "stroke", p.tones[i].line);
    out += rule(".rf text" + hue, "fill", p.tones[i].text);
  }
  out += rule(".rf .k.o", "fill", p.paper);
  out += rule(".rf .band", "fill", p.ink);
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    out += rule(".rf .p" + std::to_string(i), "fill", p.parts[i]);
  }
  return out + "\n";
}

constexpr std::string_view kForms =
    ".rf text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',"
    "sans-serif}"
    ".rf .m{text-anchor:middle}.rf .e{text-anchor:end}"
    ".rf .t1{font-size:18px;font-weight:600}.rf .t2{font-size:14px;font-weight:600}"
    ".rf .t3{font-size:12px}.rf .b{font-weight:600}"
    ".rf .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}"
    ".rf path,.rf .fr{fill:none}"
    ".rf .g,.rf .g2,.rf .fr{stroke-width:1}"
    ".rf .k{stroke-width:1}.rf .k.o{stroke-width:1.8}.rf .k.a{fill-opacity:.3;stroke-width:1.5}"
    ".rf .k.d{opacity:.4}"
    ".rf .l{stroke-width:1.8}.rf .da{stroke-dasharray:7 4;stroke-width:1.5}"
    ".rf .do{stroke-dasharray:1.5 3;stroke-width:1}.rf .th{stroke-width:1}"
    ".rf .no{stroke-width:2}"
    ".rf .band{fill-opacity:.1;stroke:none}\n";

}  // namespace

std::string style_sheet(Theme theme) {
  std::string out(kForms);
  out += colours(theme == Theme::dark ? kDark : kLight);
  if (theme == Theme::automatic) {
    out += "@media (prefers-color-scheme:dark){\n" + colours(kDark) + "}\n";
  }
  return out;
}

}  // namespace roofline::chart
