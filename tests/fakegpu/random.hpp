// Random numbers that are the same on every machine: standard distributions differ between
// libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace fakegpu {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// In (0, 1).
  constexpr double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  /// Mean 0, standard deviation 1, within +-6 (a sum of twelve, Irwin-Hall).
  constexpr double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

/// FNV-1a of `text`, begun with `seed`.
[[nodiscard]] constexpr std::uint64_t seed_from(std::uint64_t seed, std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return out;
}

}  // namespace fakegpu
