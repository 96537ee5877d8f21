// cuBLASLt as a table of functions that were found in the library when the program ran, and its
// failures as sentences. Knows nothing of what is multiplied.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "backend/backend.hpp"
#include "backend/cuda/cublaslt_abi.hpp"

namespace roofline::cuda {

/// `CUBLAS_STATUS_EXECUTION_FAILED`; `status 4711` where this program knows no name.
[[nodiscard]] std::string lt_status_name(lt::Status status);
/// `a kernel of the library failed`
[[nodiscard]] std::string_view lt_status_words(lt::Status status);

class LtError : public backend::BackendError {
 public:
  /// `call`: the library's function. `detail`: what was asked of it, for the sentence.
  LtError(lt::Status status, std::string_view call, std::string_view detail = {});

  [[nodiscard]] lt::Status status() const { return status_; }
  [[nodiscard]] const std::string& call() const { return call_; }

 private:
  lt::Status status_;
  std::string call_;
};

/// Whether a call that ended so left the library as it was, and another one may do better: the
/// algorithm, the type or the layout isn't offered.
[[nodiscard]] bool is_refusal(lt::Status status);

/// The library has no such function, and no product can do without.
[[noreturn]] void throw_missing_lt(std::string_view call);

/// One function of the library. Called as a function it throws LtError when it fails.
template <class Result, class... Parameters>
class LtFunction {
 public:
  using Pointer = Result (*)(Parameters...);

  explicit constexpr LtFunction(const char* name) : name_(name) {}

  void bind(Pointer pointer) { pointer_ = pointer; }
  [[nodiscard]] bool present() const { return pointer_ != nullptr; }
  [[nodiscard]] const char* name() const { return name_; }

  void operator()(Parameters... parameters) const requires std::is_same_v<Result, lt::Status> {
    if (pointer_ == nullptr) throw_missing_lt(name_);
    if (const lt::Status status = pointer_(parameters...); status != lt::kSuccess)
      throw LtError(status, name_);
  }
  /// For answers that are none of our errors, and for destructors. What the library lacks it
  /// doesn't support, and its numbers are 0.
  [[nodiscard]] Result result(Parameters... parameters) const noexcept {
    if (pointer_ != nullptr) return pointer_(parameters...);
    if constexpr (std::is_same_v<Result, lt::Status>) {
      return lt::kNotSupported;
    } else {
      return Result{};
    }
  }

 private:
  const char* name_;
  Pointer pointer_ = nullptr;
};

namespace lt {

struct Api {
#define ROOFLINE_CUBLASLT_MEMBER(member, symbol, ...) LtFunction<__VA_ARGS__> member{symbol};
  ROOFLINE_CUBLASLT_FUNCTIONS(ROOFLINE_CUBLASLT_MEMBER)
#undef ROOFLINE_CUBLASLT_MEMBER
};

}  // namespace lt
using LtApi = lt::Api;

/// Looks every function up in an opened library.
[[nodiscard]] LtApi bind_cublaslt(void* library);
/// The first function that is absent; empty when none is.
[[nodiscard]] std::string_view first_missing(const LtApi& api);

}  // namespace roofline::cuda
