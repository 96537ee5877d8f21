#include "chart/look.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "chart/axis.hpp"
#include "report/format.hpp"

namespace roofline::chart {
namespace {

/// Hues by number: 1 blue, 2 vermillion, 3 green, 4 orange, 5 sky blue, 6 purple, 7 yellow.
std::optional<Hue> usual_hue(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return kInk;
    case DType::fp32:
      return 1;
    case DType::bf16:
      return 2;
    case DType::fp16:
      return 3;
    case DType::fp8_e4m3:
      return 4;
    case DType::tf32:
      return 5;
    case DType::int8:
      return 6;
    case DType::fp4:
      return 7;
    default:
      return std::nullopt;
  }
}

const Projection* projection(const Record& record) {
  return std::get_if<Projection>(&record.workload);
}

std::string weights_shape(const Projection& w) {
  return std::to_string(w.d_in) + "x" + std::to_string(w.d_out);
}

}  // namespace

TypeHues::TypeHues(std::span<const View> views) {
  std::set<DType> present;
  for (const View& view : views) {
    for (const Record* point : view.points) {
      if (computes(point->workload)) present.insert(compute_dtype(point->workload));
    }
  }
  std::set<Hue> taken;
  for (const DType dtype : present) {
    if (const auto hue = usual_hue(dtype)) {
      hues_[dtype] = *hue;
      taken.insert(*hue);
    }
  }
  for (const DType dtype : present) {
    if (hues_.count(dtype) != 0) continue;
    Hue hue = kHueCount - 1;
    while (hue > kInk && taken.count(hue) != 0) --hue;
    hues_[dtype] = hue;
    taken.insert(hue);
  }
}

Hue TypeHues::of(DType dtype) const {
  const auto found = hues_.find(dtype);
  return found != hues_.end() ? found->second : usual_hue(dtype).value_or(kInk);
}

Shape shape_of(const Workload& workload) {
  constexpr std::array kShapes = {Shape::circle, Shape::triangle, Shape::square, Shape::diamond,
                                  Shape::wedge,  Shape::plus,     Shape::star,   Shape::pentagon};
  static_assert(std::variant_size_v<Workload> == kShapes.size());
  return kShapes[workload.index()];
}

std::string_view family_name(Shape shape) { return kind_names()[static_cast<std::size_t>(shape)]; }

Standing standing_of(const Record& record) {
  if (const auto* measured = std::get_if<Measured>(&record.outcome)) {
    if (record.assessment && record.assessment->impossible) return Standing::impossible;
    if (!trusted(measured->end)) return Standing::disturbed;
    // An empty call is the overhead itself.
    const bool empty = std::holds_alternative<Launch>(record.workload);
    if (!empty && record.assessment && record.assessment->verdict == Verdict::overhead_bound)
      return Standing::overhead_bound;
    return Standing::sound;
  }
  return Standing::attainable;
}

std::string_view standing_text(Standing standing) {
  switch (standing) {
    case Standing::sound:
      return "measured";
    case Standing::overhead_bound:
      return "overhead-bound";
    case Standing::impossible:
      return "impossible: see its causes";
    case Standing::disturbed:
      return "disturbed while measured";
    case Standing::attainable:
      return "attainable, by arithmetic";
  }
  return {};
}

bool has_work(const Record& record) {
  return !record.account.work || record.account.work->value() != 0;
}

std::optional<double> share_of_ceiling(const Record& record) {
  if (!record.roofs.overhead || !record.placement.floor) return std::nullopt;
  const double floor = in_second(*record.placement.floor);
  const double bare = floor - in_second(record.roofs.overhead->time);
  if (!(bare > 0) || !(floor > 0)) return std::nullopt;
  return bare / floor;
}

std::optional<double> rate_of(const Record& record, bool attainable) {
  if (std::holds_alternative<Measured>(record.outcome)) {
    if (!record.assessment || !record.assessment->achieved) return std::nullopt;
    return in_flop_per_s(*record.assessment->achieved);
  }
  if (!attainable || !record.placement.ceiling) return std::nullopt;
  if (const auto share = share_of_ceiling(record))
    return *share * in_flop_per_s(*record.placement.ceiling);
  return in_flop_per_s(*record.placement.ceiling);
}

