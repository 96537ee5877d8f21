// A user's program: the ridge of an A100 for bf16, through installed headers and the installed
// library alone.
#include <roofline/account.hpp>
#include <roofline/quantity_text.hpp>
#include <roofline/units.hpp>
#include <roofline/workload.hpp>

#include <cmath>
#include <cstdlib>

int main() {
  // NVIDIA's data sheet: 312 TFLOP/s dense bf16, 2039 GB/s, hence 153.02 FLOP/byte.
  const roofline::Performance peak = roofline::parse_performance("312TFLOP/s", "peak");
  const roofline::Bandwidth bandwidth = roofline::parse_bandwidth("2039GB/s", "bandwidth");
  const roofline::Intensity ridge = peak / bandwidth;
  return std::abs(roofline::in_flop_per_byte(ridge) - 153.02) < 0.01 ? EXIT_SUCCESS : EXIT_FAILURE;
}
