#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "audit_rules.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::audit_detail {
namespace {

using prose::percent;
using prose::text;

std::string flops(double value) { return digits(value) + " FLOP"; }
std::string bytes(double value) { return text(byte(value)); }

const Kernel* bare_kernel(const PointView& view) {
  const auto* kernel = std::get_if<Kernel>(&view.point.workload);
  return kernel != nullptr && !kernel->intensity ? kernel : nullptr;
}

/// Whether reads and writes were told apart, where somebody else counted them.
bool directions_known(const PointView& view) {
  return text_fact(view.point.implementation, "traffic_direction") != "unknown";
}

double written(const Account& account) {
  return (total_traffic(account).as_double() - read_traffic(account).as_double());
}

/// M, N and K in the name of a kernel: `gemm_4096x4096x4096`.
std::optional<std::array<double, 3>> shape_in(std::string_view name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t begin = 0; begin < name.size(); ++begin) {
    if (!digit(name[begin]) || (begin > 0 && (digit(name[begin - 1]) || name[begin - 1] == 'x')))
      continue;
    std::array<double, 3> out{};
    std::size_t at = begin;
    std::size_t side = 0;
    for (; side < 3; ++side) {
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), value);
      if (error != std::errc{} || value == 0) break;
      out[side] = static_cast<double>(value);
      at = static_cast<std::size_t>(end - name.data());
      if (side < 2 && (at >= name.size() || name[at] != 'x')) break;
      if (side < 2) ++at;
    }
    // A fourth side would make it another kind of shape.
    if (side == 3 && (at >= name.size() || name[at] != 'x')) return out;
  }
  return std::nullopt;
}

std::string shape_text(const std::array<double, 3>& shape) {
  return digits(shape[0]) + "x" + digits(shape[1]) + "x" + digits(shape[2]);
}

/// `beta=1`, `beta0.5` in a name: C is read.
bool reads_c(std::string_view name) {
  const std::size_t at = name.find("beta");
  if (at == std::string_view::npos) return false;
  std::string_view rest = name.substr(at + 4);
  while (!rest.empty() && (rest.front() == '=' || rest.front() == '_' || rest.front() == '-'))
    rest.remove_prefix(1);
  const std::string_view value = rest.substr(0, rest.find_first_not_of("0123456789."));
  return value.find_first_of("123456789") != std::string_view::npos;
}

/// Nearly the same: a name gives sizes, and no alpha or epilogue.
bool nearly(double a, double b) {
  constexpr double kNear = 0.005;
  return a >= (1 - kNear) * b && a <= (1 + kNear) * b;
}

}  // namespace

Found fma_counted_as_one(const PointView& view) {
  const auto& work = view.point.account.work;
  if (view.fault == CountFault::fma_as_one) {
    const double right = view.counted->work->as_double();
    return {{"work_flop is " + flops(work->as_double()) + ", half of the " + flops(right) +
                 " that its shape makes with an FMA as two",
             "work_flop", work->as_double(), right}};
  }
  if (bare_kernel(view) == nullptr || !work) return {};
  const auto shape = shape_in(view.point.id);
  if (!shape) return {};
  const double products = (*shape)[0] * (*shape)[1] * (*shape)[2];
  if (!nearly(work->as_double(), products)) return {};
  return {{"work_flop is " + flops(work->as_double()) + ", and a product of " + shape_text(*shape) +
               ", as the name has it, is 2mnk = " + flops(2 * products),
           "work_flop", work->as_double(), 2 * products}};
}

Found c_not_read(const PointView& view) {
  if (view.fault == CountFault::c_not_read) {
    const double stored = total_traffic(view.point.account).as_double();
    const double right = total_traffic(*view.counted).as_double();
    const auto& gemm = std::get<Gemm>(view.point.workload);
    return {{"traffic_byte.total is " + bytes(stored) + " without the " + bytes(right - stored) +
                 " of C that beta = " + digits(gemm.beta) + " reads",
             "traffic_byte.total", stored, right}};
  }
  const Kernel* kernel = bare_kernel(view);
  const auto shape = kernel != nullptr ? shape_in(view.point.id) : std::nullopt;
  if (!shape || !reads_c(view.point.id) || !directions_known(view)) return {};
  const double size = static_cast<double>(storage_bits(kernel->dtype)) / 8;
  const auto [m, n, k] = *shape;
  const double least = (m * k + k * n + m * n) * size;
  const double read = read_traffic(view.point.account).as_double();
  if (read >= 0.99 * least || read < 0.99 * (m * k + k * n) * size) return {};
  return {{"it reads " + bytes(read) + ", and A, B and the C that the beta in its name reads are " +
               bytes(least),
           "traffic_byte.total", read, least, Severity::warning}};
}