std::optional<double> bandwidth_of(const Record& record, bool attainable) {
  if (std::holds_alternative<Measured>(record.outcome)) {
    if (!record.assessment || !record.assessment->achieved_bandwidth) return std::nullopt;
    return in_byte_per_s(*record.assessment->achieved_bandwidth);
  }
  if (!attainable || !record.roofs.memory) return std::nullopt;
  return share_of_ceiling(record).value_or(1) * in_byte_per_s(record.roofs.memory->bandwidth);
}

ShortNames::ShortNames(std::span<const View> views) {
  std::set<std::string> shapes;
  for (const View& view : views) {
    for (const Record* point : view.points) {
      const Projection* const w = projection(*point);
      if (w == nullptr) continue;
      shapes.insert(weights_shape(*w));
      stored_types_ = stored_types_ || w->weight.value_or(w->activation) != w->activation;
    }
  }
  if (shapes.size() == 1) weights_ = *shapes.begin();
}

std::string ShortNames::of(const Record& record) const {
  const Projection* const w = projection(record);
  if (w == nullptr) return shape_label(record.workload);
  std::string shape =
      weights_.empty() ? shape_label(record.workload) : "T=" + std::to_string(w->rows);
  if (!stored_types_) return shape;
  return shape + " " + std::string(name(w->weight.value_or(w->activation)));
}

std::string tip_of(const Record& record) {
  std::string out = record.id.empty() ? shape_label(record.workload) : record.id;
  const auto line = [&](const std::string& text) { out += "\n" + text; };
  if (record.placement.intensity && has_work(record))
    line(report::format(*record.placement.intensity));
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  if (has_work(record)) {
    if (const auto rate = rate_of(record, false)) line(report::format(flop_per_s(*rate)));
  } else if (const auto rate = bandwidth_of(record, false)) {
    line(report::format(byte_per_s(*rate)));
  }
  if (measured != nullptr) line(report::format(measured->time_median));
  if (const auto& assessment = record.assessment; assessment && assessment->of_ceiling) {
    std::string text = report::format_percent(*assessment->of_ceiling) + " of its ceiling";
    if (record.placement.ceiling && has_work(record))
      text += " " + report::format(*record.placement.ceiling);
    line(record.defines_roof ? "its own figure is a roof" : text);
  } else if (const auto most = rate_of(record, true);
             measured == nullptr && most && has_work(record)) {
    line("at most " + report::format(flop_per_s(*most)));
  }
  if (record.assessment) {
    std::string verdict(name(record.assessment->verdict));
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    line(verdict);
    if (!record.assessment->causes.empty()) line(record.assessment->causes.front().text);
  } else if (record.placement.bound) {
    line(std::string(name(*record.placement.bound)) + "-bound");
  }
  if (measured != nullptr && !trusted(measured->end))
    line(std::string(name(measured->end)) + ": not of this point alone");
  if (!record.hypotheses.empty()) line("may be: " + record.hypotheses.front().id);
  return out;
}

Mark make_mark(const Record& record, const TypeHues& hues, const ShortNames& names) {
  return {.shape = shape_of(record.workload),
          .hue = computes(record.workload) ? hues.of(compute_dtype(record.workload)) : kInk,
          .standing = standing_of(record),
          .label = names.of(record),
          .tip = tip_of(record),
          .record = &record};
}

void set_interval(Mark& mark, double rate) {
  const auto* const measured =
      mark.record != nullptr ? std::get_if<Measured>(&mark.record->outcome) : nullptr;
  if (measured == nullptr || !measured->time_interval) return;
  const double amount = rate * in_second(measured->time_median);
  const double low = amount / measured->time_interval->high;
  const double high = amount / measured->time_interval->low;
  if (!plottable(low) || !plottable(high) || low > high) return;
  mark.low = low;
  mark.high = high;
}

}  // namespace roofline::chart
