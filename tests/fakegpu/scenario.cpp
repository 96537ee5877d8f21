#include "scenario.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codes.hpp"
#include "presets.hpp"
#include "scenario_devices.hpp"
#include "scenario_text.hpp"

namespace fakegpu {
namespace {

int result_of(const Line& line, const std::string& word) {
  if (const auto code = result_of_word(word)) return *code;
  if (word.find_first_not_of("0123456789") != word.npos) {
    line.fail("`" + word + "` is no result; write out_of_memory, illegal_address, ... or a number");
  }
  return static_cast<int>(line.whole(word));
}

int device_option(const Line& line, int otherwise = kEveryDevice) {
  int device = otherwise;
  for (const auto& [name, value] : line.options()) {
    if (name == "device") device = static_cast<int>(line.whole(value));
  }
  return device;
}

void refuse_options_but(const Line& line, std::initializer_list<std::string_view> allowed) {
  for (const auto& [name, value] : line.options()) {
    bool known = false;
    for (const std::string_view option : allowed) known = known || option == name;
    if (!known) line.fail("`" + name + "=` means nothing here");
  }
}

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

std::uint64_t reasons_of(const Line& line, std::string_view word) {
  // nvmlClocksEventReasons bits.
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 7> table{
      {{"sw_power_cap", 0x4},
       {"hw_slowdown", 0x8},
       {"sync_boost", 0x10},
       {"sw_thermal", 0x20},
       {"hw_thermal", 0x40},
       {"hw_power_brake", 0x80},
       {"none", 0}}};
  for (const auto& [name, bits] : table) {
    if (name == word) return bits;
  }
  line.fail("`" + std::string(word) +
            "` is no reason; there are sw_power_cap, hw_slowdown, sync_boost, sw_thermal, "
            "hw_thermal, hw_power_brake, none");
}

void throttle(Line& line, Scenario& scenario) {
  Throttle out;
  out.after = line.seconds(line.next("the time of load"));
  out.fraction = line.ratio(line.next("the fraction of the clock"));
  line.done(true);
  refuse_options_but(line, {"device", "reason", "bandwidth"});
  out.reasons = 0x20;
  out.device = device_option(line);
  for (const auto& [name, value] : line.options()) {
    if (name == "reason") out.reasons = reasons_of(line, value);
    if (name == "bandwidth") out.bandwidth = line.ratio(value);
  }
  if (out.fraction <= 0 || out.bandwidth <= 0) line.fail("nothing would ever end at a rate of 0");
  scenario.throttles.push_back(out);
}

void count_of(const Line& line, const std::string& word, Fault& fault) {
  const std::string_view text = word;
  const std::size_t dash = text.find('-');
  if (text == "every") {
    fault.last = kForEver;
  } else if (text.back() == '+') {
    fault.first = line.whole(text.substr(0, text.size() - 1));
    fault.last = kForEver;
  } else if (dash != text.npos) {
    fault.first = line.whole(text.substr(0, dash));
    fault.last = line.whole(text.substr(dash + 1));
  } else {
    fault.first = fault.last = line.whole(text);
  }
  if (fault.first == 0) line.fail("calls are counted from 1");
}

void fault(Line& line, Scenario& scenario) {
  Fault out;
  out.site = line.next("the call");
  count_of(line, line.next("which of the calls"), out);
  const std::string kind = line.next("what happens");
  line.done(true);
  refuse_options_but(line, {"device", "code"});
  out.device = device_option(line);
  if (kind == "hang" || kind.rfind("hang:", 0) == 0) {
    out.kind = FaultKind::hang;
    if (kind != "hang") out.seconds = line.seconds(std::string_view(kind).substr(5));
  } else if (kind == "corrupt") {
    out.kind = FaultKind::corrupt;
  } else if (kind == "device_lost") {
    out.lost = true;
    out.code = 46;
  } else {
    out.code = result_of(line, kind);
  }
  for (const auto& [name, value] : line.options()) {
    if (name == "code") out.code = static_cast<int>(line.whole(value));
  }
  scenario.faults.push_back(out);
}

void nvml(Line& line, Scenario& scenario) {
  const std::string what = line.next("`missing`, `deny`, `unsupported` or `withhold`");
  // nvmlReturn_t: 3 not supported, 4 no permission, 12 library not found, 13 function not found.
  if (what == "missing") {
    scenario.nvml_init_code = 12;
  } else if (what == "no_permission") {
    scenario.nvml_init_code = 4;
  } else if (what == "deny" || what == "unsupported" || what == "withhold") {
    const int code = what == "deny" ? 4 : what == "unsupported" ? 3 : 13;
    scenario.nvml_answers.push_back({line.next("the function, or *"), code});
  } else {
    line.fail("`" + what +
              "` is nothing that NVML does: missing, no_permission, deny FUNCTION, "
              "unsupported FUNCTION, withhold FUNCTION");
  }
  line.done();
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
    Statement{"throttle", throttle},
    Statement{"fault", fault},
    Statement{"nvml", nvml},
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
