// bandwidth: streams of every mix, at every level, and the staircase of working sets.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/families.hpp"
#include "cli/operation_options.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

/// read,write,copy,scale,add,triad,update
std::string all_streams() {
  std::string out = stream_kind_list();
  std::erase(out, ' ');
  return out;
}

std::vector<StreamKind> streams(const BandwidthOptions& o) {
  std::vector<StreamKind> out;
  for (const std::string& word :
       split_list(o.stream.empty() ? all_streams() : o.stream, "--stream")) {
    const auto kind = find_stream_kind(word);
    if (!kind) {
      throw InputError("--stream: '" + word + "' is not known; use " + stream_kind_list());
    }
    out.push_back(*kind);
  }
  return out;
}

/// What is measured where no --boundary says it. A size of its own, or what only a transfer has,
/// says it too.
std::string usual_boundary(const BandwidthOptions& o, backend::DeviceKind device) {
  if (!o.direction.empty() || !o.host_memory.empty()) return "link";
  const bool sized = !o.elements.empty() || !o.working_set.empty();
  return device == backend::DeviceKind::gpu && !sized ? "dram,l2,link" : "dram";
}

std::vector<Boundary> levels(const BandwidthOptions& o, backend::DeviceKind device) {
  std::vector<Boundary> out;
  for (const std::string& word :
       split_list(o.boundary.empty() ? usual_boundary(o, device) : o.boundary, "--boundary")) {
    const auto level = find_boundary(word);
    if (!level)
      throw InputError("--boundary: '" + word + "' is not known; use dram, l3, l2, l1, link");
    out.push_back(*level);
  }
  const bool link = std::find(out.begin(), out.end(), Boundary::link) != out.end();
  if (!link && !(o.direction.empty() && o.host_memory.empty())) {
    throw InputError(std::string(o.direction.empty() ? "--host-memory" : "--direction") +
                     " is of transfers over the link; add --boundary link, or leave it out");
  }
  if (link && !o.elements.empty()) {
    throw InputError(
        "--elements are of arrays, which a transfer has none of; give its bytes with "
        "--working-set, or leave link out of --boundary");
  }
  const bool caches = std::any_of(out.begin(), out.end(), [](Boundary b) {
    return b != Boundary::dram && b != Boundary::link;
  });
  if (caches && !(o.elements.empty() && o.working_set.empty())) {
    throw InputError(
        "--boundary chooses the size for its level, and --elements or --working-set would choose "
        "another; give one of them");
  }
  return out;
}

/// Whether stores read their line first, for each point that is wanted of a mix: false leaves the
/// choice to the device.
std::vector<bool> stores(const BandwidthOptions& o, StreamKind kind, Boundary level) {
  std::vector<bool> out;
  const std::string fallback = o.working_set.empty() ? "best" : "regular";
  for (const std::string& word : split_list(o.stores.empty() ? fallback : o.stores, "--stores")) {
    if (word != "best" && word != "regular")
      throw InputError("--stores: '" + word + "' is not known; use best or regular");
    out.push_back(word == "regular");
  }
  // A read has none, an update has read its lines, and caches are written by regular stores only.
  const bool choice =
      kind != StreamKind::read && kind != StreamKind::update && level == Boundary::dram;
  return choice ? out : std::vector<bool>{false};
}

std::uint64_t arrays_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
    case StreamKind::write:
    case StreamKind::update:
      return 1;
    case StreamKind::copy:
    case StreamKind::scale:
      return 2;
    case StreamKind::add:
    case StreamKind::triad:
      break;
  }
  return 3;
}

/// Elements of each array; 0 leaves the size to the device.
std::vector<std::uint64_t> sizes(const BandwidthOptions& o, StreamKind kind, DType dtype) {
  if (!o.elements.empty() && !o.working_set.empty())
    throw InputError("--elements and --working-set both choose the size; give one of them");
  if (!o.elements.empty()) return {whole_option(o.elements, "--elements")};
  if (o.working_set.empty()) return {0};
  std::vector<std::uint64_t> out;
  for (const std::uint64_t bytes : byte_axis(o.working_set, "--working-set")) {
    const std::uint64_t elements = bytes / arrays_of(kind) * 8 / storage_bits(dtype);
    if (elements == 0) {
      throw InputError("--working-set: " + std::to_string(bytes) + " bytes hold no element of " +
                       std::to_string(arrays_of(kind)) + " arrays; use at least 64");
    }
    out.push_back(elements);
  }
  return out;
}

std::vector<Workload> transfers(const BandwidthOptions& o) {
  std::vector<std::uint64_t> sizes{0};
  if (!o.working_set.empty()) sizes = byte_axis(o.working_set, "--working-set");
  std::vector<Workload> out;
  for (const std::string& way :
       split_list(o.direction.empty() ? "to_device,to_host" : o.direction, "--direction")) {
    const auto direction = find_transfer_direction(way);
    if (!direction)
      throw InputError("--direction: '" + way + "' is not known; use to_device or to_host");
    for (const std::string& word :
         split_list(o.host_memory.empty() ? "pinned" : o.host_memory, "--host-memory")) {
      const auto memory = find_host_memory(word);
      if (!memory)
        throw InputError("--host-memory: '" + word + "' is not known; use pinned or pageable");
      for (const std::uint64_t bytes : sizes)
        out.emplace_back(Transfer{*direction, *memory, bytes});
    }
  }
  return out;
}

}  // namespace

std::vector<Workload> bandwidth_points(const BandwidthOptions& options,
                                       backend::DeviceKind device) {
  const BandwidthOptions& o = options;
  std::vector<Workload> points;
  std::vector<Boundary> wanted = levels(o, device);
  const bool link = std::erase(wanted, Boundary::link) > 0;
  for (const DType dtype : dtype_list(o.dtype, "--dtype")) {
    for (const Boundary level : wanted) {
      for (const StreamKind kind : streams(o)) {
        for (const bool regular : stores(o, kind, level)) {
          for (const std::uint64_t elements : sizes(o, kind, dtype)) {
            points.emplace_back(Stream{.kind = kind,
                                       .elements = elements,
                                       .dtype = dtype,
                                       .write_allocate = regular,
                                       .level = level});
          }
        }
      }
    }
  }
  if (link) {
    for (const Workload& transfer : transfers(o)) points.push_back(transfer);
  }
  return points;
}

Action add_bandwidth(CLI::App& app, const Invocation& invocation) {
  auto options = std::make_shared<BandwidthOptions>();
  app.add_option("--stream", options->stream, stream_kind_list() + " (default: all)");
  app.add_option("--dtype", options->dtype, "element types")->capture_default_str();
  app.add_option("--boundary", options->boundary,
                 "where the arrays lie: dram, l3, l2, l1; or link, transfers between host and "
                 "device (default: dram; on a GPU dram,l2,link)");
  app.add_option("--stores", options->stores,
                 "best (past the caches where that is quicker), regular, or both (default: best; "
                 "regular for working sets)");
  app.add_option("--elements", options->elements,
                 "elements of each array (default: as many as reach DRAM)");
  app.add_option("--working-set", options->working_set,
                 "bytes of all arrays and threads together, or of a transfer, e.g. "
                 "16KiB:512MiB:x2");
  app.add_option("--direction", options->direction,
                 "of transfers: to_device, to_host (default: both)");
  app.add_option("--host-memory", options->host_memory,
                 "of transfers: pinned, pageable (default: pinned)");
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    const PointsFor points = [&](backend::DeviceKind kind) {
      return bandwidth_points(*options, kind);
    };
    return run_family("bandwidth", options->session, points, false, invocation, io);
  };
}

}  // namespace roofline::cli
