// Prometheus and OpenMetrics: a gauge for each figure, the point in its labels.
#include <array>
#include <charconv>
#include <utility>

#include "report/export.hpp"

namespace roofline::report {
namespace {

enum class Dialect { prometheus, openmetrics };

struct Metric {
  std::string_view name;
  std::string_view unit;  ///< the end of its name; OpenMetrics names it
  std::string_view help;
};

/// By the keys of figures. Base units, as both ask for; a share is a ratio.
struct MetricRow {
  std::string_view key;
  Metric metric;
};
constexpr MetricRow kMetrics[] = {
    {"time_median_s", {"roofline_time_seconds", "seconds", "Median time of one call."}},
    {"achieved_flop_per_s",
     {"roofline_achieved_flops_per_second", "flops_per_second", "Work / time; an FMA is 2."}},
    {"achieved_byte_per_s",
     {"roofline_achieved_bytes_per_second", "bytes_per_second", "Counted traffic / time."}},
    {"of_ceiling",
     {"roofline_of_ceiling_ratio", "ratio", "Achieved / ceiling of the point's own roofs."}},
    {"mfu", {"roofline_mfu_ratio", "ratio", "Achieved FLOP/s / dense peak of the point's type."}},
};

std::string label_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string number(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string label(std::string_view key, std::string_view value) {
  return std::string(key) + "=\"" + label_escaped(value) + "\"";
}

std::string labels_of(const Record& record, const std::string& device) {
  return "{" + label("device", device) + "," + label("point", record.id) + "," +
         label("kind", kind_name(record.workload)) + "," +
         label("dtype", name(compute_dtype(record.workload))) + "}";
}

std::string heading(const Metric& metric, Dialect dialect) {
  const std::string name(metric.name);
  std::string out;
  if (dialect == Dialect::prometheus) {
    out += "# HELP " + name + " " + std::string(metric.help) + "\n";
  }
  out += "# TYPE " + name + " gauge\n";
  if (dialect == Dialect::openmetrics) {
    if (!metric.unit.empty()) out += "# UNIT " + name + " " + std::string(metric.unit) + "\n";
    out += "# HELP " + name + " " + std::string(metric.help) + "\n";
  }
  return out;
}

constexpr Metric kFit = {"roofline_point_fit", "",
                         "1 where the point has a figure to compare; 0 where it was skipped, "
                         "failed, is wrong, impossible or spoilt."};
constexpr Metric kVerified = {"roofline_point_verified", "",
                              "1 where the result of a point that is fit was found right; 0 where "
                              "nobody has looked."};
constexpr Metric kInfo = {"roofline_report_details", "",
                          "The report that the figures are of; always 1."};

/// Beside the labels: a name, a number and what stands between them.
constexpr std::size_t kLongestLine = 64;

Exported metrics(const Report& report, Dialect dialect) {
  AllSeries all = series_of(report);
  std::string out = heading(kInfo, dialect) + std::string(kInfo.name) + "{" +
                    label("version", report.tool_version) + "," + label("suite", report.run.suite) +
                    "," + label("run", report.run.id) + "," + label("end", name(report.run.end)) +
                    "} 1\n";
  out += heading(kFit, dialect);
  std::vector<std::string> labels;
  labels.reserve(all.fit.size());
  std::size_t lines = out.size();
  for (const Series& series : all.fit) {
    labels.push_back(labels_of(*series.record, series.device));
    lines += (2 + series.figures.size()) * (labels.back().size() + kLongestLine);
  }
  // A text that grows is there twice while it moves; what is reserved and not written costs
  // nothing.
  out.reserve(lines);
  for (const std::string& one : labels) out.append(kFit.name).append(one).append(" 1\n");
  for (const LeftOut& left : all.left_out) {
    if (left.named_twice) continue;
    out += std::string(kFit.name) + labels_of(*left.record, left.device) + " 0\n";
  }
  out += heading(kVerified, dialect);
  for (std::size_t i = 0; i < all.fit.size(); ++i) {
    out.append(kVerified.name).append(labels[i]);
    out.append(is_unverified(*all.fit[i].record) ? " 0\n" : " 1\n");
  }
  for (const MetricRow& row : kMetrics) {
    bool begun = false;
    for (std::size_t i = 0; i < all.fit.size(); ++i) {
      for (const Figure& figure : all.fit[i].figures) {
        if (figure.key != row.key) continue;
        if (!std::exchange(begun, true)) out += heading(row.metric, dialect);
        out.append(row.metric.name).append(labels[i]).append(" ");
        out.append(number(figure.value)).append("\n");
      }
    }
  }
  if (dialect == Dialect::openmetrics) out += "# EOF\n";
  return {std::move(out), std::move(all.left_out)};
}

}  // namespace

Exported to_prometheus(const Report& report, const ExportOptions&) {
  return metrics(report, Dialect::prometheus);
}
Exported to_openmetrics(const Report& report, const ExportOptions&) {
  return metrics(report, Dialect::openmetrics);
}

}  // namespace roofline::report
