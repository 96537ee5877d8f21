#include "backend/scripted/model.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/account.hpp"
#include "roofline/point_id.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::scripted {
namespace {

/// Streams and probes loop inside one call, so that its overhead is no part of an iteration.
bool loops_inside(const Workload& workload) {
  return std::holds_alternative<Stream>(workload) || std::holds_alternative<PeakProbe>(workload);
}

std::optional<Bandwidth> stream_rate(const Script& script, Boundary level, StreamKind mix) {
  std::optional<Bandwidth> any;
  for (const StatedBandwidth& stated : script.bandwidths) {
    if (stated.level != level) continue;
    if (stated.mix == mix) return stated.rate;
    if (!stated.mix) any = stated.rate;
  }
  return any;
}

/// What is no stream moves as fast as the stream of the most similar mix of reads and writes, the
/// faster of two: reports hold it against that roof.
std::optional<Bandwidth> mixed_rate(const Script& script, const Account& account) {
  constexpr StreamKind kinds[] = {StreamKind::read,  StreamKind::write, StreamKind::copy,
                                  StreamKind::scale, StreamKind::add,   StreamKind::triad,
                                  StreamKind::update};
  const double wanted = read_fraction(account).value_or(1);
  std::optional<Bandwidth> best;
  double best_distance = 0;
  for (const StreamKind kind : kinds) {
    const auto rate = stream_rate(script, account.boundary, kind);
    if (!rate) continue;
    const auto fraction =
        read_fraction(roofline::account(Stream{.kind = kind, .elements = 1})).value_or(1);
    const double distance = std::abs(fraction - wanted);
    if (!best || distance < best_distance || (distance == best_distance && *rate > *best)) {
      best = rate;
      best_distance = distance;
    }
  }
  return best;
}

std::optional<Bandwidth> link_rate(const Script& script, TransferDirection direction) {
  std::optional<Bandwidth> any;
  for (const StatedBandwidth& stated : script.bandwidths) {
    if (stated.level != Boundary::link) continue;
    if (stated.direction == direction) return stated.rate;
    if (!stated.direction) any = stated.rate;
  }
  return any;
}

std::optional<Bandwidth> rate_of(const Workload& workload, const Account& account,
                                 const Script& script) {
  if (const auto* const transfer = std::get_if<Transfer>(&workload))
    return link_rate(script, transfer->direction);
  const auto* const stream = std::get_if<Stream>(&workload);
  return stream != nullptr ? stream_rate(script, stream->level, stream->kind)
                           : mixed_rate(script, account);
}

std::optional<Performance> peak_of(const Workload& workload, const Script& script) {
  const auto found = script.peaks.find(compute_dtype(workload));
  if (found == script.peaks.end()) return std::nullopt;
  return found->second;
}

std::uint64_t transfer_bytes(const Script& script) {
  return std::clamp<std::uint64_t>(script.memory / 4, 1, std::uint64_t{256} << 20);
}

std::uint64_t elements_of(std::uint64_t bytes, DType dtype) {
  return std::max<std::uint64_t>(1, bytes * 8 / storage_bits(dtype));
}

/// Fills in the sizes that were left open; a reason where the script says too little for that.
Support sized(const Workload& workload, const Script& script) {
  Workload out = workload;
  if (auto* const chain = std::get_if<Elementwise>(&out); chain != nullptr && chain->elements == 0)
    chain->elements = elements_of(dram_array_bytes(script), chain->dtype);
  if (auto* const stream = std::get_if<Stream>(&out); stream != nullptr && stream->elements == 0) {
    std::uint64_t bytes = dram_array_bytes(script);
    if (stream->level != Boundary::dram && stream->level != Boundary::link) {
      const auto level = script.levels.find(stream->level);
      if (level == script.levels.end()) {
        return backend::Unsupported{"the script states no size of " +
                                    std::string(name(stream->level)) + "; add a line `level " +
                                    std::string(name(stream->level)) + " SIZE`"};
      }
      // Three arrays, the most a stream has, fill half of the level.
      bytes = level->second / 6;
    }
    stream->elements = elements_of(bytes, stream->dtype);
  }
  if (auto* const transfer = std::get_if<Transfer>(&out);
      transfer != nullptr && transfer->bytes == 0)
    transfer->bytes = transfer_bytes(script);
  if (auto* const probe = std::get_if<PeakProbe>(&out); probe != nullptr && probe->flops == 0) {
    constexpr double iteration_s = 1e-6;
    const auto peak = peak_of(out, script);
    const double flops = peak ? in_flop_per_s(*peak) * iteration_s : 1e6;
    probe->flops = static_cast<std::uint64_t>(std::clamp(std::round(flops), 1e3, 1e15));
  }
  return out;
}

/// What the model would need and the script does not state; empty when it has all.
std::string missing(const Workload& workload, const Account& account, const Script& script) {
  if (const auto* const launch = std::get_if<Launch>(&workload)) {
    const std::string path(name(launch->path));
    return script.overheads.contains(launch->path)
               ? ""
               : "the script states no overhead of a " + path + " launch; add a line `overhead " +
                     path + " TIME`";
  }
  const bool moves = total_traffic(account).value() != 0;
  if (!account.work && !moves)
    return "a kernel given by its intensity alone has no time; give it a `time=` in the script";
  const std::string dtype(name(compute_dtype(workload)));
  const bool has_work = account.work && account.work->value() != 0;
  if (has_work && !std::holds_alternative<Stream>(workload) && !peak_of(workload, script)) {
    return "the script states no peak of " + dtype + "; add a line `peak " + dtype + " RATE`";
  }
  if (moves && !rate_of(workload, account, script)) {
    const std::string level(name(account.boundary));
    return "the script states no bandwidth of " + level + "; add a line `bandwidth " + level +
           " RATE`";
  }
  return {};
}

}  // namespace

