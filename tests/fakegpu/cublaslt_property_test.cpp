// Whatever is put off, kept or left out: memory reads as if every product had been computed at
// once.
#include "cublaslt_fixture.hpp"
#include "random.hpp"

namespace fakegpu {
namespace {

constexpr std::uint64_t kSize = 4;
constexpr std::size_t kElements = kSize * kSize;
constexpr std::size_t kMatrices = 4;

/// Whole numbers in fp32, made small again before sums get inexact.
class ProductProperty : public CublasLt, public testing::WithParamInterface<int> {
 protected:
  /// Separate allocations, or pieces of one.
  void lay_out(bool together) {
    const CUdeviceptr arena = together ? allocate(kMatrices * kBytes) : 0;
    for (std::size_t i = 0; i < kMatrices; ++i) {
      device_[i] = together ? arena + i * kBytes : allocate(kBytes);
      upload(i, std::vector<float>(kElements, static_cast<float>(i)));
    }
    product_ = prepare(sized(fp32_product(), kSize, kSize, kSize));
  }

  void upload(std::size_t to, const std::vector<float>& values) {
    ASSERT_EQ(cu.cuMemcpyHtoD(device_[to], values.data(), kBytes), CUDA_SUCCESS);
    host_[to] = values;
  }

  void multiply_into(std::size_t d, std::size_t a, std::size_t b, double beta) {
    Prepared now = product_;
    now.product.beta = beta;
    now.a.device = device_[a];
    now.b.device = device_[b];
    now.c.device = now.d.device = device_[d];
    ASSERT_EQ(multiply(now), lt::kSuccess);
    std::vector<float> out(kElements);
    for (std::uint64_t i = 0; i < kSize; ++i) {
      for (std::uint64_t j = 0; j < kSize; ++j) {
        float sum = 0;
        for (std::uint64_t k = 0; k < kSize; ++k) {
          sum += host_[a][k * kSize + i] * host_[b][j * kSize + k];
        }
        const std::uint64_t place = j * kSize + i;
        out[place] = sum + (beta == 0 ? 0 : host_[d][place]);
      }
    }
    host_[d] = out;
  }

  void one_step(Random& random) {
    const auto pick = [&](std::size_t most) { return random.bits() % most; };
    const std::size_t d = pick(kMatrices);
    const std::size_t a = (d + 1 + pick(kMatrices - 1)) % kMatrices;
    const std::size_t b = (d + 1 + pick(kMatrices - 1)) % kMatrices;
    switch (pick(8)) {
      case 0:
        ASSERT_EQ(cu.cuMemsetD32(device_[d], 0x3f800000, kElements), CUDA_SUCCESS);
        host_[d].assign(kElements, 1);
        break;
      case 1: {
        std::vector<float> fresh(kElements);
        for (float& value : fresh) value = static_cast<float>(pick(3)) - 1;
        upload(d, fresh);
        break;
      }
      case 2:
        ASSERT_EQ(cu.cuMemcpyDtoD(device_[d], device_[a], kBytes), CUDA_SUCCESS);
        host_[d] = host_[a];
        break;
      case 3:
        replace(d);
        break;
      default:
        multiply_into(d, a, b, pick(3) == 0 ? 1 : 0);
        break;
    }
    // Beyond 2^20 sums would soon be inexact.
    for (const float value : host_[d]) {
      if (value > 1000 || value < -1000) return upload(d, std::vector<float>(kElements, 1));
    }
  }

  /// Gives it back while others may still need it; not in one arena.
  void replace(std::size_t which) {
    if (GetParam() % 2 == 1) return;
    ASSERT_EQ(cu.cuMemFree(device_[which]), CUDA_SUCCESS);
    device_[which] = allocate(kBytes);
    upload(which, std::vector<float>(kElements, 2));
  }

  void compare(std::size_t matrix) {
    std::vector<float> out(kElements);
    ASSERT_EQ(cu.cuMemcpyDtoH(out.data(), device_[matrix], kBytes), CUDA_SUCCESS);
    ASSERT_EQ(out, host_[matrix]) << "matrix " << matrix;
  }

  static constexpr std::size_t kBytes = kElements * sizeof(float);
  CUdeviceptr device_[kMatrices] = {};
  std::vector<float> host_[kMatrices];
  Prepared product_;
};

TEST_P(ProductProperty, MemoryReadsAsIfNothingWerePutOff) {
  begin("device a100-80gb");
  Random random(static_cast<std::uint64_t>(GetParam()));
  lay_out(GetParam() % 2 == 1);
  const std::uint64_t before = machine().kernels_executed;
  for (int step = 0; step < 1500; ++step) {
    ASSERT_NO_FATAL_FAILURE(one_step(random)) << "step " << step;
    if (random.bits() % 20 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare(random.bits() % kMatrices)) << "step " << step;
    }
  }
  for (std::size_t i = 0; i < kMatrices; ++i) ASSERT_NO_FATAL_FAILURE(compare(i));
  EXPECT_LT(machine().kernels_executed - before, 720U) << "some of it was left out";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ProductProperty, testing::Range(1, 9));

}  // namespace
}  // namespace fakegpu
