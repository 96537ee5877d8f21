#include "lab.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bars {
namespace {

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What a shell command prints; nothing when it fails.
std::optional<std::string> output_of(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string out;
  char block[65536];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;)
    out.append(block, got);
  const int status = pclose(pipe);
  // 5: measured, but disturbed; the report says so.
  const bool usable = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 5);
  if (!usable) return std::nullopt;
  return out;
}

std::optional<double> number_after(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(label)) continue;
    const char* begin = line.data() + label.size();
    const char* const end = line.data() + line.size();
    while (begin != end && (*begin < '0' || *begin > '9')) ++begin;
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc{}) return value;
  }
  return std::nullopt;
}

/// What a reader needs to judge a figure: the figure, its end, and every sample as duration in s,
/// iterations, clock in Hz, least share of a CPU, and what disturbed it.
Json raw_point(const Json& point) {
  Json samples = Json::array();
  for (const Json& sample : point.at("samples")) {
    samples.push_back({sample.at("duration_s"), sample.at("iterations"), sample.at("clock_hz"),
                       sample.at("cpu_share"), sample.at("disturbance")});
  }
  Json out;
  for (const char* key : {"id", "outcome", "end", "time_median_s", "achieved_flop_per_s",
                          "achieved_byte_per_s", "clock_hz", "thread_placement", "noise"})
    out[key] = point.at(key);
  out["samples"] = std::move(samples);
  return out;
}

Json raw_points(const Json& report) {
  Json out = Json::array();
  for (const Json& point : report.at("points")) out.push_back(raw_point(point));
  return out;
}

}  // namespace

const char* name(State state) {
  constexpr const char* names[] = {"holds", "MISSES", "contended", "not here"};
  return names[static_cast<std::size_t>(state)];
}

State state_of(const Check& check) {
  if (check.contended) return State::contended;
  if (!check.value) return State::absent;
  const bool low = check.at_least && *check.value < *check.at_least;
  const bool high = check.at_most && *check.value > *check.at_most;
  return low || high ? State::misses : State::holds;
}

const Json* Points::any(const std::string& id) const {
  for (const Json& point : report_.at("points")) {
    if (point.at("id") == id) return &point;
  }
  return nullptr;
}

bool Points::disturbed(const std::string& id) const {
  const Json* const point = any(id);
  if (point == nullptr || point->at("outcome") != "measured") return false;
  const std::string end = point->at("end");
  return end != "converged" && end != "budget_spent";
}

const Json* Points::find(const std::string& id) const {
  const Json* const point = any(id);
  if (point == nullptr || point->at("outcome") != "measured" || disturbed(id)) return nullptr;
  return point->at("verification").at("state") == "verified" ? point : nullptr;
}

std::string Points::why_not(const std::string& id) const {
  const Json* const point = any(id);
  if (point == nullptr) return "was not run";
  if (!point->at("reason").is_null()) return point->at("reason").get<std::string>();
  if (disturbed(id)) return point->at("end").get<std::string>();
  return find(id) == nullptr ? "not verified" : "";
}

std::optional<double> Points::number(const std::string& id, const std::string& key) const {
  const Json* const point = find(id);
  if (point == nullptr || !point->at(key).is_number()) return std::nullopt;
  return point->at(key).get<double>();
}

std::optional<double> Points::flop_per_s(const std::string& id) const {
  return number(id, "achieved_flop_per_s");
}
std::optional<double> Points::byte_per_s(const std::string& id) const {
  return number(id, "achieved_byte_per_s");
}
std::optional<double> Points::clock_hz(const std::string& id) const {
  return number(id, "clock_hz");
}

std::optional<double> Points::implementation(const std::string& id, const std::string& key) const {
  const Json* const point = find(id);
  if (point == nullptr) return std::nullopt;
  const Json& facts = point->at("implementation");
  if (!facts.contains(key) || !facts.at(key).is_number()) return std::nullopt;
  return facts.at(key).get<double>();
}

std::string Points::placement(const std::string& id) const {
  const Json* const point = find(id);
  if (point == nullptr || point->at("thread_placement").is_null()) return {};
  return point->at("thread_placement").get<std::string>();
}

Lab::Lab(std::string roofline) : roofline_(std::move(roofline)) {}

Points Lab::run(const std::string& points, const std::vector<std::string>& options,
                const Sampling& sampling, const std::vector<std::string>& environment) {
  const std::string suite = "/tmp/roofline-bars-" + std::to_string(getpid()) + ".json";
  const Json plan = {{"warm_up_s", 0.1},
                     {"sample_s", 0.02},
                     {"budget_s", sampling.budget_s},
                     {"min_samples", sampling.min_samples},
                     {"target", 0.004}};
  std::ofstream(suite)
      << Json{{"name", "bars"}, {"sampling", plan}, {"points", Json::parse(points)}}.dump();
  std::string command = "env";
  for (const std::string& entry : environment) {
    command += entry.find('=') == std::string::npos ? " -u " : " ";
    command += shell_word(entry);
  }
  command += " " + shell_word(roofline_) + " run --suite " + shell_word(suite) + " -o -";
  for (const std::string& option : options) command += " " + shell_word(option);
  constexpr int kAttempts = 3;
  Points best{Json{{"points", Json::array()}}};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto text = output_of(command);
    if (!text) throw std::runtime_error("could not run: " + command);
    best = Points(Json::parse(*text));
    raw_.push_back({{"suite", Json::parse(points)},
                    {"options", options},
                    {"environment", environment},
                    {"points", raw_points(best.report())}});
    bool quiet = true;
    for (const Json& point : best.report().at("points"))
      quiet = quiet && !best.disturbed(point.at("id"));
    if (quiet) break;
  }
  std::remove(suite.c_str());
  return best;
}

void Lab::note_peer(const std::string& what, std::optional<double> value) {
  raw_.push_back({{"peer", what}, {"value", value ? Json(*value) : Json(nullptr)}});
}

std::optional<double> Lab::likwid(const std::string& kernel, const std::string& set,
                                  unsigned threads, const std::string& line, double unit) {
  const std::string command =
      "likwid-bench -t " + kernel + " -w S0:" + set + ":" + std::to_string(threads) + " -s 1";
  const auto text = output_of(command);
  std::optional<double> out;
  if (text) out = number_after(*text, line);
  if (out) *out *= unit;
  note_peer(command, out);
  return out;
}

std::optional<double> Lab::likwid_flops(const std::string& kernel, unsigned threads) {
  return likwid(kernel, std::to_string(24 * threads) + "kB", threads, "MFlops/s:", 1e6);
}

std::optional<double> Lab::likwid_bytes(const std::string& kernel, unsigned threads) {
  return likwid(kernel, "1536MB", threads, "MByte/s:", 1e6);
}

std::optional<double> Lab::stream_triad(const char* variable, unsigned threads) {
  const char* const binary = std::getenv(variable);
  if (binary == nullptr) return std::nullopt;
  const std::string command =
      "env OMP_PROC_BIND=close OMP_PLACES=cores OMP_NUM_THREADS=" + std::to_string(threads) + " " +
      shell_word(binary);
  const auto text = output_of(command);
  std::optional<double> out;
  if (text) out = number_after(*text, "Triad");
  if (out) *out *= 1e6;
  note_peer(variable, out);
  return out;
}

Json Lab::take_raw() {
  Json out = std::move(raw_);
  raw_ = Json::array();
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double variation(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

}  // namespace bars
