// Peaks of the units against their ideal, and the clock that it is worked out with.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "bar_parts.hpp"

namespace bars {
namespace {

/// Share of what two full-width units do in each cycle of the clock under load.
std::optional<double> of_ideal(const Points& points, const std::string& dtype) {
  const std::string id = peak(dtype);
  const auto ideal = points.implementation(id, "ideal_flop_per_cycle");
  return ratio(ratio(points.flop_per_s(id), points.clock_hz(id)), ideal);
}

constexpr const char* kPeaks = R"([{"kind":"peak","dtype":["fp64","fp32","bf16","int8"]}])";

/// GHz of a chain of dependent multiplications, three cycles each on x86-64.
double multiply_chain_hz() {
#if defined(__x86_64__)
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int part = 0; part < 20; ++part) {
    constexpr int kLinks = 4000;
    unsigned long product = 3;
    const unsigned long factor = 5;
    const auto begin = Clock::now();
    for (int i = 0; i < kLinks; ++i) {
      asm volatile(".rept 64\n imul %1,%0\n .endr\n" : "+r"(product) : "r"(factor) : "cc");
    }
    const std::chrono::duration<double> took = Clock::now() - begin;
    best = std::max(best, 3.0 * 64 * kLinks / took.count());
  }
  return best;
#else
  return 0;
#endif
}

}  // namespace

std::vector<Check> bar1(Lab& lab) {
  const Points points = lab.run(R"([{"kind":"peak","dtype":["fp64","fp32"]}])", kOne);
  std::vector<Check> out;
  for (const std::string dtype : {"fp64", "fp32"})
    out.push_back(check(dtype + " FMA peak / ideal at the derived clock", of_ideal(points, dtype),
                        0.97, 1.03, points, {peak(dtype)}));
  return out;
}

std::vector<Check> bar2(Lab& lab) {
  const Points points = lab.run(R"([{"kind":"peak","dtype":["bf16","int8"]}])", kOne);
  return {check("vdpbf16ps / ideal", of_ideal(points, "bf16"), 0.96, 1.03, points, {peak("bf16")}),
          check("vpdpbusd / ideal", of_ideal(points, "int8"), 0.97, 1.03, points, {peak("int8")})};
}

std::vector<Check> bar3(Lab& lab) {
  const Points one = lab.run(kPeaks, kOne);
  const Points narrow =
      lab.run(R"([{"kind":"peak","dtype":"fp32"}])", {"--threads", "1", "--isa", "avx2"});
  const Points again = lab.run(R"([{"kind":"peak","dtype":"fp32"}])", kOne);
  const Points two = lab.run(R"([{"kind":"peak","dtype":"fp32"}])", kTwo);
  const auto rate = [&](const std::string& dtype) { return one.flop_per_s(peak(dtype)); };
  const auto between = [&](const std::string& a, const std::string& b, double slack) {
    return check(a + " / " + b, ratio(rate(a), rate(b)), 2 - slack, 2 + slack, one,
                 {peak(a), peak(b)});
  };
  return {between("fp32", "fp64", 0.06), between("bf16", "fp32", 0.08),
          between("int8", "bf16", 0.08),
          check("AVX-512 / AVX2, fp32",
                ratio(again.flop_per_s(peak("fp32")), narrow.flop_per_s(peak("fp32"))), 1.94, 2.06,
                narrow, {peak("fp32")}),
          check("two threads / one, fp32",
                ratio(two.flop_per_s(peak("fp32")), again.flop_per_s(peak("fp32"))), 1.90, {}, two,
                {peak("fp32")})};
}

std::vector<Check> bar4(Lab& lab) {
  struct Pair {
    const char* dtype;
    const char* kernel;
  };
  std::vector<Check> out;
  for (const Pair& pair :
       {Pair{"fp64", "peakflops_avx512_fma"}, Pair{"fp32", "peakflops_sp_avx512_fma"}}) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
      const Points points = lab.run(
          std::string(R"([{"kind":"peak","dtype":")") + pair.dtype + "\"}]", kOne, {0.4, 9});
      const auto r = ratio(points.flop_per_s(peak(pair.dtype)), lab.likwid_flops(pair.kernel, 1));
      if (r) ratios.push_back(*r);
    }
    out.push_back(of_rounds(std::string(pair.dtype) + " FMA peak / likwid-bench " + pair.kernel,
                            ratios, 0.97, 1.03, "likwid-bench has no such kernel here"));
  }
  return out;
}

std::vector<Check> bar5(Lab& lab) {
  std::vector<double> ratios;
  std::vector<double> clocks;
  Points last{Json{{"points", Json::array()}}};
  for (int round = 0; round < 20; ++round) {
    const double by_product = multiply_chain_hz();
    last = lab.run(R"([{"kind":"peak","dtype":"fp64"}])", kOne, {0.1, 5});
    const auto clock = last.clock_hz(peak("fp64"));
    if (!clock || by_product == 0) continue;
    clocks.push_back(*clock);
    ratios.push_back(*clock / by_product);
  }
  if (clocks.size() < 10) return {check("derived clock", {}, {}, {}, last, {peak("fp64")})};
  return {of_rounds("clock by additions / by multiplications", ratios, 0.98, 1.02, ""),
          Check{"variation of the clock over 20 runs", variation(clocks), {}, 0.02, "", false}};
}

}  // namespace bars
