#include "roofline/point_id.hpp"

#include <algorithm>

namespace roofline {
namespace {

/// What was asked of a stream: how many elements reach DRAM is the machine's affair, and so is the
/// kind of store where none was named; the point is the same on every machine.
std::string stream_label(const Stream& w) {
  std::string out(name(w.kind));
  if (w.write_allocate) out += "-regular";
  if (w.level != Boundary::dram) out += "-" + std::string(name(w.level));
  if (w.elements != 0) out += "-" + std::to_string(w.elements);
  return out;
}

/// As of a stream: bytes that the device chose are left out.
std::string transfer_label(const Transfer& w) {
  std::string out = std::string(name(w.direction)) + "-" + std::string(name(w.host_memory));
  if (w.bytes != 0) out += "-" + std::to_string(w.bytes);
  return out;
}

std::string types_of(const Workload& workload) {
  const DTypeInfo& input = info(compute_dtype(workload));
  std::string out(name(input.dtype));
  if (const auto* projection = std::get_if<Projection>(&workload)) {
    const DType weight = projection->weight.value_or(projection->activation);
    if (weight != projection->activation) out = std::string(name(weight)) + "-by-" + out;
    if (projection->scale_group != 0) out += "-g" + std::to_string(projection->scale_group);
  }
  if (accumulate_dtype(workload) != input.accumulate)
    out += "-acc-" + std::string(name(accumulate_dtype(workload)));
  if (std::holds_alternative<Gemm>(workload) && output_dtype(workload) != input.output)
    out += "-to-" + std::string(name(output_dtype(workload)));
  return out;
}

}  // namespace

std::string point_id(const Workload& workload) {
  const std::string kind(kind_name(workload));
  if (const auto* launch = std::get_if<Launch>(&workload))
    return kind + "/" + std::string(name(launch->path));
  if (const auto* transfer = std::get_if<Transfer>(&workload))
    return kind + "/" + transfer_label(*transfer);
  std::string label;
  if (const auto* stream = std::get_if<Stream>(&workload)) {
    label = stream_label(*stream);
  } else {
    label = shape_label(workload);
    const auto* chain = std::get_if<Elementwise>(&workload);
    if (chain != nullptr && chain->elements == 0) label.replace(0, 1, "dram");
  }
  std::replace(label.begin(), label.end(), ' ', '_');
  return kind + "/" + types_of(workload) + "/" + label;
}

}  // namespace roofline