Found output_not_written(const PointView& view) {
  if (view.fault == CountFault::not_written) {
    const double stored = total_traffic(view.point.account).as_double();
    const double right = total_traffic(*view.counted).as_double();
    return {{"traffic_byte.total is " + bytes(stored) + " and lacks what is written, " +
                 bytes(written(*view.counted)),
             "traffic_byte.total", stored, right}};
  }
  const Kernel* kernel = bare_kernel(view);
  if (kernel == nullptr || !directions_known(view)) return {};
  const double read = read_traffic(view.point.account).as_double();
  if (read <= 0 || written(view.point.account) > 0) return {};
  Evidence out{"it reads " + bytes(read) + " and writes nothing, so that its result is nowhere",
               "traffic_byte.total"};
  out.severity = Severity::warning;
  return {out};
}

Found bytes_below_shape(const PointView& view) {
  const Kernel* kernel = bare_kernel(view);
  const auto shape = kernel != nullptr ? shape_in(view.point.id) : std::nullopt;
  const auto& work = view.point.account.work;
  const double total = total_traffic(view.point.account).as_double();
  if (!shape || !work || view.point.account.boundary != Boundary::dram) return {};
  const auto [m, n, k] = *shape;
  const double products = m * n * k;
  const bool product =
      nearly(work->as_double(), products) || nearly(work->as_double(), 2 * products);
  if (!product) return {};
  // The result may be narrower than the operands, though not less than a byte.
  const double size = static_cast<double>(storage_bits(kernel->dtype)) / 8;
  const double least = (m * k + k * n) * size + m * n * std::min(size, 1.0);
  if (total >= 0.99 * least) return {};
  return {{"traffic_byte.total is " + bytes(total) + ", and A, B and C of " + shape_text(*shape) +
               " in " + std::string(name(kernel->dtype)) + " are " + bytes(least) + " at least",
           "traffic_byte.total", total, least}};
}

Found write_allocate(const PointView& view) {
  const Account& stored = view.point.account;
  if (view.fault == CountFault::no_allocate) {
    const double moved = moved_traffic(stored).as_double();
    const double right = moved_traffic(*view.counted).as_double();
    return {{"traffic_byte.moved is " + bytes(moved) +
                 ", without the lines that its regular stores read first: " + bytes(right),
             "traffic_byte.moved", moved, right}};
  }
  if (bare_kernel(view) == nullptr || !view.device.id.starts_with("cpu")) return {};
  if (!directions_known(view) || view.point.placement.bound != Bound::memory) return {};
  const double out = written(stored);
  const double total = total_traffic(stored).as_double();
  constexpr double kNotable = 0.2;
  if (total <= 0 || out < kNotable * total) return {};
  Evidence found{percent(out / total) + " of its bytes are written: regular stores of a CPU read " +
                     bytes(out) + " more, and " + bytes(total + out) + " move",
                 "traffic_byte.moved"};
  found.severity = Severity::note;
  return {found};
}

/// Counts of products, streams and the like are checked one by one; those of bare kernels can only
/// be doubted together.
Found nearly_all_compute_bound(const DeviceView& device) {
  constexpr double kNearlyAll = 0.9;
  constexpr std::size_t kEnough = 5;
  std::size_t placed = 0;
  std::size_t compute = 0;
  std::size_t bare = 0;
  const Record* first = nullptr;
  for (const Record* point : device.points) {
    if (defines_roofs(point->workload) || !point->placement.bound) continue;
    ++placed;
    if (point->placement.bound != Bound::compute) continue;
    ++compute;
    if (!std::holds_alternative<Kernel>(point->workload)) continue;
    ++bare;
    if (first == nullptr) first = point;
  }
  if (placed < kEnough || bare == 0) return {};
  if (static_cast<double>(compute) < kNearlyAll * static_cast<double>(placed)) return {};
  return {{std::to_string(compute) + " of " + std::to_string(placed) +
           " points are compute-bound, and the bytes of " + std::to_string(bare) +
           " of them are as they were given, first " + first->id}};
}

}  // namespace roofline::audit_detail
