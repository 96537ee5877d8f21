#include "report/columns.hpp"

#include "report/unknown.hpp"
#include "report/vocabulary.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::report {
namespace {

template <int F, int B, int S>
Cell cell(Quantity<F, B, S> value) {
  return value.si();
}
Cell cell(double value) { return value; }
Cell cell(Count value) { return value.value(); }
template <class T>
Cell cell(const std::optional<T>& value) {
  return value ? cell(*value) : Cell{};
}
template <class Enum>
Cell name_cell(const std::optional<Enum>& value) {
  return value ? Cell(std::string(name(*value))) : Cell{};
}
Cell text_cell(std::string_view text) { return text.empty() ? Cell{} : Cell(std::string(text)); }

/// A member of the assessment, unknown where there is none.
template <auto Member>
Cell assessed(const Record& r) {
  return r.assessment ? cell((*r.assessment).*Member) : Cell{};
}

const Measured* measured(const Record& r) { return std::get_if<Measured>(&r.outcome); }

template <auto Member>
Cell of_measured(const Record& r) {
  return measured(r) ? cell(measured(r)->*Member) : Cell{};
}

Cell flag_if_judged(const Record& r, bool Assessment::*flag) {
  if (!r.assessment) return {};
  return is_judged(*r.assessment) ? Cell((*r.assessment).*flag) : Cell{};
}

Cell verification_of(const Record& r) {
  const Verification* found = verification(r.outcome);
  return found ? Cell(std::string(name(found->state))) : Cell{};
}

template <const auto& All>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> out;
  for (const auto value : All) out.push_back(name(value));
  return out;
}

std::vector<std::string_view> dtype_names() {
  std::vector<std::string_view> out;
  for (const DTypeInfo& info : dtypes()) out.push_back(info.name);
  return out;
}

std::vector<std::string_view> boundary_names() {
  std::vector<std::string_view> out;
  for (const Boundary boundary : boundaries()) out.push_back(name(boundary));
  return out;
}

std::vector<std::string_view> outcome_names() {
  return {outcome_name(Measured{}), outcome_name(Skipped{}), outcome_name(Failed{}),
          outcome_name(Incorrect{})};
}

using R = const Record&;

