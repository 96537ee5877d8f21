// What the commands that measure one family of workloads share: the points that an option's text
// asks for, the roofs they are held against, and running them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"

namespace roofline::cli {

/// More points than this are a mistake in a range.
inline constexpr std::size_t kMaxPoints = 20000;

[[nodiscard]] std::vector<DType> dtype_list(const std::string& text, std::string_view what);
/// As parse_axis, of sizes with or without units: `16KiB:512MiB:x2`, `1MiB,2MiB`, `4096`. In byte.
[[nodiscard]] std::vector<std::uint64_t> byte_axis(const std::string& text, std::string_view what);

/// The roofs that points of these kinds and types are held against, and the empty calls they can't
/// be quicker than: measured first. Of a GPU's matrix units no probe shows the peak.
[[nodiscard]] std::vector<Workload> roof_points(const std::vector<Workload>& points,
                                                backend::DeviceKind kind);

/// The same points whatever measures them.
[[nodiscard]] PointsFor on_any_device(std::vector<Workload> points);

/// Measures the points, after their roofs where `with_roofs`; `names` as in SessionPlan. Throws
/// InputError for more than kMaxPoints and for points that can't be, on whichever kind of device,
/// before one is chosen.
[[nodiscard]] ExitStatus run_family(std::string_view command, const SessionOptions& session,
                                    const PointsFor& points, bool with_roofs,
                                    const Invocation& invocation, Io& io,
                                    const PointNames& names = {});

struct BandwidthOptions {
  SessionOptions session = {};
  std::string stream = {};  ///< empty: all
  std::string dtype = "fp64";
  std::string boundary = {};  ///< empty: dram; on a GPU dram, l2 and link
  std::string stores = {};    ///< best, regular; empty: best, and regular for working sets
  std::string elements = {};
  std::string working_set = {};  ///< all arrays and threads together; of a transfer, its bytes
  std::string direction = {};    ///< of transfers; empty: both
  std::string host_memory = {};  ///< of transfers; empty: pinned
};
/// Throws InputError naming the option.
[[nodiscard]] std::vector<Workload> bandwidth_points(
    const BandwidthOptions& options, backend::DeviceKind device = backend::DeviceKind::cpu);

struct ElementwiseOptions {
  SessionOptions session = {};
  std::string fused = "1,2,4";
  std::string ops = "4";
  std::string inputs = "1";
  std::string dtype = "fp32";
  std::string elements = {};  ///< empty: as many as reach DRAM
};
[[nodiscard]] std::vector<Workload> elementwise_points(const ElementwiseOptions& options);

struct MatvecOptions {
  SessionOptions session = {};
  std::string weights = "bf16";
  std::string activations = {};
  std::string scale_group = {};  ///< empty: none; on a GPU 128 for int8 and int4
  std::string level = {};        ///< empty: dram
  bool hot = false;              ///< the same as level l2
  std::string rows = "1,8,32";
  std::string shape = "4096x14336";
  std::string d_in = {};  ///< with d_out instead of `shape`
  std::string d_out = {};
};
[[nodiscard]] std::vector<Workload> matvec_points(
    const MatvecOptions& options, backend::DeviceKind kind = backend::DeviceKind::cpu);

}  // namespace roofline::cli
