#include "backend/scripted/scripted_backend.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "backend/scripted/model.hpp"
#include "backend/scripted/random.hpp"
#include "roofline/account.hpp"

namespace roofline::scripted {
namespace {

/// A sample with less of the processor's time than this was disturbed (docs/scripted.md).
constexpr double kUndisturbed = 0.985;

/// A device while it runs: its script, and the clock that all points and devices share.
class Machine {
 public:
  Machine(Script script, Seconds& now) : script_(std::move(script)), now_(now) {}

  [[nodiscard]] const Script& script() const { return script_; }
  [[nodiscard]] Seconds now() const { return now_; }
  /// The device is under load for `time`.
  void load(Seconds time) {
    pass(time);
    if (script_.heat) heat_ = std::min(heat_ + time, script_.heat->after);
  }
  /// It takes as long to cool down as it took to heat up, and gets no hotter than it slows down at.
  void rest(Seconds time) {
    pass(time);
    heat_ = std::max(heat_ - time, second(0));
  }
  [[nodiscard]] bool hot() const { return script_.heat && heat_ >= script_.heat->after; }
  void pass(Seconds time) {
    now_ = now_ + time;
    const std::chrono::duration<double> real(std::min(in_second(time) * script_.pace, 3600.0));
    if (script_.pace > 0) std::this_thread::sleep_for(real);
  }
  /// How often this point was prepared before: a second time has scatter of its own.
  std::uint64_t next_preparation(const std::string& name) { return preparations_[name]++; }

 private:
  Script script_;
  Seconds& now_;
  Seconds heat_;
  std::map<std::string, std::uint64_t> preparations_;
};

[[noreturn]] void fail(const Behaviour& behaviour, const std::string& why) {
  if (behaviour.lost) throw backend::DeviceLost(why);
  throw backend::BackendError(why);
}

[[noreturn]] void hang_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Time of `work` begun at `now`, where what falls into the window takes 1 / share as long.
Seconds through_window(Seconds now, Seconds work, const Contention& window) {
  if (now >= window.to) return work;
  const Seconds before = std::clamp(window.from - now, second(0), work);
  const Seconds room = (window.to - std::max(now, window.from)) * window.share;
  const Seconds inside = std::min(work - before, room);
  return work + inside / window.share - inside;
}

class ScriptedRun final : public backend::PreparedRun {
 public:
  ScriptedRun(Machine& machine, const Workload& workload, Behaviour behaviour, Random random)
      : machine_(machine),
        behaviour_(std::move(behaviour)),
        call_(workload, behaviour_, machine.script()),
        random_(random) {
    if (const auto* const stream = std::get_if<Stream>(&workload)) level_ = stream->level;
  }

  Sample time(std::uint64_t iterations) override;

  Verification verify() override {
    machine_.pass(behaviour_.verify);
    if (!behaviour_.incorrect.empty()) return {VerificationState::incorrect, behaviour_.incorrect};
    if (!behaviour_.unverified.empty())
      return {VerificationState::unverified, behaviour_.unverified};
    return {VerificationState::verified, "as the script says"};
  }

  Facts facts() const override {
    Facts out = behaviour_.facts;
    const auto unless_stated = [&](std::string_view key, std::string_view value) {
      const auto same = [&](const Fact& fact) { return fact.key == key; };
      if (std::none_of(out.begin(), out.end(), same))
        out.push_back({std::string(key), std::string(value)});
    };
    unless_stated("provider", "scripted");
    if (level_) unless_stated("level", name(*level_));
    return out;
  }

 private:
  [[nodiscard]] double clock_fraction() const;
  [[nodiscard]] bool is_far(Seconds when) const;
  [[nodiscard]] Telemetry telemetry() const;
  [[nodiscard]] Seconds settled(Seconds work) const;
  double scatter();
  Seconds contend(Seconds work);

