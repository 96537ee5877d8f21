#include "codes.hpp"

#include <algorithm>
#include <array>

namespace fakegpu {
namespace {

// Numbers and names: cuda.h. The descriptions are ours.
constexpr std::array kResults{
    ResultName{0, "success", "CUDA_SUCCESS", "no error"},
    ResultName{1, "invalid_value", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    ResultName{2, "out_of_memory", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    ResultName{3, "not_initialized", "CUDA_ERROR_NOT_INITIALIZED", "cuInit was not called"},
    ResultName{4, "deinitialized", "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    ResultName{34, "stub_library", "CUDA_ERROR_STUB_LIBRARY", "stub library"},
    ResultName{46, "device_unavailable", "CUDA_ERROR_DEVICE_UNAVAILABLE", "device not available"},
    ResultName{100, "no_device", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device"},
    ResultName{101, "invalid_device", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    ResultName{200, "invalid_image", "CUDA_ERROR_INVALID_IMAGE", "not a kernel image"},
    ResultName{201, "invalid_context", "CUDA_ERROR_INVALID_CONTEXT", "no or invalid context"},
    ResultName{209, "no_binary", "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for this device"},
    ResultName{214, "ecc", "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error"},
    ResultName{218, "invalid_ptx", "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    ResultName{220, "nvlink", "CUDA_ERROR_NVLINK_UNCORRECTABLE", "uncorrectable NVLink error"},
    ResultName{222, "unsupported_ptx", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
               "PTX of an unsupported toolchain"},
    ResultName{304, "operating_system", "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed"},
    ResultName{400, "invalid_handle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    ResultName{401, "illegal_state", "CUDA_ERROR_ILLEGAL_STATE", "not possible in this state"},
    ResultName{500, "not_found", "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    ResultName{600, "not_ready", "CUDA_ERROR_NOT_READY", "device not ready"},
    ResultName{700, "illegal_address", "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"},
    ResultName{701, "out_of_resources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
               "too many resources requested for launch"},
    ResultName{702, "launch_timeout", "CUDA_ERROR_LAUNCH_TIMEOUT", "launch timed out"},
    ResultName{709, "context_destroyed", "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    ResultName{714, "stack_error", "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    ResultName{715, "illegal_instruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "illegal instruction"},
    ResultName{716, "misaligned_address", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    ResultName{717, "address_space", "CUDA_ERROR_INVALID_ADDRESS_SPACE", "wrong address space"},
    ResultName{718, "invalid_pc", "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    ResultName{719, "launch_failed", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    ResultName{800, "not_permitted", "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    ResultName{801, "not_supported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    ResultName{802, "system_not_ready", "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet ready"},
    ResultName{803, "driver_mismatch", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
               "driver and library versions do not match"},
    ResultName{804, "compat_not_supported", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
               "forward compatibility on an unsupported device"},
    ResultName{900, "capture_unsupported", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
               "not permitted while a stream is capturing"},
    ResultName{901, "capture_invalidated", "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
               "the capture was invalidated by an earlier error"},
    ResultName{905, "capture_isolation", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
               "a dependency on uncaptured work"},
    ResultName{906, "capture_implicit", "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
               "implicit dependency on the legacy stream"},
    ResultName{907, "captured_event", "CUDA_ERROR_CAPTURED_EVENT", "the event was captured"},
    ResultName{999, "unknown", "CUDA_ERROR_UNKNOWN", "unknown error"},
};

constexpr std::array kHardware{46, 214, 220, 999};
constexpr std::array kProgram{700, 702, 714, 715, 716, 717, 718, 719};

}  // namespace

const ResultName* find_result(int code) {
  const auto* const found = std::find_if(kResults.begin(), kResults.end(),
                                         [&](const ResultName& r) { return r.code == code; });
  return found == kResults.end() ? nullptr : found;
}

std::optional<int> result_of_word(std::string_view word) {
  for (const ResultName& result : kResults) {
    if (result.word == word) return result.code;
  }
  return std::nullopt;
}

bool heals_on_reset(int code) {
  return std::find(kProgram.begin(), kProgram.end(), code) != kProgram.end();
}

bool is_sticky(int code) {
  return heals_on_reset(code) ||
         std::find(kHardware.begin(), kHardware.end(), code) != kHardware.end();
}

}  // namespace fakegpu
