#include "backend/cuda/cuda_error.hpp"

#include <algorithm>
#include <iterator>

namespace roofline::cuda {
namespace {

struct Row {
  int code;
  Aftermath aftermath;
  const char* name;
  const char* words;
  const char* way_out;
};

constexpr auto kCall = Aftermath::call_failed;
constexpr auto kContext = Aftermath::context_lost;
constexpr auto kDevice = Aftermath::device_lost;

constexpr const char* kFaultyKernel =
    "a kernel of this program, or in a product of cuBLASLt, is at fault; please report it with the "
    "point's id and the GPU";
constexpr const char* kOldDriver =
    "update the NVIDIA driver, or use a build of this program for an older CUDA";

// cuda.h; what stays usable after each is said there beside the code.
constexpr Row kRows[] = {
    {1, kCall, "CUDA_ERROR_INVALID_VALUE", "invalid value", ""},
    {2, kCall, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory",
     "use a smaller shape, or end what else uses the GPU"},
    {3, kCall, "CUDA_ERROR_NOT_INITIALIZED", "not initialised", ""},
    {4, kDevice, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down", ""},
    {34, kCall, "CUDA_ERROR_STUB_LIBRARY", "the library is the toolkit's stub, not a driver",
     "take the stubs folder out of LD_LIBRARY_PATH, or install the NVIDIA driver"},
    {36, kCall, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the driver is too old for this call",
     kOldDriver},
    // Held by another process, or gone: a new context tells.
    {46, kContext, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "the device is in use, may not be used, or is gone",
     "see whether nvidia-smi still lists it, its compute mode (-q -d COMPUTE), and who holds it"},
    {100, kCall, "CUDA_ERROR_NO_DEVICE", "no CUDA device",
     "check nvidia-smi, CUDA_VISIBLE_DEVICES and, in a container, that GPUs were handed in"},
    {101, kCall, "CUDA_ERROR_INVALID_DEVICE", "no such device", ""},
    {102, kCall, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the virtual GPU has no licence",
     "license the guest for vGPU"},
    {200, kCall, "CUDA_ERROR_INVALID_IMAGE", "the kernels can't be read by this driver",
     kOldDriver},
    {201, kContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid context", ""},
    {209, kCall, "CUDA_ERROR_NO_BINARY_FOR_GPU", "this build has no kernels for this GPU",
     "use a build for its compute capability (7.5 and later are built by default)"},
    {214, kDevice, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "the GPU found a memory error that it can't correct",
     "run nvidia-smi -q -d ECC,PAGE_RETIREMENT and reset or replace the GPU"},
    {218, kCall, "CUDA_ERROR_INVALID_PTX", "the kernels can't be compiled for this GPU",
     kOldDriver},
    {220, kDevice, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an NVLink error that can't be corrected",
     "run nvidia-smi nvlink -e and check the system log for Xid errors"},
    {221, kCall, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "this GPU needs its kernels compiled from PTX, and the driver's compiler is missing",
     "install libnvidia-ptxjitcompiler of the driver"},
    {222, kCall, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "this GPU needs its kernels compiled from PTX, which is newer than the driver", kOldDriver},
    {223, kCall, "CUDA_ERROR_JIT_COMPILATION_DISABLED",
     "this GPU needs its kernels compiled from PTX, which is switched off",
     "unset CUDA_DISABLE_PTX_JIT"},
    {226, kContext, "CUDA_ERROR_CONTAINED", "an error of the GPU that was contained",
     "check the system log for Xid errors"},
    {304, kCall, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused", ""},
    {400, kCall, "CUDA_ERROR_INVALID_HANDLE", "invalid handle", ""},
    {500, kCall, "CUDA_ERROR_NOT_FOUND", "not found", ""},
    {600, kCall, "CUDA_ERROR_NOT_READY", "not ready", ""},
    {700, kContext, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "a kernel read or wrote memory that isn't its own", kFaultyKernel},
    {701, kCall, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the launch needs more than an SM has", ""},
    {702, kContext, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran longer than the system allows",
     "measure on a GPU that drives no display"},
    {709, kContext, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is destroyed", ""},
    {710, kContext, "CUDA_ERROR_ASSERT", "an assertion in a kernel failed", kFaultyKernel},
    {714, kContext, "CUDA_ERROR_HARDWARE_STACK_ERROR", "an error in a call stack on the GPU",
     kFaultyKernel},
    {715, kContext, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction", kFaultyKernel},
    {716, kContext, "CUDA_ERROR_MISALIGNED_ADDRESS", "a misaligned access", kFaultyKernel},
    {717, kContext, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "an access to the wrong kind of memory",
     kFaultyKernel},
    {718, kContext, "CUDA_ERROR_INVALID_PC", "a jump to where there is no code", kFaultyKernel},
    {719, kContext, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed",
     "check the system log for Xid errors; without any, please report it with the point's id"},
    {721, kContext, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory wasn't given back",
     kFaultyKernel},
    {800, kCall, "CUDA_ERROR_NOT_PERMITTED", "not permitted", ""},
    {801, kCall, "CUDA_ERROR_NOT_SUPPORTED", "not supported here", ""},
    {802, kCall, "CUDA_ERROR_SYSTEM_NOT_READY", "the system isn't ready",
     "start nvidia-fabricmanager where GPUs hang on an NVSwitch"},
    {803, kCall, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "libcuda and the kernel module are of different versions",
     "restart after a driver update, or use the libcuda of the running driver"},
    {804, kCall, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "the forward-compatible libcuda doesn't work with this GPU",
     "use the driver's own libcuda (ROOFLINE_LIBCUDA), or update the driver"},
    {900, kCall, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not possible while a graph is captured",
     ""},
    {901, kCall, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "an earlier error ended the capture", ""},
    {906, kCall, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the capture would wait for other work", ""},
    {908, kCall, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "captured on another thread", ""},
    {909, kContext, "CUDA_ERROR_TIMEOUT", "an operation took too long", ""},
    {911, kContext, "CUDA_ERROR_EXTERNAL_DEVICE", "an error outside the GPU", ""},
    // What a GPU that fell off its bus answers to anything: the new context fails as well then.
    {999, kContext, "CUDA_ERROR_UNKNOWN", "unknown error",
     "check the system log for Xid errors; a GPU that has fallen off the bus needs a reset"},
};

const Row* find(int code) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.code == code; });
  return row == std::end(kRows) ? nullptr : &*row;
}

std::string sentence(int code, std::string_view call, std::string_view detail) {
  std::string out(call);
  out += ": " + std::string(error_words(code)) + " (" + error_name(code) + ")";
  if (!detail.empty()) out += ": " + std::string(detail);
  if (!way_out(code).empty()) out += "; " + std::string(way_out(code));
  return out;
}

}  // namespace

Aftermath aftermath(int code) {
  const Row* const row = find(code);
  // An error nobody knows may have left anything behind: a new context is the safe answer.
  return row == nullptr ? Aftermath::context_lost : row->aftermath;
}

std::string error_name(int code) {
  const Row* const row = find(code);
  return row == nullptr ? "error " + std::to_string(code) : row->name;
}

std::string_view error_words(int code) {
  const Row* const row = find(code);
  return row == nullptr ? "an error that this program has no name for" : row->words;
}

std::string_view way_out(int code) {
  const Row* const row = find(code);
  return row == nullptr ? "" : row->way_out;
}

CudaError::CudaError(int code, std::string_view call, std::string_view detail)
    : BackendError(sentence(code, call, detail)), code_(code) {}

void throw_missing(std::string_view call) {
  throw backend::BackendError("the driver has no " + std::string(call) +
                              "; update the NVIDIA driver");
}

}  // namespace roofline::cuda
