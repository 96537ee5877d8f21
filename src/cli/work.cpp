#include "cli/work.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "roofline/error.hpp"
#include "roofline/repetition.hpp"

namespace roofline::cli {
namespace {

/// Roofs that nothing will be held against are not worth measuring: only the refusals are left.
void drop_idle_roofs(std::vector<measure::PlannedPoint>& points, const SessionPlan& plan) {
  if (plan.asked_kind.empty()) return;
  const auto wanted = [&](const measure::PlannedPoint& point) {
    return plan.asks_for(point.record.workload);
  };
  const bool any = std::any_of(points.begin(), points.end(),
                               [&](const auto& point) { return point.runnable && wanted(point); });
  if (!any) std::erase_if(points, [&](const auto& point) { return !wanted(point); });
}

void put_names(std::vector<measure::PlannedPoint>& points, const PointNames& names) {
  for (measure::PlannedPoint& point : points) {
    const auto found = names.find(point.record.id);
    if (found != names.end()) point.record.implementation.push_back({"product", found->second});
  }
}

/// What another attempt could make better is measured again.
bool is_finished(const Record& record) {
  if (const auto* measured = std::get_if<Measured>(&record.outcome)) return trusted(measured->end);
  return std::holds_alternative<Incorrect>(record.outcome);
}

}  // namespace

Seconds Work::expected() const {
  Seconds out;
  for (const auto& point : points) out = out + point.expected;
  return out;
}

std::vector<Work> plan_work(const ChosenDevices& chosen, const SessionPlan& plan,
                            const Books& books, std::uint64_t repetitions) {
  std::vector<Work> out;
  for (const Target& target : chosen.targets) {
    Work work{&target, measure::plan_sweep(*target.backend, target.device,
                                           plan.points(backend::kind_of(target.device.id)),
                                           plan.sampling, books.at(target.device.id))};
    drop_idle_roofs(work.points, plan);
    put_names(work.points, plan.names);
    out.push_back(std::move(work));
  }
  if (repetitions < 2) return out;
  const std::vector<Work> once = out;
  for (Work& work : out) work.repetition = 1;
  for (std::uint64_t repetition = 2; repetition <= repetitions; ++repetition) {
    for (Work work : once) {
      work.repetition = repetition;
      out.push_back(std::move(work));
    }
  }
  return out;
}

namespace {

/// Types that are left open stand in a report as what they came to.
Gemm spelled_out(const Gemm& gemm) {
  Gemm out = gemm;
  out.accumulate = accumulate_dtype(gemm);
  out.output = output_dtype(gemm);
  return out;
}

/// What the id of a product does not hold.
bool same_product(const Workload& one, const Workload& other) {
  const auto* const product = std::get_if<Gemm>(&one);
  const auto* const asked = std::get_if<Gemm>(&other);
  if (product == nullptr || asked == nullptr) return true;
  return spelled_out(*product) == spelled_out(*asked);
}

[[noreturn]] void refuse_point(const Report& earlier, const Record& record,
                               const std::string& why) {
  throw NotComparable("--resume: the run to go on with has " + record.id + why +
                      "; give its own command again: " + earlier.run.command_line);
}

/// Samples of a repeated point can't stand beside samples that don't say which repetition they are
/// of.
void require_same_repetitions(const Report& earlier, const Record& record, bool repeated) {
  if (!std::holds_alternative<Measured>(record.outcome)) return;
  if (repeated == !repetitions_of(record).empty()) return;
  refuse_point(earlier, record, repeated ? " without repetitions" : " in repetitions (--repeat)");
}

/// The repetitions of a point that need not be measured again.
std::vector<std::uint64_t> done_of(const Record& record, const std::vector<Work>& all) {
  std::vector<std::uint64_t> out = repetitions_of(record);
  if (!out.empty()) return out;
  for (const Work& work : all) out.push_back(work.repetition);
  return out;
}

}  // namespace

void take_over(const Report& earlier, Report& report, Books& books, std::vector<Work>& all) {
  report.run.resumed_from = earlier.run.id;
  report.run.duration = earlier.run.duration;
  std::map<std::string, const Workload*> planned;
  for (const Work& work : all) {
    for (const auto& point : work.points) planned[point_key(point.record)] = &point.record.workload;
  }
  std::map<std::string, std::set<std::uint64_t>> taken;
  for (const Record& record : earlier.points) {
    const auto book = books.find(record.device_id);
    if (!is_finished(record) || book == books.end()) continue;
    const auto asked = planned.find(point_key(record));
    if (asked == planned.end())
      refuse_point(earlier, record, ", which this command does not measure");
    if (!same_product(record.workload, *asked->second))
      refuse_point(earlier, record, " with other factors or operands than this command");
    require_same_repetitions(earlier, record, all.front().repetition != 0);
    report.points.push_back(record);
    book->second.learn(record);
    for (const std::uint64_t done : done_of(record, all)) taken[point_key(record)].insert(done);
  }
  for (Work& work : all) {
    std::erase_if(work.points, [&](const auto& point) {
      const auto found = taken.find(point_key(point.record));
      return found != taken.end() && found->second.count(work.repetition) != 0;
    });
  }
}

std::vector<std::string> keys_of(const std::vector<Work>& all) {
  std::vector<std::string> out;
  for (const Work& work : all) {
    for (const auto& point : work.points) out.push_back(point_key(point.record));
  }
  return out;
}

std::size_t points_left(const std::vector<Work>& all) {
  std::size_t out = 0;
  for (const Work& work : all) out += work.points.size();
  return out;
}

}  // namespace roofline::cli
