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
  return (stream != nullptr && stream->elements == 0) || (chain != nullptr && chain->elements == 0);
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

std::vector<Workload> roof_points(const std::vector<Workload>& points) {
  std::vector<Workload> out{Stream{.kind = StreamKind::read}, Stream{.kind = StreamKind::copy},
                            Stream{.kind = StreamKind::triad}};
  std::set<DType> dtypes;
  std::set<LaunchPath> paths;
  for (const Workload& point : points) {
    if (dtypes.insert(compute_dtype(point)).second)
      out.emplace_back(PeakProbe{.dtype = compute_dtype(point)});
    if (paths.insert(launch_path(point)).second) out.emplace_back(Launch{launch_path(point)});
  }
  return out;
}

ExitStatus run_family(std::string_view command, const SessionOptions& session,
                      std::vector<Workload> points, bool with_roofs, const Invocation& invocation,
                      Io& io) {
  if (points.size() > kMaxPoints) {
    throw InputError(std::string(command) + ": " + std::to_string(points.size()) +
                     " points are asked for; narrow a range or a list to at most " +
                     std::to_string(kMaxPoints));
  }
  for (const Workload& point : points) {
    if (!is_open(point)) (void)account(point);
  }
  const std::string_view kind = kind_name(points.front());
  std::vector<Workload> all = with_roofs ? roof_points(points) : std::vector<Workload>{};
  all.insert(all.end(), points.begin(), points.end());
  return run_session(session, {std::string(command), std::move(all), {}, kind}, invocation, io);
}

}  // namespace roofline::cli
