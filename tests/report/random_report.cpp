// Reports of arbitrary values: what the format must carry is more than what the library makes.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "sample_reports.hpp"

namespace roofline::test {
namespace {

/// Values from all over the range of each type, extremes among them.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool coin() { return (engine_() & 1) != 0; }
  std::uint64_t count() {
    switch (below(4)) {
      case 0:
        return below(10);
      case 1:
        return std::numeric_limits<std::uint64_t>::max() - below(3);
      case 2:
        return (std::uint64_t{1} << 53) + below(3);
      default:
        return engine_() >> below(64);
    }
  }
  double number() {
    if (below(8) == 0) return 0;
    const double mantissa = 1 + static_cast<double>(engine_() >> 12) * 0x1p-52;
    return std::ldexp(mantissa, static_cast<int>(below(400)) - 200);
  }
  std::string text() {
    static const std::string kTexts[] = {"",
                                         "plain",
                                         R"(with "quotes" and \)",
                                         "tab\there\nand a line",
                                         "grüß \xE2\x82\xAC",
                                         "bad \xFF utf-8",
                                         std::string("nul\0l", 5)};
    return kTexts[below(std::size(kTexts))];
  }
  template <class T, std::size_t N>
  T one_of(const T (&all)[N]) {
    return all[below(N)];
  }
  template <class Make>
  auto maybe(Make make) {
    return coin() ? std::optional(make()) : std::nullopt;
  }
  DType dtype() { return dtypes()[below(dtypes().size())].dtype; }
  PeakKey peak_key() { return peak_keys()[below(peak_keys().size())]; }

  Origin origin() {
    return one_of({Origin::datasheet, Origin::derived, Origin::clock_adjusted, Origin::measured,
                   Origin::user});
  }
  Boundary boundary() {
    return one_of({Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1, Boundary::link});
  }
  Bound bound() { return one_of({Bound::memory, Bound::compute, Bound::overhead}); }
  Performance performance() { return flop_per_s(number()); }
  Bandwidth bandwidth() { return byte_per_s(number()); }
  Seconds seconds() { return second(number()); }
  Frequency clock() { return hertz(number() + 1e-60); }
  Boundary level() {
    return one_of({Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1, Boundary::link});
  }
  DataPattern data() {
    return one_of(
        {DataPattern::random, DataPattern::zeros, DataPattern::ones, DataPattern::integers});
  }
  LoadDuration duration() {
    return one_of({LoadDuration::turns, LoadDuration::burst, LoadDuration::sustained});
  }
  LaunchPath path() {
    return one_of({LaunchPath::kernel, LaunchPath::library, LaunchPath::graph, LaunchPath::event});
  }
  Intensity intensity() { return flop_per_byte(number()); }

 private:
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *(all.begin() + below(all.size()));
  }
  std::mt19937_64 engine_;
};

