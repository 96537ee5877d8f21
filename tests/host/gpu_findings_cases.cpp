// What the checks of GPUs have to say of one change to a healthy one.
#include "findings_cases.hpp"

namespace roofline::host {
namespace {

/// Facts as the CUDA backend states them.
Gpu healthy(const std::string& id) {
  return {id,
          "NVIDIA A100-SXM4-80GB",
          {},
          {{"uuid", std::string("GPU-4f1c0000-0000-0000-0000-000000000001")},
           {"pci_bus_id", std::string("0000:17:00.0")},
           {"ecc", true},
           {"mig", false},
           {"virtual_gpu", false},
           {"power_limit_w", 400.0},
           {"default_power_limit_w", 400.0},
           {"persistence_mode", true},
           {"pcie_generation", std::uint64_t{4}},
           {"pcie_width", std::uint64_t{16}},
           {"other_processes", std::uint64_t{0}},
           {"clock_event_reasons", std::string()},
           {"temperature_c", std::uint64_t{41}},
           {"slowdown_temperature_c", std::uint64_t{90}},
           {"pcie_generation_now", std::uint64_t{4}},
           {"pcie_width_now", std::uint64_t{16}},
           {"application_clock_hz", 1.275e9},
           {"default_application_clock_hz", 1.275e9},
           {"ecc_uncorrected_errors", std::uint64_t{0}}}};
}

using Change = std::function<void(Evidence&)>;

Change gpus(std::size_t count = 1) {
  return [count](Evidence& e) {
    e.gpus.emplace();
    for (std::size_t i = 0; i < count; ++i)
      e.gpus->devices.push_back(healthy("cuda:" + std::to_string(i)));
  };
}

/// The last of `count` GPUs has the fact.
Change fact(const char* key, const FactValue& value, std::size_t count = 1) {
  return [=](Evidence& e) {
    gpus(count)(e);
    for (Fact& one : e.gpus->devices.back().facts) {
      if (one.key == key) one.value = value;
    }
  };
}

Change unread(const char* key) { return fact(key, Unknown{"not supported (NVML error 3)"}); }

/// On a machine with a GPU.
Change with_a_gpu(const Change& change) {
  return [change](Evidence& e) {
    gpus()(e);
    change(e);
  };
}

/// A driver is there, but its GPUs were not asked.
void not_asked(Evidence& e) { e.conditions.nvidia_driver = "580.65.06"; }

constexpr auto spoils = Severity::spoils;
constexpr auto lowers = Severity::lowers;
constexpr auto unknown = Severity::unknown;
constexpr auto note = Severity::note;
constexpr auto ok = Severity::ok;

std::vector<Case> state_cases() {
  return {
      {"gpu_usable", ok, "cuda:0, cuda:1: can be measured", "", gpus(2)},
      {"gpu_usable", lowers, "cuda:0: can't be measured: too old", "--device",
       [](Evidence& e) {
         gpus(2)(e);
         e.gpus->devices[0].unusable = "too old";
       }},
      {"gpu_usable", unknown, "only GPUs of this very machine", "", not_asked},
      {"gpu_processes", ok, "no other process", "", gpus()},
      {"gpu_processes", spoils, "cuda:0: 1 other process has", "nvidia-smi",
       fact("other_processes", std::uint64_t{1})},
      {"gpu_processes", spoils, "cuda:3: 2 other processes have", "--device cuda:N",
       fact("other_processes", std::uint64_t{2}, 4)},
      {"gpu_processes", unknown, "not supported", "", unread("other_processes")},
      {"gpu_throttling", ok, "41 °C of the 90", "", gpus()},
      {"gpu_throttling", ok, "nothing holds its clock down", "", unread("temperature_c")},
      {"gpu_throttling", spoils, "hardware thermal slowdown, 41", "cool down",
       fact("clock_event_reasons", std::string("hardware thermal slowdown"))},
      {"gpu_throttling", spoils, "hardware power brake", "power supply",
       fact("clock_event_reasons", std::string("hardware power brake"))},
      {"gpu_throttling", spoils, "software thermal", "cool down",
       fact("clock_event_reasons", std::string("software power cap, software thermal slowdown"))},
      {"gpu_throttling", lowers, "software power cap", "cool down",
       fact("clock_event_reasons", std::string("software power cap"))},
      {"gpu_throttling", lowers, "hot before anything is measured: 86", "cool down",
       fact("temperature_c", std::uint64_t{86})},
      {"gpu_throttling", ok, "", "",
       fact("clock_event_reasons", std::string("applications clocks setting"))},
      {"gpu_throttling", unknown, "not supported", "", unread("clock_event_reasons")},
      {"gpu_memory_errors", ok, "no uncorrected error", "", gpus()},
      {"gpu_memory_errors", spoils, "cuda:1: 3 uncorrected memory errors", "measure another GPU",
       fact("ecc_uncorrected_errors", std::uint64_t{3}, 2)},
      {"gpu_memory_errors", unknown, "not supported", "", unread("ecc_uncorrected_errors")},
      {"gpu_mps", ok, "no MPS daemon", "",
       with_a_gpu([](Evidence& e) { e.conditions.mps_process = ""; })},
      {"gpu_mps", lowers, "nvidia-cuda-mps (pid 77) runs", "echo quit | nvidia-cuda-mps-control",
       with_a_gpu([](Evidence& e) { e.conditions.mps_process = "nvidia-cuda-mps (pid 77)"; })},
      {"gpu_mps", lowers, "PERCENTAGE=30", "unset", with_a_gpu([](Evidence& e) {
         (*e.environment)["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = "30";
       })},
      {"gpu_mps", note, "CUDA_MPS_PIPE_DIRECTORY=/mps, but no", "echo quit",
       with_a_gpu([](Evidence& e) { (*e.environment)["CUDA_MPS_PIPE_DIRECTORY"] = "/mps"; })},
      {"gpu_mps", note, "/tmp/nvidia-mps/control", "echo quit",
       with_a_gpu([](Evidence& e) { e.conditions.mps_pipe = true; })},
      {"gpu_mps", unknown, "no processes can be seen", "", gpus()},
  };
}

std::vector<Case> setting_cases() {
  return {
      {"gpu_power_limit", ok, "400 W of the default 400 W", "", gpus()},
      {"gpu_power_limit", lowers, "250 W of the default 400 W",
       "nvidia-smi -i GPU-4f1c0000-0000-0000-0000-000000000001 -pl 400",
       fact("power_limit_w", 250.0)},
      {"gpu_power_limit", ok, "399 W", "", fact("power_limit_w", 399.0)},
      {"gpu_power_limit", note, "500 W", "-pl 400", fact("power_limit_w", 500.0)},
      {"gpu_power_limit", unknown, "not supported", "", unread("power_limit_w")},
      {"gpu_power_limit", unknown, "not supported", "", unread("default_power_limit_w")},
      {"gpu_clock_setting", ok, "no clock was set", "", gpus()},
      {"gpu_clock_setting", lowers, "1095 MHz of the default 1275", "nvidia-smi -rac",
       fact("application_clock_hz", 1.095e9)},
      {"gpu_clock_setting", ok, "no clock was set", "", fact("application_clock_hz", 1.41e9)},
      {"gpu_clock_setting", lowers, "applications clocks setting", "-rgc",
       fact("clock_event_reasons", std::string("applications clocks setting"))},
      {"gpu_clock_setting", ok, "no clock was set", "", unread("application_clock_hz")},
      {"gpu_clock_setting", unknown, "not supported", "",
       [](Evidence& e) {
         unread("application_clock_hz")(e);
         for (Fact& one : e.gpus->devices[0].facts) {
           if (one.key == "clock_event_reasons") one.value = Unknown{"not supported"};
         }
       }},
      {"gpu_ecc", ok, "on", "", gpus()},
      {"gpu_ecc", note, "cuda:1: off", "nvidia-smi -e 1", fact("ecc", false, 2)},
      {"gpu_ecc", unknown, "not supported", "", unread("ecc")},
      {"gpu_persistence", ok, "on", "", gpus()},
      {"gpu_persistence", note, "off", "-pm 1", fact("persistence_mode", false)},
      {"gpu_persistence", unknown, "not supported", "", unread("persistence_mode")},
      {"gpu_link", ok, "16 lanes of 16, generation 4 of 4", "", gpus()},
      {"gpu_link", lowers, "8 lanes of 16", "slot", fact("pcie_width_now", std::uint64_t{8})},
      {"gpu_link", note, "generation 1 of 4", "while a transfer runs",
       fact("pcie_generation_now", std::uint64_t{1})},
      {"gpu_link", ok, "16 lanes of 16", "", unread("pcie_generation_now")},
      {"gpu_link", unknown, "not supported", "", unread("pcie_width_now")},
      {"gpu_slice", ok, "no MIG slice", "", gpus()},
      {"gpu_slice", note, "a MIG slice", "same profile", fact("mig", true)},
      {"gpu_slice", unknown, "not supported", "", unread("mig")},
      {"gpu_virtual", ok, "no virtual GPU", "", gpus()},
      {"gpu_virtual", lowers, "a virtual GPU", "quiet time", fact("virtual_gpu", true)},
      {"gpu_virtual", unknown, "not supported", "", unread("virtual_gpu")},
  };
}

}  // namespace

std::vector<Case> gpu_cases() {
  std::vector<Case> out = {
      {"nvidia_driver", note, "2 GPUs: cuda:0 (NVIDIA A100-SXM4-80GB), cuda:1", "roofline devices",
       gpus(2)},
      {"nvidia_driver", ok, "no GPU: no libcuda", "",
       [](Evidence& e) {
         e.gpus = Gpus{{}, "no libcuda"};
       }},
      {"nvidia_driver", note, "no GPU: it finds none", "nvidia-smi",
       [](Evidence& e) {
         e.conditions.nvidia_driver = "580.65.06";
         e.conditions.libcuda = "/usr/lib64/libcuda.so.1";
         e.gpus = Gpus{{}, "it finds none"};
       }},
  };
  for (Case& one : state_cases()) out.push_back(std::move(one));
  for (Case& one : setting_cases()) out.push_back(std::move(one));
  return out;
}

}  // namespace roofline::host
