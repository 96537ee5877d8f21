#include "recorded_pairs.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "roofline/account.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::test {
namespace {

struct Known {
  const char* id;
  Workload workload;
  Bound bound;
};

Stream stream(StreamKind kind, std::uint64_t elements, Boundary level) {
  const bool regular = level == Boundary::l2 && kind != StreamKind::read;
  return {.kind = kind,
          .elements = elements,
          .dtype = DType::fp64,
          .write_allocate = regular,
          .level = level};
}

const std::vector<Known>& known() {
  static const std::vector<Known> out{
      {"peak/fp64/registers", PeakProbe{DType::fp64, 1920000}, Bound::compute},
      {"peak/fp32/registers", PeakProbe{DType::fp32, 3840000}, Bound::compute},
      {"peak/bf16/registers", PeakProbe{DType::bf16, 7680000}, Bound::compute},
      {"stream/fp64/read-l2", stream(StreamKind::read, 65536, Boundary::l2), Bound::memory},
      {"stream/fp64/copy-l2", stream(StreamKind::copy, 32768, Boundary::l2), Bound::memory},
      {"stream/fp64/triad-l2", stream(StreamKind::triad, 21760, Boundary::l2), Bound::memory},
      {"stream/fp64/read", stream(StreamKind::read, 33554432, Boundary::dram), Bound::memory},
      {"stream/fp64/triad", stream(StreamKind::triad, 33554432, Boundary::dram), Bound::memory},
      {"launch/kernel", Launch{}, Bound::overhead},
      {"matvec/bf16/T=1_1024x1024", Projection{.rows = 1, .d_in = 1024, .d_out = 1024},
       Bound::memory},
      {"matvec/bf16/T=8_1024x1024", Projection{.rows = 8, .d_in = 1024, .d_out = 1024},
       Bound::memory}};
  return out;
}

double number(std::string_view text) {
  double out = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || rest != text.data() + text.size())
    throw std::runtime_error("not a number: " + std::string(text));
  return out;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

Sample sample_of(const std::string& text, std::uint64_t iterations) {
  const std::size_t at = text.find('@');
  const std::size_t mark = std::min(text.find('!'), text.size());
  Sample out;
  out.duration = second(number(std::string_view(text).substr(0, at)) * 1e-8);
  out.clock = hertz(number(std::string_view(text).substr(at + 1, mark - at - 1)) * 1e6);
  out.iterations = iterations;
  if (mark == text.size()) return out;
  for (const Disturbance disturbance : {Disturbance::contended, Disturbance::throttled}) {
    if (name(disturbance) == text.substr(mark + 1)) out.disturbance = disturbance;
  }
  if (!out.disturbance) throw std::runtime_error("unknown mark: " + text);
  return out;
}

Record record_of(const std::vector<std::string>& cells) {
  for (const Known& entry : known()) {
    if (cells.at(1) != entry.id) continue;
    Record out;
    out.id = entry.id;
    out.device_id = "cpu";
    out.device_name = "AMD EPYC";
    out.workload = entry.workload;
    out.account = account(entry.workload);
    out.placement.bound = entry.bound;
    out.implementation = {{"threads", std::uint64_t{1}}, {"provider", std::string("roofline")}};
    const auto iterations = static_cast<std::uint64_t>(number(cells.at(4)));
    std::vector<Sample> samples;
    for (const std::string& text : split(cells.at(5), ' '))
      samples.push_back(sample_of(text, iterations));
    Measured measured = summarise(std::move(samples), MeasurementEnd::budget_spent, 0.95);
    if (name(measured.end) != cells.at(2) && cells.at(2) != "converged")
      throw std::runtime_error("ends otherwise: " + cells.at(0) + " " + cells.at(1));
    if (cells.at(3) == "verified") measured.verification.state = VerificationState::verified;
    out.outcome = std::move(measured);
    return out;
  }
  throw std::runtime_error("unknown point: " + cells.at(1));
}

std::vector<Report> read() {
  std::ifstream in(ROOFLINE_SOURCE_DIR "/tests/data/pairs/samples.csv");
  std::vector<Report> out(100);
  std::string line;
  std::getline(in, line);
  std::size_t lines = 0;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Report& report = out.at(static_cast<std::size_t>(number(cells.at(0))));
    report.run.id = "run " + cells.at(0);
    report.device_id = "cpu";
    report.device_name = "AMD EPYC";
    report.points.push_back(record_of(cells));
    ++lines;
  }
  if (lines != 1100) throw std::runtime_error("tests/data/pairs/samples.csv is not whole");
  return out;
}

}  // namespace

const std::vector<Report>& recorded_runs() {
  static const std::vector<Report> runs = read();
  return runs;
}

Report slowed(Report report, double slowdown) {
  report.run.id += " slowed";
  for (Record& record : report.points) {
    auto& measured = std::get<Measured>(record.outcome);
    for (Sample& sample : measured.samples) sample.duration = (1 + slowdown) * sample.duration;
    measured.time_median = (1 + slowdown) * measured.time_median;
  }
  return report;
}

}  // namespace roofline::test
