#include "measure/sweep.hpp"

#include <algorithm>
#include <new>
#include <set>

namespace roofline::measure {
namespace {

PlannedPoint plan_point(backend::Backend& backend, const backend::Device& device,
                        const Workload& workload, const SamplingPlan& plan, const RoofBook& book) {
  PlannedPoint out;
  out.record.device_id = device.id;
  out.record.device_name = device.name;
  out.record.workload = workload;
  out.record.id = point_id(workload);
  const auto answer = backend.supports(workload, device);
  if (const auto* reason = std::get_if<backend::Unsupported>(&answer)) {
    out.record.outcome = Skipped{reason->reason};
    // Sizes that only the backend could fill in stay open, and with them the account.
    try {
      out.record.account = account(workload);
    } catch (const std::exception&) {
      out.record.account = {};
    }
    return out;
  }
  out.record.workload = std::get<Workload>(answer);
  out.record.account = account(out.record.workload);
  out.record.prediction = predict(out.record.workload, out.record.account, book);
  const Roofs roofs = book.roofs_for(out.record.workload, out.record.account);
  out.expected = estimate(out.record.account, plan, place(out.record.account, roofs).floor);
  out.runnable = true;
  return out;
}

/// Prepares, verifies and times one point. Nothing when it was asked to stop.
std::optional<Outcome> run_point(backend::Backend& backend, const backend::Device& device,
                                 Record& record, const SamplingPlan& plan,
                                 const StopRequested& stop) {
  try {
    const auto run = backend.prepare(record.workload, device);
    record.implementation = run->facts();
    Verification verification = run->verify();
    // verify() may have learnt more about the code path (packing, a core name).
    record.implementation = run->facts();
    if (verification.state == VerificationState::incorrect)
      return Incorrect{std::move(verification)};
    auto measured = sample(*run, plan, stop);
    if (!measured) return std::nullopt;
    measured->verification = std::move(verification);
    record.implementation = run->facts();
    return Outcome{std::move(*measured)};
  } catch (const backend::BackendError& error) {
    return Failed{error.what()};
  } catch (const std::bad_alloc&) {
    return Failed{"out of memory while preparing the point; use a smaller shape"};
  }
}

}  // namespace

std::string point_id(const Workload& workload) {
  std::string label = shape_label(workload);
  // How many elements reach DRAM is the machine's affair; the point is the same on every one.
  const auto* chain = std::get_if<Elementwise>(&workload);
  if (chain != nullptr && chain->elements == 0) label.replace(0, 1, "dram");
  std::replace(label.begin(), label.end(), ' ', '_');
  std::string types(name(compute_dtype(workload)));
  if (const auto* projection = std::get_if<Projection>(&workload)) {
    const DType weight = projection->weight.value_or(projection->activation);
    if (weight != projection->activation) types = std::string(name(weight)) + "-by-" + types;
    if (projection->scale_group != 0) types += "-g" + std::to_string(projection->scale_group);
  }
  const DTypeInfo& input = info(compute_dtype(workload));
  if (accumulate_dtype(workload) != input.accumulate) {
    types += "-acc-" + std::string(name(accumulate_dtype(workload)));
  }
  const auto* gemm = std::get_if<Gemm>(&workload);
  if (gemm != nullptr && output_dtype(workload) != input.output) {
    types += "-to-" + std::string(name(output_dtype(workload)));
  }
  return std::string(kind_name(workload)) + "/" + types + "/" + label;
}

std::vector<PlannedPoint> plan_sweep(backend::Backend& backend, const backend::Device& device,
                                     const std::vector<Workload>& workloads,
                                     const SamplingPlan& plan, const RoofBook& book) {
  std::vector<Workload> ordered = workloads;
  std::stable_partition(ordered.begin(), ordered.end(), defines_roofs);
  std::vector<PlannedPoint> out;
  std::set<std::string> seen;
  for (const Workload& workload : ordered) {
    PlannedPoint point = plan_point(backend, device, workload, plan, book);
    if (seen.insert(point.record.id).second) out.push_back(std::move(point));
  }
  return out;
}

bool run_sweep(backend::Backend& backend, const backend::Device& device,
               std::vector<PlannedPoint> points, const SamplingPlan& plan, RoofBook& book,
               const SweepHooks& hooks) {
  const std::size_t count = points.size();
  for (std::size_t index = 0; index < count; ++index) {
    PlannedPoint& point = points[index];
    if (hooks.stop && hooks.stop()) return false;
    if (hooks.started) hooks.started(point, index, count);
    if (point.runnable) {
      // The roofs measured so far sharpen what is expected of this point; it has not run yet.
      point.record.prediction = predict(point.record.workload, point.record.account, book);
      auto outcome = run_point(backend, device, point.record, plan, hooks.stop);
      if (!outcome) return false;
      point.record.outcome = std::move(*outcome);
      book.learn(point.record);
    }
    place_record(point.record, book);
    if (hooks.finished) hooks.finished(point.record);
  }
  return true;
}

}  // namespace roofline::measure
