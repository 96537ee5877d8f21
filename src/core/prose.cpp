#include "prose.hpp"

#include <charconv>
#include <cmath>
#include <iterator>

#include "roofline/percent.hpp"

namespace roofline::prose {
namespace {

constexpr int kDigits = 3;

std::string digits(double value) {
  char buffer[64];
  const double magnitude = std::abs(value);
  // Whole numbers beyond three digits are not worth an exponent; far beyond they are.
  const bool whole = magnitude >= 999.5 && magnitude < 1e6;
  const auto end = whole ? std::to_chars(std::begin(buffer), std::end(buffer), std::round(value),
                                         std::chars_format::fixed, 0)
                               .ptr
                         : std::to_chars(std::begin(buffer), std::end(buffer), value,
                                         std::chars_format::general, kDigits)
                               .ptr;
  return {std::begin(buffer), end};
}

std::string scaled(double value, const char* unit) {
  constexpr const char* kUp[] = {"", "k", "M", "G", "T", "P", "E"};
  constexpr const char* kDown[] = {"", "m", "u", "n"};
  std::size_t step = 0;
  while (value >= 999.5 && step + 1 < std::size(kUp)) {
    value /= 1000;
    ++step;
  }
  if (step > 0) return digits(value) + " " + kUp[step] + unit;
  std::size_t down = 0;
  while (value > 0 && value < 0.9995 && down + 1 < std::size(kDown)) {
    value *= 1000;
    ++down;
  }
  return digits(value) + " " + kDown[down] + unit;
}

}  // namespace

std::string number(double value) { return digits(value); }
std::string percent(double ratio) { return digits(in_percent(ratio)) + " %"; }
std::string text(Performance value) { return scaled(in_flop_per_s(value), "FLOP/s"); }
std::string text(Bandwidth value) { return scaled(in_byte_per_s(value), "B/s"); }
std::string text(Bytes value) { return scaled(in_byte(value), "B"); }
std::string text(Seconds value) { return scaled(in_second(value), "s"); }
std::string text(Frequency value) { return scaled(in_hertz(value), "Hz"); }
std::string text(Intensity value) { return digits(in_flop_per_byte(value)) + " FLOP/byte"; }

}  // namespace roofline::prose