  Machine& machine_;
  Behaviour behaviour_;
  CallTime call_;
  Random random_;
  std::optional<Boundary> level_;  ///< of a stream's arrays
  std::uint64_t calls_ = 0;
  Seconds load_;  ///< undisturbed time of all calls so far
};

/// Clocks fall between samples: one that begins at full clock ends at it.
double ScriptedRun::clock_fraction() const {
  const Script& script = machine_.script();
  double out = 1;
  if (script.throttle && machine_.now() >= script.throttle->after) out = script.throttle->fraction;
  if (machine_.hot()) out = std::min(out, script.heat->fraction);
  const auto& own = behaviour_.throttle;
  if (own && load_ >= own->after) out = std::min(out, own->fraction);
  return out;
}

Telemetry ScriptedRun::telemetry() const {
  Telemetry out = behaviour_.telemetry;
  if (const auto reason = machine_.script().heat_event) {
    ClockEvents events = out.events.value_or(ClockEvents{});
    if (machine_.hot()) events.add(*reason);
    out.events = events;
  }
  return out;
}

bool ScriptedRun::is_far(Seconds when) const {
  const bool begins_far = behaviour_.placement == "far";
  if (!behaviour_.flip) return begins_far;
  const bool flipped = std::fmod(std::floor(when / *behaviour_.flip), 2) != 0;
  return begins_far != flipped;
}

/// `work` with slow start and drift, which depend on the load that went before: integrals over it,
/// so that the same work takes the same time in however many calls.
Seconds ScriptedRun::settled(Seconds work) const {
  const auto& [factor, settle] = behaviour_.slow_start;
  const double excess = std::exp(-(load_ / settle)) * -std::expm1(-(work / settle));
  const Seconds late = (factor - 1) * excess * settle;
  const double mean_load = in_second(load_) + in_second(work) / 2;
  return work + late + work * (behaviour_.drift * mean_load);
}

double ScriptedRun::scatter() {
  const double noise = behaviour_.noise;
  double factor = 1;
  switch (behaviour_.distribution) {
    case Distribution::normal:
      factor += noise * random_.normal();
      break;
    case Distribution::uniform:
      factor += noise * (2 * random_.uniform() - 1);
      break;
    case Distribution::bimodal:
      factor += random_.uniform() < 0.6 ? 0 : noise;
      break;
    case Distribution::spikes:
      factor += noise * std::min(1 / std::sqrt(random_.uniform()) - 1, 100.0);
      break;
  }
  constexpr double kShortest = 0.05;  // no sample takes no time
  return std::max(factor, kShortest);
}

Seconds ScriptedRun::contend(Seconds work) {
  const auto& contention = behaviour_.contention;
  if (!contention) return work;
  if (!contention->probability) return through_window(machine_.now(), work, *contention);
  return random_.uniform() < *contention->probability ? work / contention->share : work;
}

Sample ScriptedRun::time(std::uint64_t iterations) {
  ++calls_;
  if (calls_ == behaviour_.fail_at) {
    const std::string number = std::to_string(calls_);
    fail(behaviour_, behaviour_.failure.empty()
                         ? "timed call " + number + " fails, as the script says"
                         : behaviour_.failure);
  }
  if (calls_ == 1 && behaviour_.hangs) hang_for_ever();
  const Script& script = machine_.script();
  const double own_clock =
      behaviour_.clock && script.clock ? *behaviour_.clock / *script.clock : 1.0;
  const double clock = own_clock * clock_fraction();
  const Seconds begin = machine_.now();
  const bool far = is_far(begin);
  const Seconds one = call_.at({clock, far ? behaviour_.far : 1.0});
  const Seconds work = one * static_cast<double>(iterations);
  Seconds undisturbed = settled(work) * scatter();
  if (calls_ == 1) undisturbed = undisturbed + behaviour_.hang;
  load_ = load_ + work;

  Sample out{.duration = contend(undisturbed), .iterations = iterations};
  out.telemetry = telemetry();
  machine_.load(out.duration);
  if (script.threads > 0 || behaviour_.contention) out.cpu_share = undisturbed / out.duration;
  if (script.clock) out.clock = *script.clock * clock;
  if (behaviour_.flip || !behaviour_.placement.empty()) out.placement = far ? "far" : "near";
  if (out.cpu_share && *out.cpu_share < kUndisturbed) {
    out.disturbance = Disturbance::contended;
  } else if (behaviour_.flip && std::floor(begin / *behaviour_.flip) !=
                                    std::floor(machine_.now() / *behaviour_.flip)) {
    out.disturbance = Disturbance::moved;
  } else if (throttled(out.telemetry)) {
    out.disturbance = Disturbance::throttled;
  }
  return out;
}

class ScriptedBackend final : public backend::Backend {
 public:
  explicit ScriptedBackend(std::vector<Script> scripts) {
    for (Script& script : scripts)
      machines_.push_back(std::make_unique<Machine>(std::move(script), now_));
  }

