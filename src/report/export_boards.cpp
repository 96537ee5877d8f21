// Boards that keep one number a name: github-action-benchmark and Bencher.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/export.hpp"
#include "report/format.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

/// A unit that never changes with the value: a board compares bare numbers.
struct BoardUnit {
  std::string_view name;
  double factor = 1;  ///< of the board's number to the base SI unit
};
BoardUnit board_unit(Unit unit) {
  switch (unit) {
    case Unit::flop_per_s:
      return {"GFLOP/s", 1e-9};
    case Unit::byte_per_s:
      return {"GB/s", 1e-9};
    case Unit::second:
      return {"us", 1e6};
    case Unit::share:
      return {"%", 100};
    default:
      return {symbol(unit), 1};
  }
}

std::string_view measure_name(Unit unit) {
  return unit == Unit::second ? "time" : unit == Unit::byte_per_s ? "bandwidth" : "achieved";
}

/// What a reader of the board would ask next.
std::string extra_of(const Record& record) {
  std::string out;
  const auto line = [&](std::string_view key, std::string_view words) {
    const Column* const column = find_column(key);
    const Cell cell = column->get(record);
    if (std::holds_alternative<std::monostate>(cell)) return;
    out += (out.empty() ? "" : "\n") + std::string(words) + " " + format(cell, column->unit);
  };
  if (record.account.work && record.account.work->value() != 0) {
    line("intensity_flop_per_byte", "intensity");
    line("ceiling_flop_per_s", "ceiling");
  }
  if (!record.defines_roof) line("of_ceiling", "of ceiling");
  line("mfu", "MFU");
  line("bound", "side");
  line("noise", "noise");
  line("end", "ended");
  return out;
}

Json github_entry(const Series& series, const Figure& figure) {
  const BoardUnit unit = board_unit(figure.unit);
  Json out{{"name", series.name + "/" + std::string(measure_name(figure.unit))},
           {"unit", unit.name},
           {"value", figure.value * unit.factor}};
  if (figure.low && figure.high) {
    const double half = (*figure.high - *figure.low) / 2 * unit.factor;
    out["range"] = "± " + format_number(half);
  }
  if (std::string extra = extra_of(*series.record); !extra.empty()) out["extra"] = extra;
  return out;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string_view bencher_measure(std::string_view key) {
  if (key == "time_median_s") return "latency";  // built in, in nanoseconds
  if (key == "achieved_flop_per_s") return "gflops";
  if (key == "achieved_byte_per_s") return "bandwidth-gbps";
  if (key == "of_ceiling") return "percent-of-ceiling";
  return "mfu-percent";
}

constexpr std::size_t kBencherName = 1024;

}  // namespace

Exported to_github_benchmark(const Report& report, const ExportOptions& options) {
  AllSeries all = series_of(report);
  Exported out{{}, std::move(all.left_out)};
  Json entries = Json::array();
  for (const Series& series : all.fit) {
    const Figure* chosen = nullptr;
    for (const Figure& figure : series.figures) {
      const bool rate = figure.unit == Unit::flop_per_s || figure.unit == Unit::byte_per_s;
      const bool wanted = options.direction == Better::bigger ? rate : figure.unit == Unit::second;
      if (wanted && chosen == nullptr) chosen = &figure;
    }
    if (chosen != nullptr) {
      entries.push_back(github_entry(series, *chosen));
    } else {
      out.left_out.push_back({series.name, series.record, series.device,
                              "it has a time and no rate; its direction is smaller"});
    }
  }
  out.text = text_of(entries);
  return out;
}

Exported to_bencher(const Report& report, const ExportOptions&) {
  AllSeries all = series_of(report);
  Exported out{{}, std::move(all.left_out)};
  Json names = Json::object();
  for (const Series& series : all.fit) {
    if (series.name.size() > kBencherName) {
      out.left_out.push_back({series.name, series.record, series.device,
                              "its name is longer than the 1024 characters of a benchmark"});
      continue;
    }
    Json& measures = names[series.name];
    for (const Figure& figure : series.figures) {
      const double factor = figure.unit == Unit::second ? 1e9 : board_unit(figure.unit).factor;
      Json& measure = measures[std::string(bencher_measure(figure.key))];
      measure["value"] = figure.value * factor;
      if (figure.low && figure.high) {
        measure["lower_value"] = *figure.low * factor;
        measure["upper_value"] = *figure.high * factor;
      }
    }
  }
  out.text = text_of(names);
  return out;
}

}  // namespace roofline::report
