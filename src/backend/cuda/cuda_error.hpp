// Failures of driver calls: which call, what the driver calls it, what that means for the point,
// the context and the device, and a way out.
#pragma once

#include <string>
#include <string_view>

#include "backend/backend.hpp"

namespace roofline::cuda {

/// What is left after an error.
enum class Aftermath {
  call_failed,   ///< the call did nothing; everything else is as before
  context_lost,  ///< every later call in this context fails too: it has to be made anew
  device_lost,   ///< nothing more can run on this device
};

/// Codes of CUresult, as numbers so that no header of the toolkit is needed to speak of them.
[[nodiscard]] Aftermath aftermath(int code);
/// `CUDA_ERROR_OUT_OF_MEMORY`; `error 4711` where this program knows no name.
[[nodiscard]] std::string error_name(int code);
/// `out of memory`
[[nodiscard]] std::string_view error_words(int code);
/// What a person can do about it; empty where nothing general helps.
[[nodiscard]] std::string_view way_out(int code);

class CudaError : public backend::BackendError {
 public:
  /// `call`: the driver's function. `detail`: what was asked of it, for the sentence.
  CudaError(int code, std::string_view call, std::string_view detail = {});

  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// The driver has no such function, and this point can't do without.
[[noreturn]] void throw_missing(std::string_view call);

}  // namespace roofline::cuda
