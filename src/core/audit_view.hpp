// What the rules of the audit look at: a point, its device and the report, with what follows from
// their raw figures worked out once. Internal to the core.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/audit.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::audit_detail {

struct ReportView {
  const Report& report;
  std::size_t* numbers;  ///< that were compared
  /// By device and point.
  std::multimap<std::pair<std::string_view, std::string_view>, const Evidence*> misstated = {};
};

/// A device with its facts, roofs and points.
struct DeviceView {
  const ReportView& whole;
  std::string id;
  std::string name;
  const Facts* own_facts = nullptr;  ///< beside the environment's
  std::vector<const RoofEntry*> roofs = {};
  std::vector<const Record*> points = {};
  std::map<std::string_view, const Record*> by_id = {};
  std::optional<double> last_level_cache_byte = {};

  [[nodiscard]] const FactValue* fact(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  /// The rated or derived bandwidth of a boundary; null where there is none.
  [[nodiscard]] const MemoryRoof* rated_memory(Boundary boundary) const;
};

/// All that follows from a workload, its counts, roofs and time.
struct Derived {
  Account account;
  Placement placement;
  RowsToRidge rows;
  std::optional<Assessment> assessment;
  ObservedSide observed;
  Rooflines rooflines;
};

/// The figures of a set of samples.
struct Figures {
  double median_s = 0;
  double minimum_s = 0;
  double noise = 0;
  std::optional<Interval> interval;
  std::optional<double> clock_hz;
};

/// How the counts of a point differ from those of its workload.
enum class CountFault {
  none,
  fma_as_one,   ///< half of the work
  c_not_read,   ///< the C that beta reads is missing
  not_written,  ///< a result is missing
  no_allocate,  ///< lines that stores read are missing
  other,
};

struct PointView {
  const DeviceView& device;
  const Record& point;
  const Measured* measured = nullptr;
  /// The counts of the workload; nothing where they cannot be had, with the reason where that is a
  /// fault.
  std::optional<Account> counted = {};
  std::string uncountable = {};
  CountFault fault = CountFault::none;
  /// From the counts, roofs and time as they stand, and where the counts or the time are wrong also
  /// from the right ones: a number that agrees with either is not itself at fault.
  std::vector<Derived> derived = {};
  /// Of the samples that may have counted, likeliest first. Empty without samples.
  std::vector<Figures> figures = {};

  [[nodiscard]] const Report& report() const { return device.whole.report; }
};

[[nodiscard]] ReportView report_view(const Report& report, const AsWritten& file,
                                     std::size_t& numbers);
[[nodiscard]] std::vector<DeviceView> devices_of(const ReportView& whole);
[[nodiscard]] PointView view_of(const DeviceView& device, const Record& point);

/// Compares what the file has with what it should have. What the file lacks is no fault: an older
/// program did not write it.
class Comparison {
 public:
  explicit Comparison(const ReportView& whole) : whole_(whole) {}

  /// `expected`: any of these is right.
  void number(std::string_view field, std::optional<double> stored,
              const std::vector<std::optional<double>>& expected);
  void number(std::string_view field, std::optional<double> stored, std::optional<double> expected);
  void word(std::string_view field, std::string_view stored,
            const std::vector<std::string>& expected);
  [[nodiscard]] std::vector<Evidence> take() { return std::move(found_); }

 private:
  const ReportView& whole_;
  std::vector<Evidence> found_;
};

/// Nine significant digits: enough to show how two numbers differ.
[[nodiscard]] std::string digits(double value);

/// In SI units.
template <int F, int B, int S>
std::optional<double> plain(const std::optional<Quantity<F, B, S>>& value) {
  if (!value) return std::nullopt;
  return value->si();
}

}  // namespace roofline::audit_detail
