#include "cli/families.hpp"

#include <set>

#include "cli/operation_options.hpp"
#include "roofline/account.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

/// Sizes that are left to the backend have no account yet.
bool is_open(const Workload& point) {
  const auto* const stream = std::get_if<Stream>(&point);
  const auto* const chain = std::get_if<Elementwise>(&point);
  const auto* const transfer = std::get_if<Transfer>(&point);
  return (stream != nullptr && stream->elements == 0) ||
         (chain != nullptr && chain->elements == 0) ||
         (transfer != nullptr && transfer->bytes == 0);
}

void check(std::string_view command, const std::vector<Workload>& points) {
  if (points.size() > kMaxPoints) {
    throw InputError(std::string(command) + ": " + std::to_string(points.size()) +
                     " points are asked for; narrow a range or a list to at most " +
                     std::to_string(kMaxPoints));
  }
  for (const Workload& point : points) {
    if (!is_open(point)) (void)account(point);
  }
}

}  // namespace

std::vector<DType> dtype_list(const std::string& text, std::string_view what) {
  std::vector<DType> out;
  for (const std::string& word : split_list(text, what)) out.push_back(dtype_option(word, what));
  return out;
}

std::vector<std::uint64_t> byte_axis(const std::string& text, std::string_view what) {
  std::string plain;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(":,", begin), text.size());
    std::string part = text.substr(begin, end - begin);
    // A factor has no unit; a difference has, like the sizes.
    if (!part.empty() && part.front() == '+') {
      part = "+" + std::to_string(parse_count(part.substr(1), "B", what).value());
    } else if (!part.empty() && part.front() != 'x') {
      part = std::to_string(parse_count(part, "B", what).value());
    }
    plain += part;
    if (end < text.size()) plain += text[end];
    begin = end + 1;
  }
  return parse_axis(plain, what);
}

/// Whether chains of FMAs show the rate at which a device multiplies the type: of a GPU's matrix
/// units, only products do.
bool has_probe(DType dtype, backend::DeviceKind kind) {
  return kind == backend::DeviceKind::cpu || dtype == DType::fp64 || dtype == DType::fp32;
}

std::vector<Workload> roof_points(const std::vector<Workload>& points, backend::DeviceKind kind) {
  std::vector<Workload> out{Stream{.kind = StreamKind::read}, Stream{.kind = StreamKind::copy},
                            Stream{.kind = StreamKind::triad}};
  std::set<Boundary> levels;
  for (const Workload& point : points) {
    const auto* const projection = std::get_if<Projection>(&point);
    if (projection == nullptr || projection->level == Boundary::dram) continue;
    if (levels.insert(projection->level).second)
      out.emplace_back(Stream{.kind = StreamKind::read, .level = projection->level});
  }
  std::set<DType> dtypes;
  std::set<LaunchPath> paths;
  for (const Workload& point : points) {
    const DType dtype = compute_dtype(point);
    if (computes(point) && has_probe(dtype, kind) && dtypes.insert(dtype).second)
      out.emplace_back(PeakProbe{.dtype = dtype});
    for (const LaunchPath path : empty_calls(point)) {
      const bool graph = path == LaunchPath::graph || path == LaunchPath::library_graph;
      if (graph && kind == backend::DeviceKind::cpu) continue;
      if (paths.insert(path).second) out.emplace_back(Launch{path});
    }
  }
  return out;
}

PointsFor on_any_device(std::vector<Workload> points) {
  return [points = std::move(points)](backend::DeviceKind) { return points; };
}

ExitStatus run_family(std::string_view command, const SessionOptions& session,
                      const PointsFor& points, bool with_roofs, const Invocation& invocation,
                      Io& io, const PointNames& names) {
  for (const auto kind : {backend::DeviceKind::cpu, backend::DeviceKind::gpu})
    check(command, points(kind));
  const std::string_view asked = kind_name(points(backend::DeviceKind::cpu).front());
  const PointsFor with_their_roofs = [&](backend::DeviceKind kind) {
    std::vector<Workload> wanted = points(kind);
    std::vector<Workload> all = with_roofs ? roof_points(wanted, kind) : std::vector<Workload>{};
    all.insert(all.end(), wanted.begin(), wanted.end());
    return all;
  };
  return run_session(session, {std::string(command), with_their_roofs, {}, asked, {}, names},
                     invocation, io);
}

}  // namespace roofline::cli
