// Tests drive the simulated cuBLASLt as a program does: opened by path, functions by name, beside
// the simulated libcuda.
#pragma once

#include <vector>

#include "fake_gpu.hpp"
#include "src/backend/cuda/cublaslt_abi.hpp"

namespace fakegpu {

namespace lt = roofline::cuda::lt;

namespace abi {
using namespace roofline::cuda::lt;  // NOLINT(google-build-using-namespace): signatures below

/// The functions of libcublasLt.so, by the members of the ABI.
struct CublasLtApi {
  explicit CublasLtApi(void* library);
#define FAKEGPU_MEMBER(member, symbol, result, ...) result (*member)(__VA_ARGS__) = nullptr;
  ROOFLINE_CUBLASLT_FUNCTIONS(FAKEGPU_MEMBER)
#undef FAKEGPU_MEMBER
};
}  // namespace abi
using abi::CublasLtApi;

/// A product as cuBLASLt says it: column-major, D (m x n) = alpha op(A) op(B) + beta C.
struct Product {
  lt::ComputeType compute = lt::ComputeType::c_32f;
  lt::DataType scale = lt::DataType::r_32f;
  lt::DataType a = lt::DataType::r_32f;
  lt::DataType b = lt::DataType::r_32f;
  lt::DataType d = lt::DataType::r_32f;
  std::uint64_t m = 8;
  std::uint64_t n = 8;
  std::uint64_t k = 8;
  bool transpose_a = false;
  bool transpose_b = false;
  int batch = 1;
  std::int64_t pad = 0;  ///< elements behind each column
  double alpha = 1;
  double beta = 0;
  float scale_a = 0;  ///< 0: no pointer to one
  float scale_b = 0;
  std::string name = {};
  bool filled = true;  ///< false: whatever memory holds, for what nobody looks at
};

// Products of each kind, 8 x 8 x 8; those of 8 bits TN, of FP8 16 x 16 x 16.
[[nodiscard]] Product product_of(lt::ComputeType compute, lt::DataType scale, lt::DataType operands,
                                 lt::DataType result);
[[nodiscard]] Product fp32_product();
[[nodiscard]] Product bf16_product();
[[nodiscard]] Product int8_product();
[[nodiscard]] Product fp8_product(lt::DataType a = lt::DataType::r_8f_e4m3,
                                  lt::DataType b = lt::DataType::r_8f_e4m3,
                                  lt::DataType result = lt::DataType::r_16bf);
[[nodiscard]] Product sized(Product product, std::uint64_t m, std::uint64_t n, std::uint64_t k);

void PrintTo(const Product& product, std::ostream* out);

/// A matrix on the device and its values on the host, one batch after the other, with the gaps.
struct PreparedMatrix {
  lt::DataType type = lt::DataType::r_32f;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t ld = 0;
  std::uint64_t stride = 0;
  std::vector<double> values = {};
  CUdeviceptr device = 0;
  lt::MatrixLayout layout = nullptr;

  [[nodiscard]] double at(std::uint64_t row, std::uint64_t column, std::uint64_t batch) const {
    return values[batch * stride + column * ld + row];
  }
};

struct Prepared {
  Product product;
  lt::MatmulDesc descriptor = nullptr;
  PreparedMatrix a = {};
  PreparedMatrix b = {};
  PreparedMatrix c = {};
  PreparedMatrix d = {};
};

[[nodiscard]] std::size_t bytes_of(lt::DataType type);
/// Whole numbers of -2 to 2 are exact in every type.
void encode(lt::DataType type, double value, std::byte* to);
[[nodiscard]] double decode(lt::DataType type, const std::byte* from);

class CublasLt : public FakeGpu {
 protected:
  CublasLt();

  /// The scenario's first device, and a handle.
  void begin(const std::string& scenario = "device h100");
  /// Operands of small whole numbers, C too; D is poisoned.
  [[nodiscard]] Prepared prepare(const Product& product);
  /// Up to `wanted` of them.
  [[nodiscard]] std::vector<lt::HeuristicResult> suggest(const Prepared& prepared, int wanted = 64);
  /// How the heuristic ends.
  [[nodiscard]] lt::Status suggest_status(const Prepared& prepared);
  /// With the first suggestion where none is given.
  lt::Status multiply(const Prepared& prepared, const lt::Algo* algo = nullptr,
                      CUstream on = nullptr);
  /// D as it is in memory.
  [[nodiscard]] std::vector<double> read(const Prepared& prepared);
  /// D as it should be.
  [[nodiscard]] static std::vector<double> expected(const Prepared& prepared);
  /// s of one, behind a spinning kernel.
  [[nodiscard]] double time_of(const Prepared& prepared, const lt::Algo* algo, int launches = 20);
  /// Of what an algorithm is made of.
  [[nodiscard]] std::uint64_t config(const lt::Algo& algo, lt::ConfigAttribute which);
  void set(lt::MatmulDesc descriptor, lt::DescAttribute which, const void* value,
           std::size_t bytes);

  void* library_lt;
  CublasLtApi lt_api;
  lt::Handle handle = nullptr;
  std::size_t workspace_bytes = std::size_t{64} << 20;

 private:
  [[nodiscard]] PreparedMatrix matrix(const Product& product, lt::DataType type, std::uint64_t rows,
                                      std::uint64_t columns, unsigned seed);
  CUdeviceptr workspace_ = 0;
};

}  // namespace fakegpu