constexpr Column kColumns[] = {
    {"id", "point", Unit::text, [](R r) { return Cell(r.id); },
     "Name of the point, the same in every run."},
    {"device.id", "device", Unit::text, [](R r) { return text_cell(r.device_id); },
     "Device the point belongs to."},
    {"kind", "kind", Unit::text, [](R r) { return Cell(std::string(kind_name(r.workload))); },
     "gemm, matvec, stream, elementwise, kernel, peak, launch or transfer."},
    {"shape", "shape", Unit::text, [](R r) { return Cell(shape_label(r.workload)); },
     "Shape for people; the fields of workload are exact."},
    {"dtype", "dtype", Unit::text,
     [](R r) { return Cell(std::string(name(compute_dtype(r.workload)))); },
     "Type that is computed in.", dtype_names},
    {"accumulate", "accumulate", Unit::text,
     [](R r) { return Cell(std::string(name(accumulate_dtype(r.workload)))); },
     "Type that products are summed in.", dtype_names},
    {"work_flop", "work", Unit::flop, [](R r) { return cell(r.account.work); },
     "Operations by the stated convention (FMA = 2), exact."},
    {"traffic_byte.total", "traffic", Unit::byte,
     [](R r) { return traffic_is_known(r.account) ? cell(total_traffic(r.account)) : Cell{}; },
     "Counted bytes across the boundary, every tensor once, exact."},
    {"traffic_byte.moved", "moved", Unit::byte,
     [](R r) { return traffic_is_known(r.account) ? cell(moved_traffic(r.account)) : Cell{}; },
     "Counted bytes and the lines that stores read before they write."},
    {"traffic_byte.boundary", "boundary", Unit::text,
     [](R r) { return Cell(std::string(name(r.account.boundary))); },
     "Boundary that the bytes are counted at.", boundary_names},
    {"intensity_flop_per_byte", "intensity", Unit::flop_per_byte,
     [](R r) { return cell(r.placement.intensity); },
     "Arithmetic intensity: work / counted traffic."},
    {"ridge_flop_per_byte", "ridge", Unit::flop_per_byte,
     [](R r) { return cell(r.placement.ridge); },
     "Intensity where both roofs meet: peak / bandwidth."},
    {"ridge_distance", "of ridge", Unit::factor,
     [](R r) { return cell(r.placement.ridge_distance); },
     "Intensity / ridge; below 1 is the memory side."},
    {"bound", "side", Unit::text, [](R r) { return name_cell(r.placement.bound); },
     "Which limit is nearer by arithmetic: memory, compute or overhead.", names_of<kBounds>},
    {"near_ridge", "near ridge", Unit::flag,
     [](R r) { return r.placement.ridge_distance ? Cell(r.placement.near_ridge) : Cell{}; },
     "Within 10 % of the ridge, where the side may flip."},
    {"ceiling_flop_per_s", "ceiling", Unit::flop_per_s,
     [](R r) { return cell(r.placement.ceiling); },
     "Attainable rate: min(peak, bandwidth x intensity)."},
    {"floor_s", "floor", Unit::second, [](R r) { return cell(r.placement.floor); },
     "Least time of one call: overhead + max(work / peak, traffic / bandwidth)."},
    {"overhead_s", "overhead", Unit::second,
     [](R r) { return r.roofs.overhead ? cell(r.roofs.overhead->time) : Cell{}; },
     "Time of an empty call."},
    {"mfu_ceiling", "MFU ceiling", Unit::share, [](R r) { return cell(r.placement.mfu_ceiling); },
     "Ceiling / peak: the best MFU that this point can reach."},
    {"peak_flop_per_s", "peak", Unit::flop_per_s,
     [](R r) { return r.roofs.compute ? cell(r.roofs.compute->peak) : Cell{}; },
     "Compute roof that the point is held against."},
    {"peak_key", "peak row", Unit::text,
     [](R r) { return r.roofs.compute ? Cell(std::string(name(r.roofs.compute->key))) : Cell{}; },
     "Datasheet row of that roof."},
    {"peak_origin", "peak origin", Unit::text,
     [](R r) {
       return r.roofs.compute ? Cell(std::string(name(r.roofs.compute->origin))) : Cell{};
     },
     "Where the compute roof comes from.", names_of<kOrigins>},
    {"bandwidth_byte_per_s", "bandwidth", Unit::byte_per_s,
     [](R r) { return r.roofs.memory ? cell(r.roofs.memory->bandwidth) : Cell{}; },
     "Memory roof that the point is held against."},
    {"bandwidth_origin", "bandwidth origin", Unit::text,
     [](R r) { return r.roofs.memory ? Cell(std::string(name(r.roofs.memory->origin))) : Cell{}; },
     "Where the memory roof comes from.", names_of<kOrigins>},
    {"rows_to_ridge.first_integer", "rows to ridge", Unit::count,
     [](R r) { return r.rows.integer ? Cell(*r.rows.integer) : Cell{}; },
     "First whole number of rows sharing one weight read that reaches the ridge."},
    {"lever", "lever", Unit::text, [](R r) { return text_cell(lever(r)); },
     "What would make it faster."},
    {"convention", "convention", Unit::text, [](R r) { return text_cell(r.account.convention); },
     "How the work was counted."},
    {"time_median_s", "time", Unit::second, of_measured<&Measured::time_median>,
     "Median time of one call over the samples that count."},
    {"time_min_s", "fastest", Unit::second, of_measured<&Measured::time_min>,
     "Fastest sample, per call."},
    {"noise", "noise", Unit::share, of_measured<&Measured::noise>,
     "Median absolute deviation / median of the time."},
    {"power_w", "power", Unit::watt,
     [](R r) { return measured(r) ? cell(measured(r)->telemetry.power_w) : Cell{}; },
     "Power under load, median over the samples that count."},
    {"temperature_c", "temperature", Unit::celsius,
     [](R r) { return measured(r) ? cell(measured(r)->telemetry.temperature_c) : Cell{}; },
     "Highest temperature under load."},
    {"achieved_flop_per_s", "achieved", Unit::flop_per_s, assessed<&Assessment::achieved>,
     "Work / time."},
    {"achieved_byte_per_s", "achieved", Unit::byte_per_s, assessed<&Assessment::achieved_bandwidth>,
     "Counted traffic / time."},
    {"of_ceiling", "of ceiling", Unit::share, assessed<&Assessment::of_ceiling>,
     "Achieved / ceiling; of a copy, achieved bandwidth / bandwidth."},
    {"mfu", "MFU", Unit::share, assessed<&Assessment::mfu>, "Achieved FLOP/s / peak."},
    {"executed_flop_per_s", "executed", Unit::flop_per_s, assessed<&Assessment::executed>,
     "FLOP executed, recomputation and padding included, / time."},
    {"hfu", "HFU", Unit::share, assessed<&Assessment::hfu>, "Executed FLOP/s / peak."},
    {"clock_adjusted_mfu", "MFU at clock", Unit::share, assessed<&Assessment::clock_adjusted_mfu>,
     "Achieved FLOP/s / the peak at the clock of the samples."},
    {"verdict", "verdict", Unit::text,
     [](R r) { return r.assessment ? Cell(std::string(name(r.assessment->verdict))) : Cell{}; },
     "At or below which roof, overhead_bound, impossible or unknown.", names_of<kVerdicts>},
    {"above_roof", "above roof", Unit::flag,
     [](R r) { return flag_if_judged(r, &Assessment::above_roof); },
     "The reading lies above a roof."},
    {"impossible", "impossible", Unit::flag,
     [](R r) { return flag_if_judged(r, &Assessment::impossible); },
     "The reading lies so far above a roof that something is wrong."},
    {"hardware_ceiling_flop_per_s", "hardware ceiling", Unit::flop_per_s,
     [](R r) { return cell(r.rooflines.hardware.ceiling); },
     "Ceiling under the rated or derived peak and the sustained bandwidth."},
    {"empirical_ceiling_flop_per_s", "empirical ceiling", Unit::flop_per_s,
     [](R r) { return cell(r.rooflines.empirical.ceiling); },
     "Ceiling under the measured peak and the sustained bandwidth."},
    {"platform_opportunity", "platform opp.", Unit::factor,
     [](R r) { return cell(r.rooflines.platform_opportunity); },
     "Hardware ceiling / empirical ceiling: what another stack might still get."},
    {"kernel_opportunity", "kernel opp.", Unit::factor,
     [](R r) { return cell(r.rooflines.kernel_opportunity); },
     "The lower of both ceilings / achieved: what a better kernel might still get."},
    {"best_measured_mfu", "MFU of best", Unit::share,
     [](R r) { return cell(r.rooflines.best_measured_mfu); },
     "Achieved FLOP/s / the best rate of this type that the device itself has shown."},
    {"hypotheses.0.id", "hypothesis", Unit::text,
     [](R r) { return r.hypotheses.empty() ? Cell{} : Cell(r.hypotheses.front().id); },
     "What explains the figure best, by the table of failure modes."},
    {"prediction.side", "predicted", Unit::text, [](R r) { return name_cell(r.prediction.side); },
     "Side of the ridge that was expected before measuring.", names_of<kBounds>},
    {"observed_side", "observed", Unit::text, [](R r) { return name_cell(r.observed.side); },
     "Side that the measured time speaks for.", names_of<kBounds>},
    {"side_agreement", "agreement", Unit::text,
     [](R r) { return measured(r) ? Cell(std::string(name(r.observed.agreement))) : Cell{}; },
     "Whether the measurement confirmed the predicted side.", names_of<kAgreements>},
    {"outcome", "outcome", Unit::text,
     [](R r) { return Cell(std::string(outcome_name(r.outcome))); },
     "measured, skipped, failed or incorrect.", outcome_names},
    {"reason", "reason", Unit::text, [](R r) { return text_cell(reason(r.outcome)); },
     "Why there is no measurement."},
    {"verification.state", "verified", Unit::text, verification_of,
     "Whether the result was compared with a reference.", names_of<kStates>},
    {"end", "end", Unit::text,
     [](R r) { return measured(r) ? Cell(std::string(name(measured(r)->end))) : Cell{}; },
     "Why sampling ended.", names_of<kEnds>},
    {"defines_roof", "is a roof", Unit::flag, [](R r) { return Cell(r.defines_roof); },
     "Its own figure is the roof it is held against."},
    {"implementation.product", "product", Unit::text,
     [](R r) { return text_cell(text_fact(r.implementation, "product")); },
     "Which of a model's products it is (gemm --shapes-from)."},
};

}  // namespace

std::string_view symbol(Unit unit) {
  switch (unit) {
    case Unit::flop:
      return "FLOP";
    case Unit::byte:
      return "B";
    case Unit::second:
      return "s";
    case Unit::flop_per_s:
      return "FLOP/s";
    case Unit::byte_per_s:
      return "B/s";
    case Unit::flop_per_byte:
      return "FLOP/byte";
    case Unit::share:
      return "%";
    case Unit::watt:
      return "W";
    case Unit::celsius:
      return "C";
    default:
      break;
  }
  return {};
}

bool has_numbers(Unit unit) { return unit != Unit::text && unit != Unit::flag; }

std::optional<double> number_of(const Cell& cell) {
  if (const auto* const number = std::get_if<double>(&cell)) return *number;
  if (const auto* const count = std::get_if<std::uint64_t>(&cell))
    return static_cast<double>(*count);
  return std::nullopt;
}

std::span<const Column> columns() { return kColumns; }

const Column* find_column(std::string_view key) {
  for (const Column& column : kColumns) {
    if (column.key == key) return &column;
  }
  return nullptr;
}

}  // namespace roofline::report
