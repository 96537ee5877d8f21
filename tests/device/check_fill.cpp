// Random fills against the host's own computation of every element: equal bits, but for the normal
// distribution, whose logarithm and sines the device computes with other instructions.
#include <cmath>
#include <string>
#include <string_view>

#include "backend/cuda/results.hpp"
#include "check.hpp"
#include "kernels/cuda/fp8_bits.hpp"
#include "roofline/dtype.hpp"

namespace roofline::selftest {
namespace {

using cuda::Distribution;

constexpr u64 kSmall[] = {1, 2, 3, 5, 16, 17, 1023, 4099};
constexpr u64 kLarge = (u64{1} << 20) + 7;
constexpr u64 kSeed = 0x9e3779b97f4a7c15;
/// Even ones: nibbles and pairs of a normal distribution begin there.
constexpr u64 kOffsets[] = {0, 6, (u64{1} << 34) + 2};

struct Place {
  DType dtype;
  Distribution distribution;
  u64 offset;
};

double got(const Place& place, const Output& out, u64 i) {
  switch (place.dtype) {
    case DType::fp8_e4m3:
      return static_cast<double>(cuda::to_float(out.at<cuda::Fp8E4m3>(i)));
    case DType::fp8_e5m2:
      return static_cast<double>(cuda::to_float(out.at<cuda::Fp8E5m2>(i)));
    case DType::tf32:
      return static_cast<double>(out.at<float>(i));
    default:
      return cuda::element(out.bytes().data(), place.dtype, i);
  }
}

/// For normal elements; the others have none.
double allowed(const Place& place, double value) {
  if (place.distribution != Distribution::normal) return 0;
  const double size = std::max(1.0, std::fabs(value));
  switch (place.dtype) {
    case DType::fp64:
      return 1e-14 * size;
    case DType::fp32:
      return 2e-6 * size;
    case DType::tf32:
    case DType::fp16:
      return 0x1p-10 * size;
    case DType::bf16:
      return 0x1p-7 * size;
    case DType::fp8_e4m3:
      return 0x1p-3 * size;
    case DType::fp8_e5m2:
      return 0x1p-2 * size;
    default:
      return std::max(1.0, 2e-6 * size);  // an integer that lies between two
  }
}

class FillCheck {
 public:
  FillCheck(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings)
      : bench_(bench),
        kernel_(kernel),
        findings_(findings),
        dtype_(parse_dtype(std::string(kernel.name.substr(std::string_view("fill_").size())))) {}

  void run() {
    for (const auto distribution :
         {Distribution::uniform, Distribution::normal, Distribution::zeros, Distribution::ones,
          Distribution::scale, Distribution::integers}) {
      for (const u64 n : kSmall) one(n, {dtype_, distribution, 0}, {3, 1, 64, 0});
      for (const u64 offset : kOffsets) one(1000, {dtype_, distribution, offset}, {1, 1, 32, 0});
      if (!bench_.all_sizes) continue;
      if (Clock::now() > bench_.deadline) {
        findings_.left_out();
      } else {
        one(kLarge, {dtype_, distribution, 0}, {2 * bench_.device.sm_count, 1, 256, 0});
      }
    }
  }

 private:
  [[nodiscard]] u64 bytes(u64 n) const { return (n * storage_bits(dtype_) + 7) / 8; }

  void one(u64 n, const Place& place, const cuda::Grid& grid) {
    findings_.begin_case("n " + std::to_string(n) + " from element " +
                         std::to_string(place.offset) + ", distribution " +
                         std::to_string(static_cast<u32>(place.distribution)));
    Output out(bench_.context, bytes(n));
    cuda::launch<cuda::Family::fill>(bench_.context, kernel_, grid, out.as<void>(), n, kSeed,
                                     place.offset, static_cast<u32>(place.distribution));
    findings_.take(out);
    backend::Comparison comparison;
    for (u64 i = 0; i < n; ++i) {
      const double value =
          cuda::reference(place.dtype, kSeed, place.offset + i, place.distribution);
      comparison.add(i, got(place, out, i), value, allowed(place, value));
    }
    findings_.judge(comparison);
  }

  const Bench& bench_;
  const cuda::KernelEntry& kernel_;
  Findings& findings_;
  DType dtype_;
};

}  // namespace

void check_fill(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  FillCheck(bench, kernel, findings).run();
}

}  // namespace roofline::selftest
