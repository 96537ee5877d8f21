// The roofs that are known of one device, looked up or measured, and which of them a workload is
// held against: arithmetic by its type and units, traffic by its own mix of reads and writes (a
// read-only stream and a copy reach different rates on the same memory).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline {

class RoofBook {
 public:
  /// A later entry of the same name replaces a slower one of the same origin.
  void add(RoofEntry entry);
  /// What a finished stream or peak point says about the device; anything else is ignored. A
  /// disturbed point shows no roof, only that nobody measured one: the reason of a missing roof
  /// then says so.
  void learn(const Record& record);

  /// `placement`: how the threads lay (see Sample); a roof measured with threads that lay so is
  /// preferred.
  [[nodiscard]] Roofs roofs_for(const Workload& workload, const Account& account,
                                std::string_view placement = {}) const;
  [[nodiscard]] const std::vector<RoofEntry>& entries() const { return entries_; }

 private:
  std::vector<RoofEntry> entries_;
  bool disturbed_ = false;  ///< a point that would have shown a roof was disturbed
};

/// True of what shows a roof by being measured: streams, peak probes and launches.
[[nodiscard]] bool defines_roofs(const Workload& workload);

/// The fraction of counted traffic that is read. Nothing where no byte moves.
[[nodiscard]] std::optional<double> read_fraction(const Account& account);

/// The datasheet row that a peak probe of `dtype` measures on a device without separate matrix
/// units.
[[nodiscard]] std::optional<PeakKey> probed_key(DType dtype);

/// Fills roofs, placement, rows, assessment, observed side and defines_roof of a record from the
/// book. The prediction is left alone: it was made before.
void place_record(Record& record, const RoofBook& book);

/// The prediction that a workload gets from what is in the book now.
[[nodiscard]] Prediction predict(const Workload& workload, const Account& account,
                                 const RoofBook& book);

}  // namespace roofline