std::uint64_t dram_array_bytes(const Script& script) {
  std::uint64_t largest = 0;
  for (const auto& [level, bytes] : script.levels) largest = std::max(largest, bytes);
  const std::uint64_t wanted = largest == 0 ? std::uint64_t{256} << 20 : 8 * largest;
  return std::min(wanted, script.memory / 4);
}

std::vector<std::string> point_names(const Workload& workload, const Script& script) {
  // A size that was left open was filled in by sized(); the point is called without it.
  Workload open = workload;
  if (auto* const stream = std::get_if<Stream>(&open)) stream->elements = 0;
  if (auto* const chain = std::get_if<Elementwise>(&open)) chain->elements = 0;
  if (auto* const transfer = std::get_if<Transfer>(&open)) transfer->bytes = 0;
  std::vector<std::string> out{point_id(workload)};
  const Support filled = sized(open, script);
  const auto* const same = std::get_if<Workload>(&filled);
  if (out.front() != point_id(open) && same != nullptr && *same == workload)
    out.push_back(point_id(open));
  return out;
}

Support support(const Workload& workload, const Script& script) {
  const Behaviour behaviour = behaviour_of(script, point_names(workload, script));
  Support answer = sized(workload, script);
  const auto* const filled = std::get_if<Workload>(&answer);
  // A workload that cannot exist is the caller's mistake, whatever the script says of it.
  if (filled != nullptr) validate(*filled);
  if (!behaviour.unsupported.empty()) return backend::Unsupported{behaviour.unsupported};
  if (filled == nullptr) return answer;
  const Account cost = account(*filled);
  if (!behaviour.time) {
    std::string reason = missing(*filled, cost, script);
    if (!reason.empty()) return backend::Unsupported{std::move(reason)};
  }
  if (total_traffic(cost).value() > script.memory) {
    return backend::Unsupported{"the operands take " + std::to_string(total_traffic(cost).value()) +
                                " B of memory and the script states " +
                                std::to_string(script.memory) + " B"};
  }
  return answer;
}

CallTime::CallTime(const Workload& workload, const Behaviour& behaviour, const Script& script)
    : stated_(behaviour.time) {
  const Account cost = account(workload);
  const auto floor = script.overheads.find(launch_path(workload));
  if (behaviour.overhead) {
    overhead_ = *behaviour.overhead;
  } else if (floor != script.overheads.end() && !loops_inside(workload)) {
    overhead_ = floor->second;
  }
  const auto peak = peak_of(workload, script);
  if (peak && cost.work && !std::holds_alternative<Stream>(workload))
    compute_ = flop(cost.work->as_double()) / *peak / behaviour.efficiency;
  if (const auto rate = rate_of(workload, cost, script)) {
    const double bytes = moved_traffic(cost).as_double() * behaviour.traffic_factor;
    memory_ = byte(bytes) / *rate / behaviour.efficiency;
  }
}

Seconds CallTime::modelled(Conditions conditions) const {
  return overhead_ + std::max(compute_ / conditions.clock, memory_ / conditions.bandwidth);
}

Seconds CallTime::at(Conditions conditions) const {
  if (!stated_) return modelled(conditions);
  // A stated time follows the clock and the placement as the model of the same point would.
  const Seconds plain = modelled({});
  return in_second(plain) > 0 ? *stated_ * (modelled(conditions) / plain) : *stated_;
}

}  // namespace roofline::scripted