  std::vector<backend::Device> devices() override;

  Support supports(const Workload& workload, const backend::Device& device) override {
    return support(workload, machine(device).script());
  }
  Bytes footprint(const Workload& workload, const backend::Device& /*device*/) override {
    return byte(total_traffic(account(workload)).as_double());
  }
  Bytes memory_left(const backend::Device& device) override {
    return byte(static_cast<double>(machine(device).script().memory));
  }
  Seconds now() override { return now_; }
  void rest(const backend::Device& device, Seconds time) override { machine(device).rest(time); }

  std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload,
                                                const backend::Device& device) override {
    Machine& here = machine(device);
    const auto names = point_names(workload, here.script());
    Behaviour behaviour = behaviour_of(here.script(), names);
    here.pass(behaviour.prepare);
    if (!behaviour.failure.empty() && behaviour.fail_at == 0) fail(behaviour, behaviour.failure);
    const std::string& name = names.front();
    const std::uint64_t again = here.next_preparation(name);
    // One device keeps the random numbers that it had before there could be several.
    const std::string whose = machines_.size() == 1 ? "" : here.script().id + "/";
    const Random random(seed_from(here.script().seed, whose + name + "#" + std::to_string(again)));
    return std::make_unique<ScriptedRun>(here, workload, std::move(behaviour), random);
  }

 private:
  Machine& machine(const backend::Device& device) {
    for (const auto& known : machines_) {
      if (known->script().id == device.id) return *known;
    }
    throw backend::BackendError("the script has no device " + device.id);
  }

  Seconds now_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

backend::Device device_of(const Script& script) {
  backend::Device out;
  out.id = script.id;
  // Nobody shall take a replayed figure for a measured one.
  out.name = "scripted: " + script.name;
  out.facts = {{"backend", std::string("scripted")}, {"script", script.label}};
  if (script.threads > 0) out.facts.push_back({"threads", script.threads});
  if (script.clock) out.facts.push_back({"clock_hz", in_hertz(*script.clock)});
  for (const auto& [level, bytes] : script.levels)
    out.facts.push_back({std::string(name(level)) + "_byte", bytes});
  out.facts.push_back({"dram_array_byte", dram_array_bytes(script)});
  out.facts.insert(out.facts.end(), script.facts.begin(), script.facts.end());
  return out;
}

std::vector<backend::Device> ScriptedBackend::devices() {
  std::vector<backend::Device> out;
  for (const auto& machine : machines_) out.push_back(device_of(machine->script()));
  return out;
}

}  // namespace

std::unique_ptr<backend::Backend> make_scripted_backend(Script script) {
  std::vector<Script> scripts;
  scripts.push_back(std::move(script));
  return make_scripted_backend(std::move(scripts));
}

std::unique_ptr<backend::Backend> make_scripted_backend(std::vector<Script> scripts) {
  return std::make_unique<ScriptedBackend>(std::move(scripts));
}

}  // namespace roofline::scripted
