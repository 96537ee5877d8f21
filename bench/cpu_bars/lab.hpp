// What the bars are measured with: the roofline program as a user runs it, and the peers that a
// user would pick, each called as a program of its own. Keeps everything that was read.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bars {

using Json = nlohmann::ordered_json;

/// How one figure of a bar came out.
enum class State { holds, misses, contended, absent };
[[nodiscard]] const char* name(State state);

struct Check {
  std::string what;
  std::optional<double> value;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::string reason;  ///< why there is no value
  bool contended = false;
};
[[nodiscard]] State state_of(const Check& check);

/// A run's points by id. A point that is missing, was not measured or was disturbed has no figure.
class Points {
 public:
  explicit Points(Json report) : report_(std::move(report)) {}
  /// The point if it was measured, undisturbed and verified; else nothing, and why.
  [[nodiscard]] const Json* find(const std::string& id) const;
  [[nodiscard]] bool disturbed(const std::string& id) const;
  [[nodiscard]] std::string why_not(const std::string& id) const;
  [[nodiscard]] std::optional<double> flop_per_s(const std::string& id) const;
  [[nodiscard]] std::optional<double> byte_per_s(const std::string& id) const;
  [[nodiscard]] std::optional<double> clock_hz(const std::string& id) const;
  [[nodiscard]] std::optional<double> implementation(const std::string& id,
                                                     const std::string& key) const;
  [[nodiscard]] std::string placement(const std::string& id) const;
  [[nodiscard]] const Json& report() const { return report_; }

 private:
  [[nodiscard]] const Json* any(const std::string& id) const;
  [[nodiscard]] std::optional<double> number(const std::string& id, const std::string& key) const;
  Json report_;
};

struct Sampling {
  double budget_s = 1.0;
  std::size_t min_samples = 15;
};

class Lab {
 public:
  explicit Lab(std::string roofline);

  /// Measures the points of a suite (the text of its list); `options` go to `roofline run`,
  /// `environment` holds NAME=VALUE or NAME to unset. Once more, twice at most, where a point was
  /// disturbed.
  Points run(const std::string& points, const std::vector<std::string>& options,
             const Sampling& sampling = {}, const std::vector<std::string>& environment = {});

  /// likwid-bench's rate of a kernel, in FLOP/s or byte/s. Nothing where it is not installed or has
  /// no such kernel.
  std::optional<double> likwid_flops(const std::string& kernel, unsigned threads);
  std::optional<double> likwid_bytes(const std::string& kernel, unsigned threads);
  /// Triad of a STREAM or BabelStream binary named by $STREAM or $BABELSTREAM, byte/s.
  std::optional<double> stream_triad(const char* variable, unsigned threads);

  /// Everything read since the last call.
  [[nodiscard]] Json take_raw();

 private:
  std::optional<double> likwid(const std::string& kernel, const std::string& set, unsigned threads,
                               const std::string& line, double unit);
  void note_peer(const std::string& what, std::optional<double> value);

  std::string roofline_;
  Json raw_ = Json::array();
};

[[nodiscard]] double median(std::vector<double> values);
/// Standard deviation / mean.
[[nodiscard]] double variation(const std::vector<double>& values);

}  // namespace bars
