#include "roofline/roof_book.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "limits.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline {
namespace {

/// Read fraction of the traffic that a stream or transfer of this name makes, by the counts in
/// account().
std::optional<double> read_fraction_of_stream(std::string_view roof_name) {
  const std::string_view first = roof_name.substr(0, roof_name.find(' '));
  if (const auto kind = find_stream_kind(first))
    return read_fraction(account(Stream{.kind = *kind, .elements = 1}));
  if (const auto direction = find_transfer_direction(first))
    return read_fraction(account(Transfer{.direction = *direction, .bytes = 1}));
  return std::nullopt;
}

/// The stream's name; one with stores of the other kind is a roof of its own.
std::string roof_name(const Stream& stream) {
  return std::string(name(stream.kind)) + (stream.write_allocate ? " regular" : "");
}

std::string roof_name(const Transfer& transfer) {
  return std::string(name(transfer.direction)) +
         (transfer.host_memory == HostMemory::pageable ? " pageable" : "");
}

constexpr Origin kDemonstratedFirst[] = {Origin::user, Origin::measured, Origin::clock_adjusted,
                                         Origin::datasheet, Origin::derived};
constexpr Origin kRatedFirst[] = {Origin::user, Origin::datasheet, Origin::derived,
                                  Origin::clock_adjusted, Origin::measured};
constexpr Origin kHardware[] = {Origin::user, Origin::datasheet, Origin::derived,
                                Origin::clock_adjusted};
constexpr Origin kEmpirical[] = {Origin::measured};

std::span<const Origin> origins(PeakOrder order) {
  if (order == PeakOrder::rated_first) return kRatedFirst;
  return kDemonstratedFirst;
}

/// `placement`: only roofs measured with threads that lay so; nothing: all. `given`: only roofs of
/// the user, or only the others.
const MemoryRoof* nearest_mix(const std::vector<RoofEntry>& entries, Boundary boundary,
                              double wanted, std::optional<std::string_view> placement,
                              bool given) {
  const MemoryRoof* best = nullptr;
  double best_distance = 0;
  for (const RoofEntry& entry : entries) {
    const auto* roof = std::get_if<MemoryRoof>(&entry.roof);
    if (roof == nullptr || roof->boundary != boundary) continue;
    if ((roof->origin == Origin::user) != given) continue;
    if (placement && roof->placement != *placement) continue;
    // A roof that is no stream (a datasheet bandwidth) stands for every mix, behind any measured
    // one.
    const auto fraction = read_fraction_of_stream(entry.name);
    const double distance = fraction ? std::abs(*fraction - wanted) : 2.0;
    const bool nearer = best == nullptr || distance < best_distance;
    const bool faster =
        best != nullptr && distance == best_distance && roof->bandwidth > best->bandwidth;
    if (nearer || faster) {
      best = roof;
      best_distance = distance;
    }
  }
  return best;
}

constexpr std::string_view kBurst = " burst";

bool is_burst(const RoofEntry& entry) { return entry.name.ends_with(kBurst); }

/// Which of the best products count as peaks.
enum class Products { none, settled, all };

bool admitted(const RoofEntry& entry, Products products) {
  if (!is_best_product(entry)) return true;
  if (products == Products::none) return false;
  return products == Products::all || !is_burst(entry);
}

const ComputeRoof& compute_of(const RoofEntry& entry) { return std::get<ComputeRoof>(entry.roof); }

/// The highest dense peak of `key` among those of the first origin that has one.
const RoofEntry* find_compute(const std::vector<RoofEntry>& entries, PeakKey key,
                              std::span<const Origin> order, Products products) {
  for (const Origin origin : order) {
    const RoofEntry* best = nullptr;
    for (const RoofEntry& entry : entries) {
      const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
      if (roof == nullptr || roof->key != key || roof->origin != origin) continue;
      if (roof->sparsity != Sparsity::dense || !admitted(entry, products)) continue;
      if (best == nullptr || roof->peak > compute_of(*best).peak) best = &entry;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

std::vector<PeakKey> rows_for(const Workload& workload) {
  return peak_candidates(compute_dtype(workload), accumulate_dtype(workload), engine(workload));
}

/// The first of the datasheet's rows, best first, that has a peak.
const RoofEntry* first_peak(const std::vector<RoofEntry>& entries, const std::vector<PeakKey>& rows,
                            std::span<const Origin> order, Products products = Products::none) {
  for (const PeakKey key : rows) {
    if (const RoofEntry* entry = find_compute(entries, key, order, products)) return entry;
  }
  return nullptr;
}

std::optional<ComputeRoof> peak_of(const RoofEntry* entry) {
  return entry == nullptr ? std::nullopt : std::optional(compute_of(*entry));
}

RooflinePeaks both_peaks(const std::vector<RoofEntry>& entries, const std::vector<PeakKey>& rows,
                         Products products) {
  RooflinePeaks out{peak_of(first_peak(entries, rows, kHardware)), {}};
  if (const RoofEntry* measured = first_peak(entries, rows, kEmpirical, products)) {
    out.empirical = compute_of(*measured);
    out.empirical_point = measured->point;
  }
  return out;
}

/// Of the rated roofs and the measured ones, the same one each time: what it was measured at, or
/// through, tells them apart.
bool same_roof(const ComputeRoof& a, const ComputeRoof& b) {
  return a.origin == b.origin && a.key == b.key && a.sparsity == b.sparsity;
}
bool same_roof(const MemoryRoof& a, const MemoryRoof& b) {
  return a.origin == b.origin && a.boundary == b.boundary && a.placement == b.placement;
}
bool same_roof(const OverheadRoof& a, const OverheadRoof& b) {
  return a.origin == b.origin && a.path == b.path;
}
bool better(const ComputeRoof& a, const ComputeRoof& b) { return a.peak > b.peak; }
bool better(const MemoryRoof& a, const MemoryRoof& b) { return a.bandwidth > b.bandwidth; }
bool better(const OverheadRoof& a, const OverheadRoof& b) { return a.time < b.time; }

std::string missing_peak(DType dtype, Engine units) {
  return "no " + std::string(name(dtype)) + " peak of the " + std::string(name(units)) +
         " units is known for this device";
}

}  // namespace

void RoofBook::add(RoofEntry entry) {
  for (RoofEntry& known : entries_) {
    if (known.name != entry.name || known.roof.index() != entry.roof.index()) continue;
    const auto [same, fresh_is_better] = std::visit(
        [&](const auto& fresh) {
          const auto& old = std::get<std::decay_t<decltype(fresh)>>(known.roof);
          return std::pair{same_roof(fresh, old), better(fresh, old)};
        },
        entry.roof);
    if (!same) continue;
    if (fresh_is_better) known = std::move(entry);
    return;
  }
  entries_.push_back(std::move(entry));
}

void RoofBook::explain_missing_overhead(LaunchPath path, const Outcome& outcome) {
  std::string why;
  if (const auto* measured = std::get_if<Measured>(&outcome)) {
    if (measured->verification.state != VerificationState::verified) {
      why = "was not verified";
    } else if (!trusted(measured->end)) {
      why = "ended " + std::string(name(measured->end));
    }
  } else if (const auto* failed = std::get_if<Failed>(&outcome)) {
    why = "failed: " + failed->reason;
  } else if (const auto* skipped = std::get_if<Skipped>(&outcome)) {
    why = "was skipped: " + skipped->reason;
  } else {
    why = "gave a wrong result";
  }
  if (why.empty()) {
    no_overhead_.erase(path);
  } else {
    no_overhead_[path] =
        "the empty " + std::string(name(path)) + " call that it is held against " + why;
  }
}

void RoofBook::learn(const Record& record) {
  if (const auto* launch = std::get_if<Launch>(&record.workload))
    explain_missing_overhead(launch->path, record.outcome);
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr || in_second(measured->time_median) <= 0) return;
  if (measured->verification.state != VerificationState::verified) return;
  if (defines_roofs(record.workload) && !trusted(measured->end)) {
    disturbed_ = true;
    return;
  }
  if (const auto* stream = std::get_if<Stream>(&record.workload)) {
    // A set of a size of its own may lie elsewhere than the roof that it would be taken for.
    const std::string lies = text_fact(record.implementation, "level");
    if (!lies.empty() && lies != name(record.account.boundary)) return;
    const Bytes bytes = byte(total_traffic(record.account).as_double());
    add_measured(
        {roof_name(*stream),
         MemoryRoof{bytes / measured->time_median, record.account.boundary, Origin::measured,
                    "stream " + roof_name(*stream) + ", median", measured->placement},
         record.id});
  } else if (const auto* transfer = std::get_if<Transfer>(&record.workload)) {
    const Bytes bytes = byte(total_traffic(record.account).as_double());
    add_measured(
        {roof_name(*transfer),
         MemoryRoof{bytes / measured->time_median, record.account.boundary, Origin::measured,
                    "transfer " + roof_name(*transfer) + ", median", measured->placement},
         record.id});
  } else if (const auto* probe = std::get_if<PeakProbe>(&record.workload)) {
    learn_peak(record, *probe, *measured);
  } else if (const auto* gemm = std::get_if<Gemm>(&record.workload)) {
    learn_product(record, *gemm, *measured);
  } else if (const auto* launch = std::get_if<Launch>(&record.workload)) {
    add({std::string(name(launch->path)) + " launch",
         OverheadRoof{measured->time_median, launch->path, Origin::measured, "empty call, median"},
         record.id});
  }
}

void RoofBook::learn_peak(const Record& record, const PeakProbe& probe, const Measured& measured) {
  const auto key = probed_key(probe.dtype);
  if (!key || !record.account.work) return;
  const std::string dtype(name(probe.dtype));
  add_measured({dtype,
                ComputeRoof{flop(record.account.work->as_double()) / measured.time_median, *key,
                            Sparsity::dense, Origin::measured, "register-resident FMA loop, median",
                            measured.clock},
                record.id});
  if (auto derived = derived_peak(record)) add(std::move(*derived));
}

/// Zeros and the like draw less power than data do: what they reach is no roof of anything else.
void RoofBook::learn_product(const Record& record, const Gemm& gemm, const Measured& measured) {
  if (order_ != PeakOrder::rated_first || gemm.data != DataPattern::random) return;
  if (!trusted(measured.end) || !record.account.work) return;
  const auto rows = rows_of(record.workload);
  if (rows.empty()) return;
  const PeakKey key = rows.front();
  const bool burst = gemm.duration == LoadDuration::burst;
  add_measured({std::string(name(key)) + " product" + (burst ? std::string(kBurst) : ""),
                ComputeRoof{flop(record.account.work->as_double()) / measured.time_median, key,
                            Sparsity::dense, Origin::measured, "best GEMM of random data, median",
                            measured.clock},
                record.id});
}

/// Where peaks are rated, the units that a type's products run on are those of the first row that
/// is: what others reach, the probe's ordinary ones for fp64, is no roof of theirs.
std::vector<PeakKey> RoofBook::rows_of(const Workload& workload) const {
  std::vector<PeakKey> rows = rows_for(workload);
  if (order_ != PeakOrder::rated_first || rows.size() < 2) return rows;
  const RoofEntry* rated = first_peak(entries_, rows, kHardware);
  return {rated == nullptr ? rows.front() : compute_of(*rated).key};
}

/// What passes its rating by more than can be is a wrong count, time or rating, and no roof.
void RoofBook::add_measured(RoofEntry entry) {
  // What a probe's own clock derives is no rating.
  const auto is_rating = [&](Origin origin) {
    return origin == Origin::datasheet ||
           (origin == Origin::derived && order_ == PeakOrder::rated_first);
  };
  const auto beyond = [&](const RoofEntry& known) {
    if (known.roof.index() != entry.roof.index()) return false;
    if (const auto* rated = std::get_if<MemoryRoof>(&known.roof)) {
      const auto& roof = std::get<MemoryRoof>(entry.roof);
      return is_rating(rated->origin) && rated->boundary == roof.boundary &&
             roof.bandwidth > kImpossible * rated->bandwidth;
    }
    const auto* rated = std::get_if<ComputeRoof>(&known.roof);
    if (rated == nullptr) return false;
    const auto& roof = std::get<ComputeRoof>(entry.roof);
    return is_rating(rated->origin) && rated->key == roof.key &&
           rated->sparsity == Sparsity::dense && roof.peak > kImpossible * rated->peak;
  };
  if (std::none_of(entries_.begin(), entries_.end(), beyond)) add(std::move(entry));
}

Roofs RoofBook::roofs_for(const Workload& workload, const Account& account,
                          std::string_view placement) const {
  Roofs out;
  out.compute = peak_of(first_peak(entries_, rows_of(workload), origins(order_)));
  const std::string why = disturbed_ ? " (other work disturbed the measurement of roofs)" : "";
  if (!out.compute) {
    out.compute_reason = missing_peak(compute_dtype(workload), engine(workload)) +
                         (no_peaks_.empty() ? "" : ": " + no_peaks_) + why;
  }
  const auto fraction = read_fraction(account);
  // Without traffic of its own (a bare intensity) a read stream is the memory roof.
  const double wanted = fraction.value_or(1.0);
  const Boundary boundary = account.boundary;
  const MemoryRoof* memory = nearest_mix(entries_, boundary, wanted, {}, true);
  if (memory == nullptr) memory = nearest_mix(entries_, boundary, wanted, placement, false);
  // A roof of other placement is better than none; its own placement stands beside it.
  if (memory == nullptr) memory = nearest_mix(entries_, boundary, wanted, {}, false);
  if (memory != nullptr) {
    out.memory = *memory;
  } else {
    const auto known = no_bandwidth_.find(boundary);
    out.memory_reason = "no " + std::string(name(boundary)) +
                        " bandwidth is known for this device" +
                        (known == no_bandwidth_.end() ? "" : ": " + known->second) + why;
  }
  const std::span<const LaunchPath> paths = empty_calls(workload);
  for (const RoofEntry& entry : entries_) {
    const auto* overhead = std::get_if<OverheadRoof>(&entry.roof);
    if (overhead == nullptr || std::find(paths.begin(), paths.end(), overhead->path) == paths.end())
      continue;
    const bool given = overhead->origin == Origin::user;
    const bool had = out.overhead && out.overhead->origin == Origin::user;
    const bool lower = !out.overhead || overhead->time < out.overhead->time;
    if (given != had ? given : lower) out.overhead = *overhead;
  }
  if (out.overhead) return out;
  for (const LaunchPath path : paths) {
    const auto missing = no_overhead_.find(path);
    if (missing != no_overhead_.end()) out.overhead_reason = missing->second;
  }
  return out;
}

RooflinePeaks RoofBook::peaks_for(const Workload& workload) const {
  const bool burst = load_duration(workload) == LoadDuration::burst;
  return both_peaks(entries_, rows_of(workload), burst ? Products::all : Products::settled);
}

RooflinePeaks RoofBook::peaks_of(PeakKey key) const {
  return both_peaks(entries_, {key}, Products::settled);
}

RoofContext RoofBook::context_for(const Roofs& roofs) const {
  RoofContext out;
  for (const PeakKey key : peak_keys()) {
    if (roofs.compute && key == roofs.compute->key) continue;
    if (const RoofEntry* entry = find_compute(entries_, key, origins(order_), Products::none))
      out.other_peaks.push_back(compute_of(*entry));
  }
  const MemoryRoof* rated = nullptr;
  for (const RoofEntry& entry : entries_) {
    const auto* peak = std::get_if<ComputeRoof>(&entry.roof);
    if (peak != nullptr && roofs.compute && peak->key == roofs.compute->key &&
        peak->sparsity == Sparsity::sparse_2_4) {
      out.sparse_peak = std::max(out.sparse_peak.value_or(peak->peak), peak->peak);
    }
    if (roofs.memory) rated = better_rating(rated, entry, roofs.memory->boundary);
  }
  if (rated != nullptr) out.rated_memory = *rated;
  return out;
}

const MemoryRoof* better_rating(const MemoryRoof* known, const RoofEntry& entry,
                                Boundary boundary) {
  const auto* memory = std::get_if<MemoryRoof>(&entry.roof);
  if (memory == nullptr || memory->boundary != boundary) return known;
  if (memory->origin != Origin::datasheet && memory->origin != Origin::derived) return known;
  if (known == nullptr) return memory;
  if (memory->origin != known->origin) return memory->origin == Origin::datasheet ? memory : known;
  return memory->bandwidth > known->bandwidth ? memory : known;
}

std::optional<double> read_fraction(const Account& account) {
  const Count all = total_traffic(account);
  if (all.value() == 0) return std::nullopt;
  return read_traffic(account).as_double() / all.as_double();
}

std::optional<RoofEntry> derived_peak(const Record& record) {
  const auto* probe = std::get_if<PeakProbe>(&record.workload);
  const auto* measured = std::get_if<Measured>(&record.outcome);
  if (probe == nullptr || measured == nullptr) return std::nullopt;
  const auto key = probed_key(probe->dtype);
  const Facts& facts = record.implementation;
  const auto per_cycle = number_fact(facts, "ideal_flop_per_cycle");
  const auto threads = number_fact(facts, "threads");
  std::optional<double> clock = number_fact(facts, "clock_hz");
  if (measured->clock) clock = in_hertz(*measured->clock);
  // Two threads of one core share its units; how many cores there are is not known then.
  if (!key || !per_cycle || !threads || !clock || flag_fact(facts, "threads_share_cores"))
    return std::nullopt;
  return RoofEntry{std::string(name(probe->dtype)),
                   ComputeRoof{flop_per_s(*threads * *per_cycle * *clock), *key, Sparsity::dense,
                               Origin::derived, "threads x FLOP per cycle x clock of " + record.id,
                               hertz(*clock)},
                   ""};
}

std::optional<PeakKey> probed_key(DType dtype) {
  const auto keys = rows_for(PeakProbe{.dtype = dtype});
  if (keys.empty()) return std::nullopt;
  return keys.front();
}

bool is_best_product(const RoofEntry& entry) {
  const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
  return roof != nullptr && roof->origin == Origin::measured && entry.point.starts_with("gemm/");
}

bool defines_roofs(const Workload& workload) {
  return std::holds_alternative<PeakProbe>(workload) || std::holds_alternative<Stream>(workload) ||
         std::holds_alternative<Launch>(workload) || std::holds_alternative<Transfer>(workload);
}

}  // namespace roofline
