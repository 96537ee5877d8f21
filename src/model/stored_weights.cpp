#include "model/stored_weights.hpp"

#include <algorithm>
#include <charconv>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::model {
namespace {

constexpr std::uint64_t kLargestGroup = 65'536;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// The G of `int4-gG`; 0 when it is none.
std::uint64_t group_of(std::string_view text, std::string_view before) {
  if (!text.starts_with(before)) return 0;
  text.remove_prefix(before.size());
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out > kLargestGroup) return 0;
  return out;
}

}  // namespace

WeightFormat plain_format(DType dtype) {
  return {.name = std::string(name(dtype)), .bits = storage_bits(dtype)};
}

WeightFormat parse_weight_format(std::string_view text, std::string_view what) {
  const std::string wanted = lower(text);
  if (wanted == "mxfp4")
    return {.name = wanted, .bits = 4, .scale_bits = 8, .group_rows = 1, .group_columns = 32};
  if (wanted == "nvfp4")
    return {.name = wanted, .bits = 4, .scale_bits = 8, .group_rows = 1, .group_columns = 16};
  if (const std::uint64_t group = group_of(wanted, "int4-g"); group > 0)
    return {.name = wanted,
            .bits = 4,
            .scale_bits = 16,
            .zero_bits = 4,
            .group_rows = 1,
            .group_columns = group};
  if (const std::uint64_t group = group_of(wanted, "int8-g"); group > 0)
    return {.name = wanted, .bits = 8, .scale_bits = 16, .group_rows = 1, .group_columns = group};
  if (const auto dtype = find_dtype(wanted)) return plain_format(*dtype);
  constexpr std::size_t kLongest = 40;
  throw InputError(std::string(what) + ": '" + printable(text.substr(0, kLongest), '?') +
                   (text.size() > kLongest ? "...'" : "'") +
                   " is no type of weights; give a dtype such as bf16, fp8 or int8, or int4-g128, "
                   "int8-g128, mxfp4, nvfp4");
}

Count group_count(const WeightFormat& format, std::uint64_t rows, std::uint64_t columns) {
  const auto groups = [](std::uint64_t size, std::uint64_t group) {
    return group == 0 ? Count{1} : ceil_div(Count{size}, Count{group});
  };
  return groups(rows, format.group_rows) * groups(columns, format.group_columns);
}

Count matrix_bytes(const WeightFormat& format, std::uint64_t rows, std::uint64_t columns,
                   Count copies) {
  Count one = packed_bytes(Count{rows} * Count{columns}, format.bits);
  if (format.scale_bits > 0) {
    const Count groups = group_count(format, rows, columns);
    one += packed_bytes(groups, format.scale_bits) + packed_bytes(groups, format.zero_bits);
  }
  return one * copies;
}

double bytes_per_weight(const WeightFormat& format) {
  double bits = format.bits;
  const double group =
      static_cast<double>(format.group_rows) * static_cast<double>(format.group_columns);
  if (format.scale_bits > 0 && group > 0) bits += (format.scale_bits + format.zero_bits) / group;
  return bits / 8;
}

bool is_quantised(const StoredWeights& weights, TensorClass kind) {
  return weights.quantised &&
         std::find(weights.classes.begin(), weights.classes.end(), kind) != weights.classes.end();
}

StoredWeights stored_as(const StoredWeights& weights, const WeightFormat& format) {
  StoredWeights out = weights;
  out.method = "chosen";
  out.unknown.clear();
  out.arithmetic.reset();
  out.quantised = format;
  const auto all = tensor_classes();
  out.classes.assign(all.begin(), all.end());
  return out;
}

}  // namespace roofline::model
