#include "roofline/dtype.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "quoted.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using enum DType;

constexpr std::array kDTypes{
    DTypeInfo{fp64, "fp64", 64, false, fp64, fp64},
    DTypeInfo{fp32, "fp32", 32, false, fp32, fp32},
    DTypeInfo{tf32, "tf32", 32, false, fp32, fp32},
    DTypeInfo{fp16, "fp16", 16, false, fp32, fp16},
    DTypeInfo{bf16, "bf16", 16, false, fp32, bf16},
    DTypeInfo{fp8_e4m3, "fp8_e4m3", 8, false, fp32, bf16},
    DTypeInfo{fp8_e5m2, "fp8_e5m2", 8, false, fp32, bf16},
    DTypeInfo{fp6, "fp6", 6, false, fp32, bf16},
    DTypeInfo{fp4, "fp4", 4, false, fp32, bf16},
    DTypeInfo{int8, "int8", 8, true, int32, int32},
    DTypeInfo{int4, "int4", 4, true, int32, int32},
    DTypeInfo{int32, "int32", 32, true, int32, int32},
};

constexpr std::pair<std::string_view, DType> kAliases[] = {
    {"fp8", fp8_e4m3},
    {"e4m3", fp8_e4m3},
    {"e5m2", fp8_e5m2},
    {"float64", fp64},
    {"f64", fp64},
    {"double", fp64},
    {"float32", fp32},
    {"f32", fp32},
    {"float", fp32},
    {"float16", fp16},
    {"f16", fp16},
    {"half", fp16},
    {"bfloat16", bf16},
    {"s8", int8},
    {"i8", int8},
    {"s4", int4},
    {"i4", int4},
    {"s32", int32},
    {"i32", int32},
    {"float8_e4m3fn", fp8_e4m3},
    {"float8_e5m2", fp8_e5m2},
};

constexpr std::pair<PeakKey, std::string_view> kPeakKeys[] = {
    {PeakKey::fp64, "fp64"},
    {PeakKey::fp64_tensor, "fp64_tensor"},
    {PeakKey::fp32, "fp32"},
    {PeakKey::tf32, "tf32"},
    {PeakKey::fp16, "fp16"},
    {PeakKey::fp16_acc16, "fp16_acc16"},
    {PeakKey::bf16, "bf16"},
    {PeakKey::fp8, "fp8"},
    {PeakKey::fp8_acc16, "fp8_acc16"},
    {PeakKey::fp6, "fp6"},
    {PeakKey::fp4, "fp4"},
    {PeakKey::int8, "int8"},
    {PeakKey::int4, "int4"},
    {PeakKey::fp16_vector, "fp16_vector"},
    {PeakKey::bf16_vector, "bf16_vector"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::span<const DTypeInfo> dtypes() { return kDTypes; }

const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

std::string_view name(DType dtype) { return info(dtype).name; }

unsigned storage_bits(DType dtype) { return info(dtype).storage_bits; }

std::optional<DType> find_dtype(std::string_view text) {
  const std::string wanted = lower(text);
  for (const DTypeInfo& entry : kDTypes) {
    if (entry.name == wanted) return entry.dtype;
  }
  for (const auto& [alias, dtype] : kAliases) {
    if (alias == wanted) return dtype;
  }
  return std::nullopt;
}

DType parse_dtype(std::string_view text) {
  if (const auto found = find_dtype(text)) return *found;
  std::string known;
  for (const DTypeInfo& entry : kDTypes) {
    if (!known.empty()) known += ", ";
    known += entry.name;
  }
  throw InputError("unknown dtype " + quoted(text) + "; known are " + known +
                   " (fp8 means fp8_e4m3)");
}

std::string_view name(PeakKey key) { return kPeakKeys[static_cast<std::size_t>(key)].second; }

std::optional<PeakKey> find_peak_key(std::string_view text) {
  const auto* const found = std::find_if(std::begin(kPeakKeys), std::end(kPeakKeys),
                                         [&](const auto& entry) { return entry.second == text; });
  if (found == std::end(kPeakKeys)) return std::nullopt;
  return found->first;
}

std::span<const PeakKey> peak_keys() {
  static const auto keys = [] {
    std::array<PeakKey, std::size(kPeakKeys)> out{};
    std::transform(std::begin(kPeakKeys), std::end(kPeakKeys), out.begin(),
                   [](const auto& entry) { return entry.first; });
    return out;
  }();
  return keys;
}

std::string_view name(Engine engine) { return engine == Engine::tensor ? "tensor" : "vector"; }

std::vector<PeakKey> peak_candidates(DType dtype, DType accumulate, Engine engine) {
  const bool tensor = engine == Engine::tensor;
  const bool half_sum = accumulate == fp16;
  // A row is the rate with the type's own sums; fp16 and fp8 have a second one for half sums. No
  // other row says how fast, say, bf16 products are summed in fp16 or fp64.
  const bool half_row = half_sum && (dtype == fp16 || dtype == fp8_e4m3 || dtype == fp8_e5m2);
  if (tensor && accumulate != info(dtype).accumulate && !half_row) return {};
  switch (dtype) {
    case fp64:
      return tensor ? std::vector{PeakKey::fp64_tensor, PeakKey::fp64} : std::vector{PeakKey::fp64};
    case fp32:
      return {PeakKey::fp32};
    case tf32:
      return tensor ? std::vector{PeakKey::tf32} : std::vector<PeakKey>{};
    case fp16:
      if (!tensor) return {PeakKey::fp16_vector};
      return {half_sum ? PeakKey::fp16_acc16 : PeakKey::fp16};
    case bf16:
      return {tensor ? PeakKey::bf16 : PeakKey::bf16_vector};
    case fp8_e4m3:
    case fp8_e5m2:
      if (!tensor) return {};
      return {half_sum ? PeakKey::fp8_acc16 : PeakKey::fp8};
    case fp6:
      return tensor ? std::vector{PeakKey::fp6} : std::vector<PeakKey>{};
    case fp4:
      return tensor ? std::vector{PeakKey::fp4} : std::vector<PeakKey>{};
    case int8:
      return tensor ? std::vector{PeakKey::int8} : std::vector<PeakKey>{};
    case int4:
      return tensor ? std::vector{PeakKey::int4} : std::vector<PeakKey>{};
    case int32:
      break;
  }
  return {};
}

}  // namespace roofline
