// Makes a large report of a small one: its points again and again, each with an id and figures of
// its own, so that nothing is the same text twice that would not be in a real sweep.
//
//   roofline_large_report TEMPLATE POINTS SAMPLES SEED   the report on standard output; SAMPLES at
//                                                        most of each point
//   roofline_large_report --pace FILE                    seconds that nlohmann/json takes to look
//                                                        through the first 16 MiB of a file
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/sink.hpp"

namespace {

using roofline::Measured;
using roofline::Record;
using roofline::Report;

class Jitter {
 public:
  explicit Jitter(std::uint64_t seed) : engine_(seed) {}

  template <class T>
  void operator()(T& value) {
    value = value * (1 + 0.01 * std::uniform_real_distribution<>(-1, 1)(engine_));
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    if (value) (*this)(*value);
  }

 private:
  std::mt19937_64 engine_;
};

void jitter(Record& point, std::size_t number, std::size_t samples, Jitter& by) {
  point.id += "/" + std::to_string(number);
  if (auto& found = point.assessment) {
    for (auto* value : {&found->mfu, &found->of_ceiling, &found->clock_adjusted_mfu}) by(*value);
    by(found->time);
    by(found->achieved);
    by(found->achieved_bandwidth);
  }
  by(point.rooflines.kernel_opportunity);
  by(point.rooflines.best_measured_mfu);
  for (auto& hypothesis : point.hypotheses) {
    by(hypothesis.score);
    hypothesis.evidence += " (" + std::to_string(number) + ")";
  }
  auto* const measured = std::get_if<Measured>(&point.outcome);
  if (measured == nullptr) return;
  measured->verification.detail += " (" + std::to_string(number) + ")";
  by(measured->time_median);
  by(measured->time_min);
  by(measured->noise);
  by(measured->clock);
  measured->samples.resize(std::min(samples, measured->samples.size()));
  for (auto& sample : measured->samples) {
    by(sample.duration);
    by(sample.cpu_share);
    by(sample.clock);
  }
}

Report enlarged(const Report& small, std::size_t points, std::size_t samples, std::uint64_t seed) {
  Report out = small;
  out.run.id += "/" + std::to_string(seed);
  out.points.clear();
  out.points.reserve(points);
  Jitter by(seed);
  for (std::size_t i = 0; i < points; ++i) {
    out.points.push_back(small.points[i % small.points.size()]);
    jitter(out.points.back(), i, samples, by);
  }
  return out;
}

double pace(const std::string& path) {
  constexpr std::size_t kBytes = std::size_t{16} << 20U;
  std::string text(kBytes, ' ');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(kBytes));
  const auto begin = std::chrono::steady_clock::now();
  (void)nlohmann::json::accept(text);  // which ends in the middle of something
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return spent.count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 2 && arguments[0] == "--pace") {
      std::cout << pace(arguments[1]) << '\n';
      return 0;
    }
    if (arguments.size() != 4) {
      std::cerr << "TEMPLATE POINTS SAMPLES SEED, or --pace FILE\n";
      return 2;
    }
    const Report small =
        roofline::report::read_report(roofline::report::read_file(arguments[0]), arguments[0]);
    const Report large = enlarged(small, std::stoul(arguments[1]), std::stoul(arguments[2]),
                                  std::stoul(arguments[3]));
    roofline::report::write_json(large, [](std::string_view text) { std::cout << text; });
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
