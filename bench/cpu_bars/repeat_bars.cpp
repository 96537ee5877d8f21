// What repeated runs agree in, and that nothing above a roof goes unflagged.
#include <algorithm>
#include <cmath>

#include "bar_parts.hpp"

namespace bars {
namespace {

/// Largest relative distance from the median.
double spread(const std::vector<double>& values) {
  const double middle = median(values);
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value / middle - 1));
  return out;
}

}  // namespace

std::vector<Check> bar16(Lab& lab) {
  std::vector<double> fma;
  std::vector<double> product;
  std::vector<double> read;
  for (int run = 0; run < 20; ++run) {
    const Points points = lab.run(
        R"([{"kind":"peak","dtype":"fp32"},{"kind":"gemm","dtype":"fp32","shape":"1024x1024x1024"},
            {"kind":"stream","stream":"read"}])",
        kOne, {0.3, 9});
    const std::string probe = peak("fp32");
    if (const auto v = ratio(points.flop_per_s(probe), points.clock_hz(probe))) fma.push_back(*v);
    if (const auto v = points.flop_per_s(gemm("fp32", "1024x1024x1024"))) product.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/read")) read.push_back(*v);
  }
  const auto made = [](const std::string& what, const std::vector<double>& values, double most) {
    Check out{what + ", variation over 20 runs", {}, {}, most, "too few quiet runs", false};
    if (values.size() >= 15) {
      out.value = variation(values);
    } else {
      out.contended = true;
    }
    return out;
  };
  return {made("FMA per cycle, one thread", fma, 0.01),
          made("fp32 GEMM, one thread", product, 0.03), made("DRAM read, one thread", read, 0.05)};
}

/// Every figure more than 3 % above its roof is flagged, in a run of everything.
std::vector<Check> bar17(Lab& lab) {
  const Points points = lab.run(
      R"([{"kind":"peak","dtype":["fp64","fp32","bf16","int8"]},
          {"kind":"stream","stream":["read","write","copy","triad"]},
          {"kind":"gemm","dtype":["fp32","bf16","int8"],"shape":["512x512x512","64x64x64"]},
          {"kind":"matvec","weights":["fp32","bf16"],"rows":[1,8],"shape":["256x256","4096x4096"]}])",
      kTwo, {0.5, 9});
  double unflagged = 0;
  bool judged = false;
  for (const Json& point : points.report().at("points")) {
    judged = judged || point.at("of_ceiling").is_number();
    const bool above = point.at("of_ceiling").is_number() && point.at("of_ceiling") > 1.03;
    if (above && point.at("above_roof") != true) ++unflagged;
  }
  // Without a roof nothing can be above one.
  return {
      {"figures above a roof by more than 3 % without a flag", unflagged, {}, 0.0, "", !judged}};
}

std::vector<Check> bar18(Lab& lab) {
  struct Series {
    std::string what;
    std::vector<double> values;
  };
  Series fma{"FMA per cycle, one thread", {}};
  // Operands of 0.8 MB lie in the core's own cache, those of 12 MB in one that others may share.
  Series small{"fp32 GEMM of 256 per cycle, one thread", {}};
  Series product{"fp32 GEMM of 1024 per cycle, one thread", {}};
  Series read{"DRAM read, one thread", {}};
  Series triad{"DRAM triad, one thread", {}};
  for (int run = 0; run < 10; ++run) {
    const Points points = lab.run(
        R"([{"kind":"peak","dtype":"fp32"},
            {"kind":"gemm","dtype":"fp32","shape":["256x256x256","1024x1024x1024"]},
            {"kind":"stream","stream":["read","triad"]}])",
        kOne, {4, 200});
    const std::string probe = peak("fp32");
    const std::string n256 = gemm("fp32", "256x256x256");
    const std::string n1024 = gemm("fp32", "1024x1024x1024");
    for (const auto& [series, id] : {std::pair{&fma, &probe}, {&small, &n256}, {&product, &n1024}})
      if (const auto v = ratio(points.flop_per_s(*id), points.clock_hz(*id)))
        series->values.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/read")) read.values.push_back(*v);
    if (const auto v = points.byte_per_s("stream/fp64/triad")) triad.values.push_back(*v);
  }
  const auto made = [](const Series& series, const char* how,
                       double (*figure)(const std::vector<double>&), double most) {
    Check out{series.what + how, {}, {}, most, "a run was disturbed, and says so", false};
    out.contended = series.values.size() < 10;
    if (series.values.size() > 1) out.value = figure(series.values);
    return out;
  };
  return {made(fma, ", farthest of 10 runs from their median", spread, 0.01),
          made(small, ", farthest of 10 runs from their median", spread, 0.01),
          made(product, ", farthest of 10 runs from their median", spread, 0.02),
          made(read, ", variation over 10 runs", variation, 0.03),
          made(triad, ", variation over 10 runs", variation, 0.03)};
}

}  // namespace bars