Workload random_workload(Dice& d) {
  switch (d.below(8)) {
    case 0:
      return Gemm{.m = d.count(),
                  .n = d.count(),
                  .k = d.count(),
                  .batch = d.count(),
                  .input = d.dtype(),
                  .accumulate = d.maybe([&] { return d.dtype(); }),
                  .output = d.maybe([&] { return d.dtype(); }),
                  .transpose_a = d.coin(),
                  .transpose_b = d.coin(),
                  .alpha = -d.number(),
                  .beta = d.number(),
                  .convert_a_from = d.maybe([&] { return d.dtype(); }),
                  .convert_b_from = d.maybe([&] { return d.dtype(); }),
                  .data = d.data(),
                  .duration = d.duration()};
    case 1:
      return Projection{.rows = d.count(),
                        .d_in = d.count(),
                        .d_out = d.count(),
                        .activation = d.dtype(),
                        .weight = d.maybe([&] { return d.dtype(); }),
                        .scale_group = d.count(),
                        .scale_bits = static_cast<unsigned>(d.below(33)),
                        .output = d.maybe([&] { return d.dtype(); }),
                        .level = d.level()};
    case 2: {
      constexpr StreamKind kKinds[] = {StreamKind::read,  StreamKind::write, StreamKind::copy,
                                       StreamKind::scale, StreamKind::add,   StreamKind::triad,
                                       StreamKind::update};
      return Stream{.kind = d.one_of(kKinds),
                    .elements = d.count(),
                    .dtype = d.dtype(),
                    .write_allocate = d.coin(),
                    .level = d.level()};
    }
    case 3:
      return Elementwise{.elements = d.count(),
                         .ops = d.count(),
                         .ops_per_kernel = d.count(),
                         .inputs = d.count(),
                         .dtype = d.dtype()};
    case 4:
      return Kernel{.flops = d.maybe([&] { return Count{d.count()}; }),
                    .read_bytes = d.maybe([&] { return Count{d.count()}; }),
                    .write_bytes = d.maybe([&] { return Count{d.count()}; }),
                    .intensity = d.maybe([&] { return d.intensity(); }),
                    .dtype = d.dtype(),
                    .accumulate = d.maybe([&] { return d.dtype(); }),
                    .engine = d.maybe([&] { return d.coin() ? Engine::tensor : Engine::vector; })};
    case 5:
      return PeakProbe{.dtype = d.dtype(), .flops = d.count()};
    case 6:
      return Transfer{
          .direction = d.coin() ? TransferDirection::to_device : TransferDirection::to_host,
          .host_memory = d.coin() ? HostMemory::pinned : HostMemory::pageable,
          .bytes = d.count()};
    default:
      return Launch{d.path()};
  }
}

Facts random_facts(Dice& d) {
  Facts out;
  const std::uint64_t count = d.below(7);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key = "key_" + std::to_string(i) + d.text();
    switch (d.below(7)) {
      case 0:
        out.push_back({key, Unknown{d.text()}});
        break;
      case 1:
        out.push_back({key, d.coin()});
        break;
      case 2:
        out.push_back({key, d.count()});
        break;
      case 3:
        out.push_back({key, -d.number()});
        break;
      case 4:
        out.push_back({key, d.text()});
        break;
      default:
        out.push_back({key, std::vector<std::string>{d.text(), d.text()}});
        break;
    }
  }
  return out;
}

Account random_account(Dice& d) {
  Account out;
  out.work = d.maybe([&] { return Count{d.count()}; });
  out.convention = d.text();
  out.boundary = d.boundary();
  const std::uint64_t tensors = d.below(4);
  for (std::uint64_t i = 0; i < tensors; ++i) {
    // A quarter of the range each, so that the sum fits.
    out.traffic.push_back({"tensor " + std::to_string(i),
                           d.coin() ? Direction::read : Direction::write, Count{d.count() / 4}});
  }
  if (d.coin()) out.write_allocate = Count{d.count() / 4};
  return out;
}

ComputeRoof random_compute_roof(Dice& d) {
  return {flop_per_s(d.number() + 1e-60),
          d.peak_key(),
          d.coin() ? Sparsity::dense : Sparsity::sparse_2_4,
          d.origin(),
          d.text(),
          d.maybe([&] { return d.clock(); })};
}

MemoryRoof random_memory_roof(Dice& d) {
  return {byte_per_s(d.number() + 1e-60), d.boundary(), d.origin(), d.text(), d.text()};
}

OverheadRoof random_overhead(Dice& d) { return {d.seconds(), d.path(), d.origin(), d.text()}; }

