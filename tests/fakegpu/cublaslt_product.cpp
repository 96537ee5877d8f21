#include "cublaslt_product.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cublaslt_multiply.hpp"
#include "cublaslt_numbers.hpp"

namespace fakegpu::lt {
namespace {

constexpr int kIllegalAddress = 700;  // CUresult
constexpr std::size_t kSlice = 512;   // of k that is widened at a time

std::byte* pointer(void* const* arguments, Argument which) {
  std::byte* out = nullptr;
  std::memcpy(&out, arguments[which], sizeof(out));
  return out;
}

Problem problem_of(void* const* arguments) {
  Problem out;
  std::memcpy(&out, arguments[kProblem], sizeof(out));
  return out;
}

/// The region that holds all of the bytes; null for none.
KernelRegion* region_of(std::vector<KernelRegion>& regions, const std::byte* at,
                        std::uint64_t bytes) {
  for (KernelRegion& region : regions) {
    if (at < region.host || at >= region.host + region.bytes) continue;
    const auto left = static_cast<std::uint64_t>(region.host + region.bytes - at);
    return bytes <= left ? &region : nullptr;
  }
  return nullptr;
}

std::uint64_t bytes_in(const Matrix& matrix) {
  // A stride of 0 is one matrix for all of the batch.
  const std::uint64_t matrices = matrix.stride == 0 ? 1 : static_cast<std::uint64_t>(matrix.batch);
  return matrix.rows * matrix.columns * matrices * bytes_of(matrix.type);
}

int plan(void* const* arguments, std::vector<KernelRegion>& regions) {
  const Problem problem = problem_of(arguments);
  struct Read {
    Argument which;
    const Matrix* matrix;
  };
  for (const Read& read : {Read{kA, &problem.a}, Read{kB, &problem.b}, Read{kC, &problem.c}}) {
    const std::byte* const at = pointer(arguments, read.which);
    if (at == nullptr) continue;
    const std::uint64_t bytes = read.matrix->extent() * bytes_of(read.matrix->type);
    KernelRegion* const region = region_of(regions, at, bytes);
    if (region == nullptr) return kIllegalAddress;
    region->loaded_bytes += bytes_in(*read.matrix);
  }
  for (const Argument which : {kScaleA, kScaleB}) {
    const std::byte* const at = pointer(arguments, which);
    if (at == nullptr) continue;
    KernelRegion* const region = region_of(regions, at, sizeof(float));
    if (region == nullptr) return kIllegalAddress;
    region->uncounted_loaded_bytes += sizeof(float);
  }
  const std::byte* const workspace = pointer(arguments, kWorkspace);
  if (workspace != nullptr && region_of(regions, workspace, problem.workspace_bytes) == nullptr) {
    return kIllegalAddress;
  }
  const std::size_t element = bytes_of(problem.d.type);
  KernelRegion* const written =
      region_of(regions, pointer(arguments, kD), problem.d.extent() * element);
  if (written == nullptr) return kIllegalAddress;
  written->stored_bytes += bytes_in(problem.d);
  written->stored_at = pointer(arguments, kD);
  written->stored_element = static_cast<unsigned>(element);
  written->scattered = !problem.d.packed();
  return 0;
}

/// op(matrix), of which k counts from `first`, widened to T.
template <class T>
View<T> widened(const Matrix& matrix, const std::byte* data, bool transposed, bool k_is_rows,
                std::size_t first, std::size_t depth, bool tf32, std::vector<T>& room) {
  const std::size_t element = bytes_of(matrix.type);
  const auto ld = static_cast<std::size_t>(matrix.ld);
  const std::size_t rows = k_is_rows ? depth : matrix.rows;
  const std::size_t columns = k_is_rows ? matrix.columns : depth;
  const std::byte* const from = data + (k_is_rows ? first : first * ld) * element;
  room.resize(rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    widen(matrix.type, from + j * ld * element, rows, room.data() + j * rows);
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    if (tf32) std::transform(room.begin(), room.end(), room.begin(), round_to_tf32);
  }
  return {room.data(), rows, transposed};
}

/// op(A) op(B) of one of the batch.
template <class T>
std::vector<T> accumulate(const Problem& problem, const std::byte* a, const std::byte* b) {
  std::vector<T> sum(problem.m() * problem.n());
  std::vector<T> room_a;
  std::vector<T> room_b;
  const bool tf32 = problem.compute == ComputeType::c_32f_fast_tf32;
  for (std::size_t first = 0; first < problem.k(); first += kSlice) {
    const std::size_t depth = std::min<std::size_t>(kSlice, problem.k() - first);
    const View<T> left =
        widened(problem.a, a, problem.transpose_a, problem.transpose_a, first, depth, tf32, room_a);
    const View<T> right = widened(problem.b, b, problem.transpose_b, !problem.transpose_b, first,
                                  depth, tf32, room_b);
    multiply(problem.m(), problem.n(), depth, left, right, sum.data());
  }
  return sum;
}

/// D = alpha sum + beta C, in T; `c` is null where beta is 0, so that NaNs there don't matter.
template <class T>
void finish(const Problem& problem, const std::vector<T>& sum, T alpha, const std::byte* c,
            std::byte* d) {
  const auto beta = static_cast<T>(problem.beta);
  const std::size_t element = bytes_of(problem.d.type);
  for (std::size_t j = 0; j < problem.n(); ++j) {
    const T* const column = sum.data() + j * problem.m();
    const std::byte* const old =
        c == nullptr ? nullptr : c + j * static_cast<std::size_t>(problem.c.ld) * element;
    std::byte* const out = d + j * static_cast<std::size_t>(problem.d.ld) * element;
    for (std::size_t i = 0; i < problem.m(); ++i) {
      T value = alpha * column[i];
      if (old != nullptr) value += beta * static_cast<T>(load(problem.c.type, old + i * element));
      store(problem.d.type, static_cast<double>(value), out + i * element);
    }
  }
}

float scale_at(const std::byte* at) {
  float out = 1;
  if (at != nullptr) std::memcpy(&out, at, sizeof(out));
  return out;
}

void compute(void* const* arguments) {
  const Problem problem = problem_of(arguments);
  const std::byte* const c = pointer(arguments, kC);
  const float scale = scale_at(pointer(arguments, kScaleA)) * scale_at(pointer(arguments, kScaleB));
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.d.batch); ++i) {
    const auto of = [&](std::byte* data, const Matrix& matrix) {
      return data + i * static_cast<std::size_t>(matrix.stride) * bytes_of(matrix.type);
    };
    const std::byte* const a = of(pointer(arguments, kA), problem.a);
    const std::byte* const b = of(pointer(arguments, kB), problem.b);
    const std::byte* const old = c == nullptr ? nullptr : of(pointer(arguments, kC), problem.c);
    std::byte* const d = of(pointer(arguments, kD), problem.d);
    // Integer sums are exact in a double.
    if (problem.compute == ComputeType::c_64f || problem.compute == ComputeType::c_32i) {
      finish<double>(problem, accumulate<double>(problem, a, b), problem.alpha, old, d);
    } else {
      const auto alpha = static_cast<float>(problem.alpha) * scale;
      finish<float>(problem, accumulate<float>(problem, a, b), alpha, old, d);
    }
  }
}

constexpr NativeKernel kProduct{.plan = plan, .compute = compute};

}  // namespace

const Kernel& product_kernel(const Problem& problem) {
  static std::mutex mutex;
  static std::map<std::string, Kernel, std::less<>> kernels;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = kernels.try_emplace("cublasLt_" + std::string(type_name(problem)));
  if (fresh) {
    Kernel& kernel = at->second;
    kernel.entry = at->first;
    for (std::size_t i = 0; i < kProblem; ++i) kernel.parameters.push_back({8, true});
    kernel.parameters.push_back({sizeof(Problem), false});
    kernel.native = &kProduct;
  }
  return at->second;
}

}  // namespace fakegpu::lt
