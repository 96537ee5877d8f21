// cuBLASLt's handle and descriptors, destroyed with their owner, and what of the library one GPU
// keeps for all its products: handle, workspace, a factor of 1.
#pragma once

#include <cstdint>
#include <utility>

#include "backend/cuda/buffer.hpp"
#include "backend/cuda/cublaslt_api.hpp"
#include "backend/cuda/cublaslt_library.hpp"
#include "backend/cuda/gemm_layout.hpp"

namespace roofline::cuda {

/// What a create function of the library made. Empty when default constructed.
template <class Object>
class LtOwned {
 public:
  using Destroy = LtFunction<lt::Status, Object>;

  LtOwned() = default;
  LtOwned(Object object, const Destroy& destroy) : object_(object), destroy_(&destroy) {}
  LtOwned(LtOwned&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  LtOwned& operator=(LtOwned&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  LtOwned(const LtOwned&) = delete;
  LtOwned& operator=(const LtOwned&) = delete;
  ~LtOwned() {
    if (object_ != nullptr) static_cast<void>(destroy_->result(object_));
  }

  [[nodiscard]] Object get() const { return object_; }
  /// Leaves it to its fate.
  void release() { object_ = nullptr; }

 private:
  Object object_ = nullptr;
  const Destroy* destroy_ = nullptr;
};

using LtDescription = LtOwned<lt::MatmulDesc>;
using LtLayout = LtOwned<lt::MatrixLayout>;
using LtPreference = LtOwned<lt::Preference>;

// Each throws LtError. The table must outlive what is made.
/// `one`: device address of a float 1, the factor of 8-bit operands. It belongs to the description
/// before algorithms are asked for: others are offered with it.
[[nodiscard]] LtDescription make_description(const LtApi& api, const LtProblem& problem,
                                             CUdeviceptr one);
[[nodiscard]] LtLayout make_layout(const LtApi& api, const LtMatrix& matrix, std::int32_t batch);
[[nodiscard]] LtPreference make_preference(const LtApi& api, std::uint64_t workspace_bytes);

class LtSession {
 public:
  /// In a context that is current. The library must outlive it. Throws LtError and CudaError.
  LtSession(Context& context, const CublasLtLibrary& library, std::uint64_t workspace_bytes);
  LtSession(const LtSession&) = delete;
  LtSession& operator=(const LtSession&) = delete;
  ~LtSession();

  [[nodiscard]] const CublasLtLibrary& library() const { return library_; }
  [[nodiscard]] const LtApi& api() const { return library_.api; }
  [[nodiscard]] lt::Handle handle() const { return handle_.get(); }
  [[nodiscard]] const Buffer& workspace() const { return workspace_; }
  [[nodiscard]] CUdeviceptr one() const { return one_.address(); }
  /// The making of the context that it belongs to.
  [[nodiscard]] unsigned generation() const { return generation_; }

 private:
  const CublasLtLibrary& library_;
  Context& context_;
  unsigned generation_;
  LtOwned<lt::Handle> handle_;
  Buffer workspace_;
  Buffer one_;
};

}  // namespace roofline::cuda
