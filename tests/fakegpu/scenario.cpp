#include "scenario.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "presets.hpp"
#include "scenario_devices.hpp"
#include "scenario_faults.hpp"
#include "scenario_text.hpp"

namespace fakegpu {
namespace {

void driver(Line& line, Scenario& scenario) {
  const std::string version = line.next("the version");
  const std::size_t dot = version.find('.');
  if (dot == version.npos) line.fail("`driver` wants MAJOR.MINOR of CUDA, like 13.0");
  const auto major = line.whole(std::string_view(version).substr(0, dot));
  const auto minor = line.whole(std::string_view(version).substr(dot + 1));
  scenario.driver = static_cast<int>(major * 1000 + minor * 10);
  if (line.has_next()) scenario.driver_text = line.next("the text");
  line.done();
}

void device(Line& line, Scenario& scenario) {
  const std::string name = line.next("the preset");
  const auto preset = find_preset(name);
  if (!preset) line.fail("`" + name + "` is no preset; there are " + preset_names());
  std::uint64_t count = 1;
  if (line.has_next()) {
    const std::string times = line.next("the count");
    if (times.size() < 2 || times[0] != 'x') line.fail("a count of devices is written x8");
    count = line.whole(std::string_view(times).substr(1));
  }
  line.done(true);
  DeviceModel model = *preset;
  apply_device_options(line, model);
  for (; count > 0; --count) scenario.devices.push_back(model);
}

void set(Line& line, Scenario& scenario) {
  const auto index = line.whole(line.next("the device's number"));
  line.done(true);
  if (index >= scenario.devices.size()) line.fail("there is no such device above this line");
  apply_device_options(line, scenario.devices[index]);
}

void cost(Line& line, Scenario& scenario) {
  const std::string what = line.next("what costs it");
  const double time = line.seconds(line.next("the time"));
  line.done();
  Costs& costs = scenario.costs;
  const std::array<std::pair<std::string_view, double*>, 9> table{
      {{"call", &costs.call},
       {"launch", &costs.launch},
       {"graph_launch", &costs.graph_launch},
       {"submit", &costs.submit},
       {"kernel", &costs.kernel},
       {"node", &costs.node},
       {"event", &costs.event},
       {"copy", &costs.copy},
       {"first_launch", &costs.first_launch}}};
  std::string names;
  for (const auto& [name, slot] : table) {
    if (name == what) {
      *slot = time;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  line.fail("`" + what + "` is no cost; there are " + names);
}

void process(Line& line, Scenario& scenario) {
  Process out;
  out.pid = static_cast<unsigned>(line.whole(line.next("the process number")));
  out.memory_bytes = line.bytes(line.next("its memory"));
  line.done(true);
  refuse_options_but(line, {"device"});
  const auto index = static_cast<std::size_t>(device_option(line, 0));
  if (index >= scenario.devices.size()) line.fail("there is no such device above this line");
  scenario.devices[index].processes.push_back(out);
}

struct Statement {
  std::string_view name;
  void (*apply)(Line&, Scenario&);
};

constexpr std::array kStatements{
    Statement{"driver", driver},
    Statement{"stub", [](Line& l, Scenario& s) { s.stub = true, l.done(); }},
    Statement{"wsl", [](Line& l, Scenario& s) { s.wsl = true, l.done(); }},
    Statement{
        "init",
        [](Line& l, Scenario& s) { s.init_code = result_of(l, l.next("a result")), l.done(); }},
    Statement{"device", device},
    Statement{"set", set},
    Statement{"seed", [](Line& l, Scenario& s) { s.seed = l.whole(l.next("a number")), l.done(); }},
    Statement{"host",
              [](Line& l, Scenario& s) {
                const std::string mode = l.next("`virtual` or `real`");
                if (mode != "virtual" && mode != "real") l.fail("host is virtual or real");
                s.host_follows_clock = mode == "real";
                l.done();
              }},
    Statement{"jitter",
              [](Line& l, Scenario& s) { s.jitter = l.ratio(l.next("a ratio")), l.done(); }},
    Statement{"spikes",
              [](Line& l, Scenario& s) {
                s.spike_probability = l.ratio(l.next("a probability"));
                s.spike_factor = l.ratio(l.next("a factor"));
                l.done();
              }},
    Statement{"drift",
              [](Line& l, Scenario& s) { s.drift = l.ratio(l.next("a ratio")), l.done(); }},
    Statement{"ramp",
              [](Line& l, Scenario& s) {
                s.ramp_time = l.seconds(l.next("a time"));
                s.ramp_from = l.ratio(l.next("a fraction"));
                l.done();
              }},
    Statement{
        "event_resolution",
        [](Line& l, Scenario& s) { s.event_resolution = l.seconds(l.next("a time")), l.done(); }},
    Statement{"cost", cost},
    Statement{"throttle", throttle_statement},
    Statement{"fault", fault_statement},
    Statement{"nvml", nvml_statement},
    Statement{"cublaslt", cublaslt_statement},
    Statement{"power", power_statement},
    Statement{"process", process},
};

void apply(Line& line, Scenario& scenario) {
  std::string names;
  for (const Statement& statement : kStatements) {
    if (statement.name == line.statement()) return statement.apply(line, scenario);
    names += (names.empty() ? "" : ", ") + std::string(statement.name);
  }
  line.fail("`" + line.statement() + "` is no statement; there are " + names);
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& label) {
  Scenario scenario;
  scenario.label = label;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    Line line("scenario " + label + " line " + std::to_string(number), text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty()) apply(line, scenario);
  }
  for (std::size_t i = 0; i < scenario.devices.size(); ++i) give_identity(scenario.devices[i], i);
  return scenario;
}

Scenario scenario_of_environment() {
  const char* const variable = std::getenv("FAKEGPU");
  const std::string name = variable == nullptr ? "a100-80gb" : variable;
  if (find_preset(name)) return parse_scenario("device " + name, name);
  if (const auto box = find_box(name)) return parse_scenario(*box, name);
  const std::ifstream file(name);
  if (!file) {
    throw ScenarioError("FAKEGPU=" + name + " is neither a file that can be read nor a preset (" +
                        preset_names() + ")");
  }
  std::ostringstream text;
  text << file.rdbuf();
  return parse_scenario(text.str(), name);
}

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && pattern.front() == text.front() &&
           matches(pattern.substr(1), text.substr(1));
  }
  for (std::size_t skip = 0; skip <= text.size(); ++skip) {
    if (matches(pattern.substr(1), text.substr(skip))) return true;
  }
  return false;
}

}  // namespace fakegpu
