// Copies between the host's memory and the device's, each way, from pinned pages or pageable ones.
#include <algorithm>
#include <vector>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"
#include "backend/size_text.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeed = 61;
/// Long enough that the start of a copy (some microseconds) doesn't count beside it.
constexpr std::uint64_t kOwnBytes = std::uint64_t{128} << 20U;

class TransferRun : public GpuRun {
 public:
  TransferRun(const Transfer& transfer, Gpu& gpu) : GpuRun(gpu), t_(transfer) {}

 protected:
  void make() override {
    timer_.reset();
    device_ = Buffer();
    pinned_ = HostBuffer();
    device_ = Buffer(context(), t_.bytes, "smaller copies need less");
    if (pinned()) {
      pinned_ = HostBuffer(context(), t_.bytes);
    } else {
      // Written once, so that every page is there.
      pageable_.assign(t_.bytes, std::byte{0});
    }
    fill(gpu(), device_.address(), DType::int8, t_.bytes, kSeed);
    if (to_device()) device_.copy_to(0, host());
    context().synchronize();
    timer_.emplace(gpu(), TimedWork{.enqueue = [this](std::uint64_t) { copy(); },
                                    .replay = TimedWork::Replay::never,
                                    .hide_gaps = pinned()});
  }

  Sample measure(std::uint64_t iterations) override { return timer_->time(iterations); }

  Verification check() override {
    backend::Comparison all;
    if (to_device()) {
      device_.set(0);
      copy();
      context().synchronize();
      each_slice(gpu(), {&device_}, t_.bytes, [&](std::uint64_t offset, const Slices& slices) {
        all.merge(backend::check_bytes(slices[0].data(), host().data() + offset, slices[0].size(),
                                       offset));
      });
    } else {
      std::fill(host().begin(), host().end(), std::byte{0});
      copy();
      context().synchronize();
      each_slice(gpu(), {&device_}, t_.bytes, [&](std::uint64_t offset, const Slices& slices) {
        all.merge(backend::check_bytes(host().data() + offset, slices[0].data(), slices[0].size(),
                                       offset));
      });
    }
    all.merge(check_filled(gpu(), device_, DType::int8, t_.bytes, kSeed));
    return backend::verdict(all, "the bytes that were to arrive (all of them)");
  }

  Facts describe() const override {
    Facts out{{"data", std::string("uniform random bytes")}};
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  [[nodiscard]] bool pinned() const { return t_.host_memory == HostMemory::pinned; }
  [[nodiscard]] bool to_device() const { return t_.direction == TransferDirection::to_device; }
  [[nodiscard]] std::span<std::byte> host() {
    if (pinned()) return {pinned_.data(), t_.bytes};
    return pageable_;
  }

  void copy() {
    const DriverApi& driver = context().driver();
    if (to_device()) {
      driver.copy_to_device_async(device_.address(), host().data(), t_.bytes, context().stream());
    } else {
      driver.copy_to_host_async(host().data(), device_.address(), t_.bytes, context().stream());
    }
  }

  Transfer t_;
  Buffer device_;
  HostBuffer pinned_;
  std::vector<std::byte> pageable_;
  std::optional<Timer> timer_;
};

}  // namespace

Support support_transfer(const Transfer& transfer, Gpu& gpu) {
  Transfer out = transfer;
  if (out.bytes == 0) out.bytes = std::min(kOwnBytes, gpu.memory_budget() / 4);
  if (out.bytes == 0) return backend::Unsupported{"there is no memory left on " + gpu.device().id};
  if (auto refused = too_large(
          gpu, static_cast<double>(out.bytes),
          "copy at most " + backend::size_text(static_cast<double>(gpu.memory_budget())))) {
    return *refused;
  }
  return Workload{out};
}

Run prepare_transfer(const Transfer& transfer, Gpu& gpu) {
  auto run = std::make_unique<TransferRun>(transfer, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
