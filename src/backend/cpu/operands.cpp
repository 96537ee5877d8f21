#include "backend/cpu/operands.hpp"

#include "backend/cpu/random.hpp"

namespace roofline::cpu {

Buffer random_array(Context& context, const RandomSource& source, std::uint64_t first,
                    std::uint64_t n) {
  const auto fill = [&]<class T>(T (*value)(std::uint64_t, std::uint64_t)) {
    return context.filled_with<T>(n, [&](std::size_t i) { return value(source.seed, first + i); });
  };
  switch (source.dtype) {
    case DType::fp64:
      return fill(random_fp64);
    case DType::fp32:
      return fill(random_fp32);
    case DType::bf16:
      return fill(random_bf16);
    default:
      break;
  }
  return source.unsigned_bytes ? fill(random_uint7) : fill(random_int8);
}

double random_element(const RandomSource& source, std::uint64_t index) {
  switch (source.dtype) {
    case DType::fp64:
      return random_fp64(source.seed, index);
    case DType::fp32:
      return static_cast<double>(random_fp32(source.seed, index));
    case DType::bf16:
      return static_cast<double>(from_bf16(random_bf16(source.seed, index)));
    default:
      break;
  }
  return source.unsigned_bytes ? random_uint7(source.seed, index) : random_int8(source.seed, index);
}

}  // namespace roofline::cpu
