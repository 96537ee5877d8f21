// Boards that keep one number a name: github-action-benchmark and Bencher.
#include <fmt/format.h>

#include "report/export.hpp"
#include "report/format.hpp"
#include "report/json_out.hpp"

namespace roofline::report {
namespace {

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
std::string extra_of(const Record& record, Unit unit) {
  std::string out;
  const auto line = [&](std::string_view key, std::string_view words) {
    const Column* const column = find_column(key);
    const Cell cell = column->get(record);
    if (std::holds_alternative<std::monostate>(cell)) return;
    out += (out.empty() ? "" : "\n") + std::string(words) + " " + format(cell, column->unit);
  };
  if (record.account.work && record.account.work->value() != 0) {
    line("intensity_flop_per_byte", "intensity");
    line(unit == Unit::byte_per_s ? "bandwidth_byte_per_s" : "ceiling_flop_per_s", "ceiling");
  }
  if (!record.defines_roof) line("of_ceiling", "of ceiling");
  if (!record.account.work || record.account.work->value() != 0) line("mfu", "MFU");
  line("bound", "side");
  line("noise", "noise");
  line("end", "ended");
  if (is_unverified(record)) out += (out.empty() ? "" : "\n") + std::string("unverified");
  return out;
}

std::string_view bencher_measure(std::string_view key) {
  if (key == "time_median_s") return "latency";  // built in, in nanoseconds
  if (key == "achieved_flop_per_s") return "gflops";
  if (key == "achieved_byte_per_s") return "bandwidth-gbps";
  if (key == "of_ceiling") return "percent-of-ceiling";
  return "mfu-percent";
}

void put_github_entry(JsonOut& out, const Series& series, const Figure& figure) {
  const BoardUnit unit = board_unit(figure.unit);
  out.open_object();
  out.put("name", series.name + "/" + std::string(measure_name(figure.unit)));
  out.put("unit", unit.name);
  out.put("value", figure.value * unit.factor);
  if (figure.low && figure.high) {
    const double half = (*figure.high - *figure.low) / 2 * unit.factor;
    out.put("range", "± " + format_number(half));
  }
  if (const std::string extra = extra_of(*series.record, figure.unit); !extra.empty())
    out.put("extra", extra);
  out.close();
}

/// A rate or the time, whichever is wanted; nothing where there is none.
const Figure* figure_for(const Series& series, Better direction) {
  for (const Figure& figure : series.figures) {
    const bool rate = figure.unit == Unit::flop_per_s || figure.unit == Unit::byte_per_s;
    if (direction == Better::bigger ? rate : figure.unit == Unit::second) return &figure;
  }
  return nullptr;
}

void put_bencher_measures(JsonOut& out, const Series& series) {
  out.open_object(series.name);
  for (const Figure& figure : series.figures) {
    const double factor = figure.unit == Unit::second ? 1e9 : board_unit(figure.unit).factor;
    out.open_object(bencher_measure(figure.key));
    out.put("value", figure.value * factor);
    if (figure.low && figure.high) {
      out.put("lower_value", *figure.low * factor);
      out.put("upper_value", *figure.high * factor);
    }
    out.close();
  }
  out.close();
}

/// The text of a list or object of many parts, of which JsonOut has one at a time.
class Parts {
 public:
  explicit Parts(bool list) : list_(list), text_(list ? "[" : "{") {}

  /// `put` puts down one more.
  template <class Put>
  void add(Put put) {
    part_.clear();
    if (list_) {
      part_.open_list();
    } else {
      part_.open_object();
    }
    put(part_);
    part_.close();
    std::string alone;
    part_.append_text(alone);
    // As it stands in the whole: between the first line, of a bracket, and the last.
    constexpr std::size_t kBracket = std::string_view("[\n").size();
    text_ += empty() ? "\n" : ",\n";
    text_.append(alone, kBracket, alone.size() - 2 * kBracket);
  }

  [[nodiscard]] bool empty() const { return text_.size() == 1; }

  [[nodiscard]] std::string take() {
    if (!empty()) text_ += '\n';
    text_ += list_ ? "]\n" : "}\n";
    return std::move(text_);
  }

 private:
  bool list_;
  JsonOut part_;
  std::string text_;
};

constexpr std::size_t kBencherName = 1024;

}  // namespace

Exported to_github_benchmark(const Report& report, const ExportOptions& options) {
  AllSeries all = series_of(report);
  Exported out{{}, std::move(all.left_out)};
  Parts entries(true);
  for (const Series& series : all.fit) {
    if (const Figure* const figure = figure_for(series, options.direction)) {
      entries.add([&](JsonOut& to) { put_github_entry(to, series, *figure); });
    } else {
      out.left_out.push_back({series.name, series.record, series.device,
                              "it has a time and no rate; its direction is smaller"});
    }
  }
  out.refused_as_empty = entries.empty();
  out.text = entries.take();
  return out;
}

Exported to_bencher(const Report& report, const ExportOptions&) {
  AllSeries all = series_of(report);
  Exported out{{}, std::move(all.left_out)};
  Parts names(false);
  for (const Series& series : all.fit) {
    if (series.name.size() <= kBencherName) {
      names.add([&](JsonOut& to) { put_bencher_measures(to, series); });
    } else {
      out.left_out.push_back({series.name, series.record, series.device,
                              "its name is longer than the 1024 characters of a benchmark"});
    }
  }
  out.text = names.take();
  return out;
}

}  // namespace roofline::report
