// What a GEMM module has to offer: plain functions in a table, because modules are opened at run
// time and only when a GEMM is measured. It knows the library's matrices, not buffers, rotation or
// times.
//
// A module exports one function, `roofline_gemm_provider`, of type GetGemmProvider. All functions
// are called from one and the same thread. Those with an `error` return false or null when they
// can't, with the reason in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofline::cpu {

inline constexpr std::uint32_t kGemmProviderAbi = 2;
inline constexpr const char* kGemmProviderSymbol = "roofline_gemm_provider";

enum class MatrixType : std::uint32_t { f64, f32, bf16, int8, int32 };

/// C[m,n] = alpha * A[m,k] * B[k,n] + beta * C, row-major; transposed operands are stored [k,m] and
/// [n,k]. Of int8 operands A holds 0 .. 127, so that it is the same number signed and unsigned.
struct GemmRequest {
  std::uint64_t m;
  std::uint64_t n;
  std::uint64_t k;
  MatrixType input;
  MatrixType output;
  bool transpose_a;
  bool transpose_b;
  double alpha;
  double beta;
};

/// Where a text for a person, without a length limit that could matter, is put.
struct TextBuffer {
  char* text;
  std::size_t size;
};

/// Receives facts, each by the function of its type. Keys are those of the report.
struct FactSink {
  void* user;
  void (*text)(void* user, const char* key, const char* value);
  void (*number)(void* user, const char* key, std::uint64_t value);
  void (*flag)(void* user, const char* key, bool value);
};

struct GemmProvider {
  std::uint32_t abi;
  const char* library;  ///< `oneDNN`, `OpenBLAS`
  /// Sets the number of threads and pins each to its CPU. Before any plan.
  bool (*set_threads)(std::uint32_t threads, const std::uint32_t* cpus, TextBuffer error);
  /// CPU seconds that each of the first `count` threads has used; returns how many were told, 0
  /// where they are not known.
  std::uint32_t (*cpu_seconds)(double* out, std::uint32_t count);
  /// Version, threading, code path of the library as it runs here.
  void (*describe)(const FactSink* sink);
  void* (*create)(const GemmRequest* request, TextBuffer error);
  void (*describe_plan)(void* plan, const FactSink* sink);
  /// Bytes of B in the library's own layout; 0: it takes B as it is stored, and then `packed` below
  /// is plain B.
  std::uint64_t (*packed_bytes)(void* plan);
  /// Makes `packed` known to the plan as operand `slot` (0, 1, 2 ...), after filling it from `b`
  /// where there is a layout of its own. `packed` outlives the plan.
  bool (*pack)(void* plan, std::uint64_t slot, const void* b, void* packed, TextBuffer error);
  bool (*run)(void* plan, const void* a, std::uint64_t slot, void* c, TextBuffer error);
  void (*destroy)(void* plan);
};

using GetGemmProvider = const GemmProvider* (*)();

}  // namespace roofline::cpu
