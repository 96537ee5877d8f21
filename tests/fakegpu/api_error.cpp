// The driver API's names of results: they need neither cuInit nor a device, and never fail.
#include "api.hpp"
#include "codes.hpp"

namespace {

CUresult say(const char** text, const fakegpu::ResultName* result,
             const char* fakegpu::ResultName::*what) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = result == nullptr ? nullptr : result->*what;
  return result == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuGetErrorName(CUresult error, const char** text) {
  return say(text, fakegpu::find_result(error), &fakegpu::ResultName::name);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  return say(text, fakegpu::find_result(error), &fakegpu::ResultName::text);
}
