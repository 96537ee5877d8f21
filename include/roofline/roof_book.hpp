// The roofs that are known of one device, looked up or measured, and which of them a workload is
// held against: arithmetic by its type and units, traffic by its own mix of reads and writes (a
// read-only stream and a copy reach different rates on the same memory).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline {

/// Which of several peaks of one type a point is held against, best first. A peak that the user
/// gave always wins; within one origin the highest does.
enum class PeakOrder {
  /// user, measured, clock_adjusted, datasheet, derived: for a device whose peak a probe shows, and
  /// whose datasheet says nothing of the machine it stands in (a CPU, in a virtual machine above
  /// all).
  demonstrated_first,
  /// user, datasheet, derived, clock_adjusted, measured: for a device with a dense rated peak of
  /// each type (a GPU). MFU is by convention against that one; what a probe reached stands beside
  /// it as the empirical roofline.
  rated_first,
};

class RoofBook {
 public:
  explicit RoofBook(PeakOrder order = PeakOrder::demonstrated_first) : order_(order) {}

  /// A later entry of the same name replaces a slower one of the same origin.
  void add(RoofEntry entry);
  /// Why the book holds no rated peak, or no rated bandwidth of a boundary: becomes part of the
  /// reason where a point finds none at all.
  void explain_missing_peaks(std::string reason) { no_peaks_ = std::move(reason); }
  void explain_missing_bandwidth(Boundary boundary, std::string reason) {
    no_bandwidth_[boundary] = std::move(reason);
  }
  /// What a finished stream, transfer, peak or launch point says about the device; where rated
  /// peaks come first, a GEMM of random data as well (is_best_product()); anything else is ignored.
  /// A peak probe that knows its instruction's FLOP per cycle and the clock it ran at also says
  /// what the units could do: threads x FLOP per cycle x clock, a derived roof. A disturbed point
  /// shows no roof, only that nobody measured one: the reason of a missing roof then says so. Nor
  /// does a reading that lies impossibly far above what is rated.
  void learn(const Record& record);

  /// Memory and overhead that the user gave win over measured ones, too.
  /// `placement`: how the threads lay (see Sample); a roof measured with threads that lay so is
  /// preferred.
  [[nodiscard]] Roofs roofs_for(const Workload& workload, const Account& account,
                                std::string_view placement = {}) const;
  /// The peaks under the two rooflines of a workload: the hardware's is user's, datasheet's,
  /// derived or clock-adjusted, in this order; the empirical one is measured.
  [[nodiscard]] RooflinePeaks peaks_for(const Workload& workload) const;
  [[nodiscard]] RooflinePeaks peaks_of(PeakKey key) const;
  /// What else the book holds that tells the causes of a reading above `roofs` apart: dense peaks
  /// of other types, the sparse peak of the same one, the rated bandwidth behind a measured one.
  [[nodiscard]] RoofContext context_for(const Roofs& roofs) const;
  [[nodiscard]] const std::vector<RoofEntry>& entries() const { return entries_; }

 private:
  [[nodiscard]] std::vector<PeakKey> rows_of(const Workload& workload) const;
  void add_measured(RoofEntry entry);
  void explain_missing_overhead(LaunchPath path, const Outcome& outcome);
  void learn_peak(const Record& record, const PeakProbe& probe, const Measured& measured);
  void learn_product(const Record& record, const Gemm& gemm, const Measured& measured);

  std::vector<RoofEntry> entries_;
  PeakOrder order_;
  std::string no_peaks_;
  std::map<Boundary, std::string> no_bandwidth_;
  std::map<LaunchPath, std::string> no_overhead_;  ///< what became of an empty call instead
  bool disturbed_ = false;  ///< a point that would have shown a roof was disturbed
};

/// The better of two ratings of a boundary's bandwidth: the data sheet's before a derived one, then
/// the higher. `known`: null for none.
[[nodiscard]] const MemoryRoof* better_rating(const MemoryRoof* known, const RoofEntry& entry,
                                              Boundary boundary);

/// Whether the entry is the best product of its type so far: a peak of the empirical roofline
/// alone, which points are held against beside their roof and never instead of it. That of a burst
/// stands apart, and only bursts are held against it.
[[nodiscard]] bool is_best_product(const RoofEntry& entry);

/// True of what shows a roof by being measured: streams, transfers, peak probes and launches.
[[nodiscard]] bool defines_roofs(const Workload& workload);

/// The fraction of counted traffic that is read. Nothing where no byte moves.
[[nodiscard]] std::optional<double> read_fraction(const Account& account);

/// The datasheet row that a peak probe of `dtype` measures on a device without separate matrix
/// units.
[[nodiscard]] std::optional<PeakKey> probed_key(DType dtype);

/// What the units could do by a measured probe's FLOP per cycle, threads and clock; nothing where
/// one of them is not known.
[[nodiscard]] std::optional<RoofEntry> derived_peak(const Record& record);

/// Whether one call makes many of the iterations that are timed, so that no part of theirs is what
/// a call takes: of arithmetic probes always, of streams where the implementation says
/// `passes_per_launch`.
[[nodiscard]] bool iterates_within_call(const Record& record);

/// Fills roofs, placement, rows, assessment, observed side, both rooflines and defines_roof of a
/// record from the book. The prediction is left alone: it was made before.
void place_record(Record& record, const RoofBook& book);

/// The prediction that a workload gets from what is in the book now.
[[nodiscard]] Prediction predict(const Workload& workload, const Account& account,
                                 const RoofBook& book);

}  // namespace roofline
