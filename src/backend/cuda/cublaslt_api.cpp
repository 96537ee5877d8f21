#include "backend/cuda/cublaslt_api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

namespace roofline::cuda {
namespace {

struct StatusRow {
  lt::Status status;
  const char* name;
  const char* words;
  const char* way_out;
};

constexpr const char* kReport = "please report it with the point's id and the library's version";

// cublas_api.h
constexpr StatusRow kStatusRows[] = {
    {lt::kNotInitialized, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library could not start on this device",
     "use a cuBLASLt of the driver's CUDA version (see nvidia-smi), and check that memory is free"},
    {lt::kAllocFailed, "CUBLAS_STATUS_ALLOC_FAILED", "no memory for the library's own needs",
     "use a smaller shape, or end what else uses the GPU"},
    {lt::kInvalidValue, "CUBLAS_STATUS_INVALID_VALUE", "an argument that the library doesn't take",
     kReport},
    {lt::kArchMismatch, "CUBLAS_STATUS_ARCH_MISMATCH", "this GPU lacks what the product needs",
     "use another type or another version of cuBLASLt (--libcublaslt)"},
    {lt::kMappingError, "CUBLAS_STATUS_MAPPING_ERROR", "memory of the GPU could not be mapped",
     "check the system log for Xid errors"},
    {lt::kExecutionFailed, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel of the library failed",
     "check the system log for Xid errors; without any, please report it with the point's id"},
    {lt::kInternalError, "CUBLAS_STATUS_INTERNAL_ERROR", "an error inside the library",
     "try another version of cuBLASLt (--libcublaslt)"},
    {lt::kNotSupported, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the library doesn't offer this product on this GPU",
     "use another type, layout or version of cuBLASLt (--libcublaslt)"},
    {lt::kLicenseError, "CUBLAS_STATUS_LICENSE_ERROR", "the library has no licence here",
     "license the guest for vGPU"},
};

const StatusRow* find_status(lt::Status status) {
  const auto row = std::find_if(std::begin(kStatusRows), std::end(kStatusRows),
                                [&](const StatusRow& r) { return r.status == status; });
  return row == std::end(kStatusRows) ? nullptr : &*row;
}

std::string status_sentence(lt::Status status, std::string_view call, std::string_view detail) {
  std::string out(call);
  out += ": " + std::string(lt_status_words(status)) + " (" + lt_status_name(status) + ")";
  if (!detail.empty()) out += ": " + std::string(detail);
  const StatusRow* const row = find_status(status);
  if (row != nullptr) out += std::string("; ") + row->way_out;
  return out;
}

template <class Result, class... Parameters>
void look_up(LtFunction<Result, Parameters...>& function, void* library) {
  function.bind(reinterpret_cast<typename LtFunction<Result, Parameters...>::Pointer>(
      dlsym(library, function.name())));
}

}  // namespace

std::string lt_status_name(lt::Status status) {
  const StatusRow* const row = find_status(status);
  return row == nullptr ? "status " + std::to_string(status) : row->name;
}

std::string_view lt_status_words(lt::Status status) {
  const StatusRow* const row = find_status(status);
  return row == nullptr ? "an error that this program has no name for" : row->words;
}

LtError::LtError(lt::Status status, std::string_view call, std::string_view detail)
    : BackendError(status_sentence(status, call, detail)), status_(status), call_(call) {}

bool is_refusal(lt::Status status) {
  return status == lt::kNotSupported || status == lt::kInvalidValue || status == lt::kArchMismatch;
}

void throw_missing_lt(std::string_view call) {
  throw backend::BackendError("this cuBLASLt has no " + std::string(call) +
                              "; name another one with --libcublaslt");
}

LtApi bind_cublaslt(void* library) {
  LtApi out;
#define ROOFLINE_CUBLASLT_LOOK_UP(member, ...) look_up(out.member, library);
  ROOFLINE_CUBLASLT_FUNCTIONS(ROOFLINE_CUBLASLT_LOOK_UP)
#undef ROOFLINE_CUBLASLT_LOOK_UP
  return out;
}

std::string_view first_missing(const LtApi& api) {
#define ROOFLINE_CUBLASLT_MISSING(member, ...) \
  if (!api.member.present()) return api.member.name();
  ROOFLINE_CUBLASLT_FUNCTIONS(ROOFLINE_CUBLASLT_MISSING)
#undef ROOFLINE_CUBLASLT_MISSING
  return {};
}

}  // namespace roofline::cuda
