#include "device.hpp"

#include <algorithm>
#include <cmath>

namespace fakegpu {
namespace {

// Fractions of the theoretical bandwidth that reads, writes and an even mix of both reach. From
// public measurements of H200 and A100: 94 %, 89 %, 84 %.
constexpr double kReadShare = 0.938;
constexpr double kWriteShare = 0.893;
constexpr double kMixLoss = 0.302;  // times share * (1 - share) of stores
// What must be under way for full bandwidth (Little's law): latency of the memory, and bytes that
// a thread has requested at a time.
constexpr double kMemoryLatency = 600e-9;
constexpr double kBytesPerThread = 64;
constexpr double kIdleTemperature = 34;
constexpr double kLoadTemperature = 66;
constexpr double kThermalTime = 20;
constexpr double kStaysAwake = 1;
constexpr double kIdlePower = 0.15;  // of the limit
constexpr double kLoadPower = 0.72;
constexpr double kPowerTime = 0.02;    // s over which NVML's power is averaged
constexpr double kLeastPower = 0.05;   // of what it wants, whatever the limit
constexpr double kExcessStored = 0.5;  // s of rest that bring a capped clock back

double share_reached(double stores) {
  return kReadShare + (kWriteShare - kReadShare) * stores - kMixLoss * stores * (1 - stores);
}

}  // namespace

Device::Device(const Scenario& scenario, const DeviceModel& model, int index)
    : l2(model.l2_bytes),
      scenario_(&scenario),
      model_(&model),
      index_(index),
      random_(seed_from(scenario.seed, model.uuid)) {}

const Throttle* Device::throttle() const {
  const Throttle* worst = nullptr;
  for (const Throttle& candidate : scenario_->throttles) {
    const bool here = candidate.device == kEveryDevice || candidate.device == index_;
    if (!here || load_ < candidate.after) continue;
    if (worst == nullptr || candidate.fraction < worst->fraction) worst = &candidate;
  }
  return worst;
}

double Device::clock() const {
  double hertz = model_->clock_khz * 1e3 * model_->clock_factor;
  if (scenario_->ramp_time > 0) {
    hertz *= 1 - (1 - scenario_->ramp_from) * std::exp(-load_ / scenario_->ramp_time);
  }
  if (capped()) {
    // Dynamic power goes by about the square of the clock in the range where devices regulate it.
    const double idle_w = kIdlePower * model_->default_power_limit_w;
    const double share = (model_->power_limit_w - idle_w) / (excess_w_ - idle_w);
    hertz *= std::sqrt(std::clamp(share, kLeastPower, 1.0));
  }
  const Throttle* const slowed = throttle();
  return slowed == nullptr ? hertz : hertz * slowed->fraction;
}

double Device::load_power_w() const { return kLoadPower * model_->default_power_limit_w; }

const PowerDraw* Device::power_draw() const {
  for (const PowerDraw& draw : scenario_->power) {
    if (draw.device == kEveryDevice || draw.device == index_) return &draw;
  }
  return nullptr;
}

bool Device::capped() const {
  const PowerDraw* const draw = power_draw();
  return draw != nullptr && excess_w_ > model_->power_limit_w && excess_ >= draw->after;
}

double Device::temperature_c() const {
  return kIdleTemperature +
         (kLoadTemperature - kIdleTemperature) * (1 - std::exp(-load_ / kThermalTime));
}

bool Device::idle(double now) const { return last_end_ == 0 || now > last_end_ + kStaysAwake; }

double Device::power_w(double now) const {
  const double share = idle(now) ? kIdlePower : kLoadPower;
  if (!idle(now) && power_draw() != nullptr) return std::min(drawn_w_, model_->power_limit_w);
  return std::min(share * model_->default_power_limit_w, model_->power_limit_w);
}

std::uint64_t Device::slowdown_reasons() const {
  const Throttle* const slowed = throttle();
  std::uint64_t reasons = slowed == nullptr ? 0 : slowed->reasons;
  constexpr std::uint64_t power_cap = 0x4;
  if (capped()) reasons |= power_cap;
  if (load_power_w() > model_->power_limit_w) reasons |= power_cap;
  return reasons;
}

double Device::memory_time(const KernelWork& work, const LaunchShape& shape) const {
  const auto all = static_cast<double>(work.loaded_bytes + work.stored_bytes);
  if (all <= 0) return 0;
  const double stores = static_cast<double>(work.stored_bytes) / all;
  const double resident = std::min(static_cast<double>(shape.blocks() * shape.threads_per_block()),
                                   static_cast<double>(model_->sm_count) * model_->threads_per_sm);
  const double at_once = resident * kBytesPerThread;
  const double full = model_->bandwidth * kMemoryLatency;
  double rate = model_->bandwidth * model_->bandwidth_factor * model_->efficiency *
                share_reached(stores) * std::min(1.0, at_once / full);
  if (const Throttle* const slowed = throttle()) rate *= slowed->bandwidth;
  const auto cached = static_cast<double>(work.cached_bytes);
  const double l2_rate =
      model_->l2_bandwidth * clock() / (model_->clock_khz * 1e3) * std::min(1.0, at_once / full);
  return std::max((all - cached) / rate, all / l2_rate);
}

double Device::duration(const KernelWork& work, const LaunchShape& shape) const {
  double time = memory_time(work, shape);
  if (work.flop > 0) {
    const FlopPerClock& rates = model_->flop_per_clock;
    const double rate = work.flop_bits == 64   ? rates.fp64
                        : work.flop_bits == 32 ? rates.fp32
                                               : rates.fp16;
    time = std::max(time, work.flop / (rate * model_->sm_count * clock()));
  }
  return std::max(time, work.sm_clocks / clock());
}

double Device::disturbed(double time) {
  time *= 1 + scenario_->drift * load_;
  if (scenario_->jitter > 0) time *= std::max(0.5, 1 + scenario_->jitter * random_.normal());
  if (scenario_->spike_probability > 0 && random_.uniform() < scenario_->spike_probability) {
    time *= scenario_->spike_factor;
  }
  return time;
}

void Device::rest(double now) {
  const double idle = now - rested_;
  if (idle <= 0) return;
  cycles_ += idle * model_->idle_clock_khz * 1e3;
  load_ = std::max(0.0, load_ - idle);
  excess_ = std::max(0.0, excess_ - idle);
  rested_ = now;
}

void Device::occupy(double start, double end, double watts) {
  rest(start);
  const double time = end - start;
  cycles_ += time * clock();
  load_ += time;
  if (const PowerDraw* const draw = power_draw()) {
    const bool excess = watts > model_->power_limit_w;
    if (excess) excess_w_ = watts;
    excess_ = std::clamp(excess_ + (excess ? time : -time), 0.0, draw->after + kExcessStored);
    const double drawn_w = watts > 0 ? watts : load_power_w();
    drawn_w_ += (drawn_w - drawn_w_) * (1 - std::exp(-time / kPowerTime));
  }
  rested_ = last_end_ = std::max(last_end_, end);
  engine_free = std::max(engine_free, end);
}

std::uint64_t Device::cycles(double inside) const {
  return static_cast<std::uint64_t>(cycles_ + inside * clock());
}

}  // namespace fakegpu
