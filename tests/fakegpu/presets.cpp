#include "presets.hpp"

#include <array>

namespace fakegpu {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

struct Preset {
  std::string_view id;
  DeviceModel model;
};

DeviceModel a100_80gb() {
  return {.name = "NVIDIA A100-SXM4-80GB",
          .major = 8,
          .minor = 0,
          .sm_count = 108,
          .memory_bytes = 81158 * kMiB,
          .l2_bytes = 40 * kMiB,
          .bus_bits = 5120,
          .memory_clock_khz = 1593000,
          .clock_khz = 1410000,
          .idle_clock_khz = 210000,
          .shared_opt_in_bytes = 163 * kKiB,
          .shared_per_sm_bytes = 164 * kKiB,
          .bandwidth = 2.039e12,
          .l2_bandwidth = 4.8e12,
          .pcie_generation = 4,
          .pinned_bandwidth = 25e9,
          .pageable_bandwidth = 9e9,
          .power_limit_w = 400,
          .flop_per_clock = {.fp64 = 64, .fp32 = 128, .fp16 = 512},
          .matrix_flop_per_clock = {
              .fp64 = 128, .fp32 = 128, .tf32 = 1024, .fp16 = 2048, .bf16 = 2048, .int8 = 4096}};
}

DeviceModel h100_80gb() {
  return {.name = "NVIDIA H100 80GB HBM3",
          .major = 9,
          .minor = 0,
          .sm_count = 132,
          .memory_bytes = 81559 * kMiB,
          .l2_bytes = 50 * kMiB,
          .bus_bits = 5120,
          .memory_clock_khz = 2619000,
          .clock_khz = 1980000,
          .idle_clock_khz = 345000,
          .shared_opt_in_bytes = 227 * kKiB,
          .shared_per_sm_bytes = 228 * kKiB,
          .bandwidth = 3.352e12,
          .l2_bandwidth = 6.5e12,
          .pcie_generation = 5,
          .pinned_bandwidth = 55e9,
          .pageable_bandwidth = 14e9,
          .power_limit_w = 700,
          .flop_per_clock = {.fp64 = 128, .fp32 = 256, .fp16 = 512},
          // The data sheet's 989.5 TFLOP/s of bf16 are at 1830 MHz, its 67 of fp64 at 1980.
          .matrix_flop_per_clock = {.fp64 = 256,
                                    .fp32 = 256,
                                    .tf32 = 2048,
                                    .fp16 = 4096,
                                    .bf16 = 4096,
                                    .fp8 = 8192,
                                    .int8 = 8192},
          .matrix_efficiency = 0.78};
}

DeviceModel h200() {
  DeviceModel model = h100_80gb();
  model.name = "NVIDIA H200";
  model.memory_bytes = 143771 * kMiB;
  model.l2_bytes = 60 * kMiB;
  model.bus_bits = 6016;
  model.memory_clock_khz = 3201000;
  model.bandwidth = 4.814e12;
  return model;
}

DeviceModel t4() {
  return {.name = "Tesla T4",
          .major = 7,
          .minor = 5,
          .sm_count = 40,
          .memory_bytes = 15095 * kMiB,
          .l2_bytes = 4 * kMiB,
          .bus_bits = 256,
          .memory_clock_khz = 5001000,
          .clock_khz = 1590000,
          .idle_clock_khz = 300000,
          .shared_opt_in_bytes = 64 * kKiB,
          .shared_per_sm_bytes = 64 * kKiB,
          .threads_per_sm = 1024,
          .bandwidth = 320e9,
          .l2_bandwidth = 1.2e12,
          .pcie_generation = 3,
          .pinned_bandwidth = 12e9,
          .pageable_bandwidth = 6e9,
          .power_limit_w = 70,
          .flop_per_clock = {.fp64 = 4, .fp32 = 128, .fp16 = 256},
          .matrix_flop_per_clock = {.fp64 = 4, .fp32 = 128, .fp16 = 1024, .int8 = 2048},
          .clock_tick_ns = 1024};
}

DeviceModel v100_32gb() {
  return {.name = "Tesla V100-SXM2-32GB",
          .major = 7,
          .minor = 0,
          .sm_count = 80,
          .memory_bytes = 32510 * kMiB,
          .l2_bytes = 6 * kMiB,
          .bus_bits = 4096,
          .memory_clock_khz = 877000,
          .clock_khz = 1530000,
          .idle_clock_khz = 135000,
          .shared_opt_in_bytes = 96 * kKiB,
          .shared_per_sm_bytes = 96 * kKiB,
          .bandwidth = 898e9,
          .l2_bandwidth = 2.4e12,
          .pcie_generation = 3,
          .pinned_bandwidth = 12e9,
          .pageable_bandwidth = 6e9,
          .power_limit_w = 300,
          .matrix_flop_per_clock = {.fp64 = 64, .fp32 = 128, .fp16 = 1024},
          .clock_tick_ns = 1024};
}

/// A time-sliced share of an A100: what its guest driver hides is 0 or unknown.
DeviceModel vgpu() {
  DeviceModel model = a100_80gb();
  model.name = "GRID A100D-40C";
  model.memory_bytes = std::uint64_t{40} * 1024 * kMiB;
  model.memory_clock_khz = 0;
  model.ecc_known = false;
  model.virtual_gpu = true;
  return model;
}

const std::array<Preset, 6>& presets() {
  static const std::array<Preset, 6> table{{{"a100-80gb", a100_80gb()},
                                            {"h100", h100_80gb()},
                                            {"h200", h200()},
                                            {"t4", t4()},
                                            {"v100", v100_32gb()},
                                            {"vgpu", vgpu()}}};
  return table;
}

struct Profile {
  std::string_view preset;
  MigSlice slice;
};

// SMs and memory slices of a MIG profile: NVIDIA's MIG user guide, "Supported MIG Profiles".
const std::array<Profile, 9>& profiles() {
  static const std::array<Profile, 9> table{{{"a100-80gb", {14, 1, "1g.10gb"}},
                                             {"a100-80gb", {28, 2, "2g.20gb"}},
                                             {"a100-80gb", {42, 4, "3g.40gb"}},
                                             {"a100-80gb", {56, 4, "4g.40gb"}},
                                             {"a100-80gb", {98, 8, "7g.80gb"}},
                                             {"h100", {16, 1, "1g.10gb"}},
                                             {"h100", {32, 2, "2g.20gb"}},
                                             {"h100", {60, 4, "3g.40gb"}},
                                             {"h100", {132, 8, "7g.80gb"}}}};
  return table;
}

DeviceModel slice_of(DeviceModel model, const MigSlice& slice) {
  const auto share = static_cast<std::uint64_t>(slice.memory_eighths);
  model.l2_bandwidth *= static_cast<double>(slice.sm_count) / model.sm_count;
  model.name += " MIG " + slice.profile;
  model.sm_count = slice.sm_count;
  model.memory_bytes = model.memory_bytes * share / 8;
  model.l2_bytes = model.l2_bytes * share / 8;
  model.bus_bits = static_cast<unsigned>(model.bus_bits * share / 8);
  model.bandwidth *= static_cast<double>(share) / 8;
  model.mig = slice;
  return model;
}

}  // namespace

std::optional<DeviceModel> find_preset(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view base = name.substr(0, slash);
  for (const Preset& preset : presets()) {
    if (preset.id != base) continue;
    DeviceModel model = preset.model;
    model.default_power_limit_w = model.power_limit_w;
    if (slash == std::string_view::npos) return model;
    for (const Profile& profile : profiles()) {
      if (profile.preset == base && profile.slice.profile == name.substr(slash + 1)) {
        return slice_of(model, profile.slice);
      }
    }
  }
  return std::nullopt;
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : presets()) {
    names += (names.empty() ? "" : ", ") + std::string(preset.id);
  }
  for (const Profile& profile : profiles()) {
    names += ", " + std::string(profile.preset) + "/" + profile.slice.profile;
  }
  return names;
}

std::optional<std::string_view> find_box(std::string_view name) {
  if (name == "h100x8-slow") return "device h100 x8\nset 5 slow=0.87\n";
  if (name == "none") return "init no_device\n";
  if (name == "stub") return "stub\n";
  if (name == "old-driver") return "driver 12.2\ndevice a100-80gb\n";
  return std::nullopt;
}

}  // namespace fakegpu