Assessment random_assessment(Dice& d) {
  constexpr Verdict kVerdicts[] = {Verdict::at_memory_roof,  Verdict::below_memory_roof,
                                   Verdict::at_compute_roof, Verdict::below_compute_roof,
                                   Verdict::overhead_bound,  Verdict::impossible,
                                   Verdict::unknown};
  Assessment out;
  out.time = d.maybe([&] { return d.seconds(); });
  out.achieved = d.maybe([&] { return d.performance(); });
  out.achieved_bandwidth = d.maybe([&] { return d.bandwidth(); });
  out.mfu = d.maybe([&] { return d.number(); });
  out.executed = d.maybe([&] { return d.performance(); });
  out.hfu = d.maybe([&] { return d.number(); });
  out.clock_adjusted_peak = d.maybe([&] { return d.performance(); });
  out.clock_adjusted_mfu = d.maybe([&] { return d.number(); });
  out.of_ceiling = d.maybe([&] { return d.number(); });
  out.verdict = d.one_of(kVerdicts);
  out.above_roof = d.coin();
  out.impossible = d.coin();
  if (d.coin()) out.causes = {{"id", d.text()}, {d.text(), "text"}};
  return out;
}

Roofline random_curve(Dice& d) {
  Roofline out;
  if (d.coin()) {
    // Always dense, and its clock stands in the list of roofs.
    out.peak = random_compute_roof(d);
    out.peak->sparsity = Sparsity::dense;
    out.peak->clock.reset();
  }
  out.ceiling = d.maybe([&] { return d.performance(); });
  out.reason = d.text();
  return out;
}

Rooflines random_rooflines(Dice& d) {
  Rooflines out{random_curve(d),
                random_curve(d),
                d.maybe([&] { return d.number(); }),
                d.text(),
                d.maybe([&] { return d.number(); }),
                d.text(),
                d.maybe([&] { return d.number(); }),
                d.text()};
  out.empirical.point = d.text();
  return out;
}

Telemetry random_telemetry(Dice& d) {
  const auto events = [&] {
    ClockEvents out;
    for (const ClockEvent event : clock_events()) {
      if (d.coin()) out.add(event);
    }
    return out;
  };
  return {d.maybe([&] { return d.clock(); }), d.maybe([&] { return d.number(); }),
          d.maybe([&] { return -d.number(); }), d.maybe(events)};
}

Hypothesis random_hypothesis(Dice& d) {
  return {d.text(), d.text(), d.text(), d.text(), d.text(), d.number()};
}

Outcome random_outcome(Dice& d) {
  constexpr VerificationState kStates[] = {
      VerificationState::verified, VerificationState::incorrect, VerificationState::unverified};
  switch (d.below(4)) {
    case 0:
      return Skipped{d.text()};
    case 1:
      return Failed{d.text()};
    case 2:
      return Incorrect{{d.one_of(kStates), d.text()}};
    default:
      break;
  }
  constexpr MeasurementEnd kEnds[] = {
      MeasurementEnd::converged, MeasurementEnd::budget_spent,       MeasurementEnd::contended,
      MeasurementEnd::throttled, MeasurementEnd::placement_unstable, MeasurementEnd::interrupted,
      MeasurementEnd::unsettled};
  constexpr Disturbance kDisturbances[] = {Disturbance::contended, Disturbance::moved,
                                           Disturbance::throttled};
  Measured out;
  const std::uint64_t samples = d.below(4);
  for (std::uint64_t i = 0; i < samples; ++i) {
    out.samples.push_back({.duration = d.seconds(),
                           .iterations = d.count(),
                           .cpu_share = d.maybe([&] { return d.number(); }),
                           .clock = d.maybe([&] { return d.clock(); }),
                           .placement = d.text(),
                           .disturbance = d.maybe([&] { return d.one_of(kDisturbances); }),
                           .telemetry = random_telemetry(d),
                           .repetition = d.below(3)});
  }
  out.time_median = d.seconds();
  out.time_interval = d.maybe([&] { return Interval{d.number(), d.number(), 0.95}; });
  out.time_min = d.seconds();
  out.noise = d.number();
  out.clock = d.maybe([&] { return d.clock(); });
  out.placement = d.text();
  out.telemetry = random_telemetry(d);
  out.end = d.one_of(kEnds);
  out.verification = {d.one_of(kStates), d.text()};
  return out;
}

