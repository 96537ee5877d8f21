#include <charconv>

#include "quoted.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline {
namespace {

std::uint64_t parse_whole(std::string_view part, std::string_view whole, std::string_view what) {
  std::uint64_t value = 0;
  const char* const end = part.data() + part.size();
  const auto [rest, error] = std::from_chars(part.data(), end, value);
  if (error == std::errc::result_out_of_range && rest == end) {
    refuse(what, whole,
           "has " + quoted(part) + ", which does not fit 64 bits; use a smaller number");
  }
  if (error != std::errc{} || rest != end) {
    refuse(what, whole,
           "has " + quoted(part) + " where a positive whole number such as 4096 is needed");
  }
  if (value == 0) refuse(what, whole, "has a 0; every number must be at least 1");
  return value;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

constexpr std::size_t kMaxAxisValues = 4096;

std::vector<std::uint64_t> parse_range(const std::vector<std::string_view>& parts,
                                       std::string_view text, std::string_view what) {
  const std::uint64_t first = parse_whole(parts[0], text, what);
  const std::uint64_t last = parse_whole(parts[1], text, what);
  const std::string_view step_text = parts[2];
  if (step_text.size() < 2 || (step_text.front() != 'x' && step_text.front() != '+')) {
    refuse(what, text, "needs a step such as x2 or +512 after the second colon");
  }
  const bool geometric = step_text.front() == 'x';
  const std::uint64_t step = parse_whole(step_text.substr(1), text, what);
  if (geometric && step < 2)
    refuse(what, text, "has a step of x1, which never ends; use x2 or more");
  if (last < first) refuse(what, text, "runs backwards; write the smaller bound first");
  std::vector<std::uint64_t> out;
  std::uint64_t value = first;
  while (value <= last) {
    if (out.size() == kMaxAxisValues) {
      refuse(what, text,
             "has more than " + std::to_string(kMaxAxisValues) + " values; use a larger step");
    }
    out.push_back(value);
    const bool overflow = geometric ? __builtin_mul_overflow(value, step, &value)
                                    : __builtin_add_overflow(value, step, &value);
    if (overflow) break;
  }
  return out;
}

}  // namespace

std::vector<std::uint64_t> parse_shape(std::string_view text, std::size_t dimensions,
                                       std::string_view what) {
  std::vector<std::uint64_t> out;
  const std::vector<std::string_view> parts = split_at(text, 'x');
  if (parts.size() != dimensions) {
    const std::string example = dimensions == 3   ? "4096x14336x4096"
                                : dimensions == 2 ? "4096x14336"
                                                  : "4096";
    const std::string count =
        std::to_string(parts.size()) + (parts.size() == 1 ? " size" : " sizes");
    refuse(what, text,
           "has " + count + " where " + std::to_string(dimensions) +
               " are needed, with the letter x between them; write for example " + example);
  }
  out.reserve(parts.size());
  for (const std::string_view part : parts) out.push_back(parse_whole(part, text, what));
  return out;
}

std::vector<std::uint64_t> parse_axis(std::string_view text, std::string_view what) {
  const std::vector<std::string_view> range = split_at(text, ':');
  if (range.size() == 3) return parse_range(range, text, what);
  if (range.size() != 1) refuse(what, text, "is no range; write first:last:x2 or first:last:+512");
  std::vector<std::uint64_t> out;
  for (const std::string_view part : split_at(text, ','))
    out.push_back(parse_whole(part, text, what));
  if (out.size() > kMaxAxisValues) {
    refuse(what, text,
           "has more than " + std::to_string(kMaxAxisValues) + " values; split the sweep");
  }
  return out;
}

}  // namespace roofline