Record random_point(Dice& d) {
  constexpr Agreement kAgreements[] = {Agreement::confirmed, Agreement::refuted,
                                       Agreement::undecided};
  Record out;
  out.id = d.text();
  out.device_id = d.text();
  out.device_name = d.text();
  out.workload = random_workload(d);
  out.account = random_account(d);
  if (const auto* kernel = std::get_if<Kernel>(&out.workload))
    out.account.stated_intensity = kernel->intensity;
  out.roofs.compute = d.maybe([&] { return random_compute_roof(d); });
  out.roofs.compute_reason = d.text();
  out.roofs.memory = d.maybe([&] { return random_memory_roof(d); });
  out.roofs.memory_reason = d.text();
  out.roofs.overhead = d.maybe([&] { return random_overhead(d); });
  out.placement.intensity = d.maybe([&] { return d.intensity(); });
  out.placement.ridge = d.maybe([&] { return d.intensity(); });
  out.placement.ridge_distance = d.maybe([&] { return d.number(); });
  out.placement.bound = d.maybe([&] { return d.bound(); });
  out.placement.near_ridge = d.coin();
  out.placement.ceiling = d.maybe([&] { return d.performance(); });
  out.placement.mfu_ceiling = d.maybe([&] { return d.number(); });
  out.placement.floor = d.maybe([&] { return d.seconds(); });
  out.rows = {d.maybe([&] { return d.number(); }), d.maybe([&] { return d.count(); }), d.text()};
  out.assessment = d.maybe([&] { return random_assessment(d); });
  out.rooflines = random_rooflines(d);
  for (std::uint64_t i = d.below(3); i > 0; --i) out.hypotheses.push_back(random_hypothesis(d));
  out.prediction = {d.maybe([&] { return d.bound(); }), d.maybe([&] { return d.intensity(); }),
                    d.maybe([&] { return d.origin(); }), d.text()};
  out.outcome = random_outcome(d);
  out.modelled_time = d.maybe([&] { return d.seconds(); });
  out.defines_roof = d.coin();
  out.observed = {d.maybe([&] { return d.bound(); }), d.one_of(kAgreements)};
  out.implementation = random_facts(d);
  return out;
}

}  // namespace

Report random_report(std::uint64_t seed) {
  Dice d(seed);
  Report out;
  out.tool_version = d.text();
  out.run = {.id = d.text(),
             .started = d.text(),
             .duration = d.seconds(),
             .command_line = d.text(),
             .suite = d.text(),
             .interrupted = d.coin(),
             .end = d.coin() ? RunEnd::hung : RunEnd::budget_spent,
             .resumed_from = d.text(),
             .seed = d.count()};
  out.environment = random_facts(d);
  out.device_id = d.text();
  out.device_name = d.text();
  for (std::uint64_t i = d.below(4); i > 0; --i)
    out.devices.push_back({d.text(), d.text(), random_facts(d)});
  const std::uint64_t roofs = d.below(3);
  for (std::uint64_t i = 0; i < roofs; ++i) {
    RoofEntry entry{d.text(), random_compute_roof(d), d.text(), d.text()};
    if (d.coin()) entry.roof = random_memory_roof(d);
    if (d.coin()) entry.roof = random_overhead(d);
    out.roofs.push_back(std::move(entry));
  }
  if (d.coin()) {
    out.time_model.push_back({d.text() + " line", d.level(), d.text(), d.seconds(),
                              byte_per_s(d.number() + 1e-60), d.below(9), d.number(), d.text()});
  }
  for (std::uint64_t i = d.below(3); i > 0; --i)
    out.findings.push_back({random_hypothesis(d), {d.text(), d.text()}, d.text()});
  const std::uint64_t points = d.below(4);
  for (std::uint64_t i = 0; i < points; ++i) out.points.push_back(random_point(d));
  return out;
}

}  // namespace roofline::test
