#include "scenario_faults.hpp"

#include <array>
#include <utility>

#include "codes.hpp"

namespace fakegpu {
namespace {

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

/// A cublasStatus_t, by its word or number.
int status_of(const Line& line, const std::string& word) {
  constexpr std::array<std::pair<std::string_view, int>, 9> table{{{"not_initialized", 1},
                                                                   {"alloc_failed", 3},
                                                                   {"invalid_value", 7},
                                                                   {"arch_mismatch", 8},
                                                                   {"mapping_error", 11},
                                                                   {"execution_failed", 13},
                                                                   {"internal_error", 14},
                                                                   {"not_supported", 15},
                                                                   {"license_error", 16}}};
  std::string names;
  for (const auto& [name, status] : table) {
    if (name == word) return status;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (word.find_first_not_of("0123456789") != word.npos) {
    line.fail("`" + word + "` is no status of cuBLASLt; there are " + names + ", and numbers");
  }
  return static_cast<int>(line.whole(word));
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

}  // namespace

int result_of(const Line& line, const std::string& word) {
  if (const auto code = result_of_word(word)) return *code;
  if (word.find_first_not_of("0123456789") != word.npos) {
    line.fail("`" + word + "` is no result; write out_of_memory, illegal_address, ... or a number");
  }
  return static_cast<int>(line.whole(word));
}

int device_option(const Line& line, int otherwise) {
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

void throttle_statement(Line& line, Scenario& scenario) {
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

void fault_statement(Line& line, Scenario& scenario) {
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
    const bool of_cublaslt = out.site.rfind("cublasLt", 0) == 0;
    out.code = of_cublaslt ? status_of(line, kind) : result_of(line, kind);
  }
  for (const auto& [name, value] : line.options()) {
    if (name == "code") out.code = static_cast<int>(line.whole(value));
  }
  scenario.faults.push_back(out);
}

void cublaslt_statement(Line& line, Scenario& scenario) {
  const std::string what = line.next("`no_algorithm`, `candidates` or `withhold`");
  CublasLtRules& rules = scenario.cublaslt;
  if (what == "no_algorithm") {
    rules.without_algorithm.push_back(line.has_next() ? line.next("a type") : "*");
  } else if (what == "candidates") {
    rules.most_candidates = static_cast<int>(line.whole(line.next("their number")));
  } else if (what == "withhold") {
    rules.withheld.push_back(line.next("the function, or *"));
  } else {
    line.fail("`" + what +
              "` is nothing that cuBLASLt does: no_algorithm [TYPE], candidates NUMBER, "
              "withhold FUNCTION");
  }
  line.done();
}

void power_statement(Line& line, Scenario& scenario) {
  PowerDraw out;
  out.random_w = static_cast<double>(line.whole(line.next("the watts of random operands")));
  line.done(true);
  refuse_options_but(line, {"zeros", "after", "device"});
  out.zeros_w = out.random_w;
  out.device = device_option(line);
  for (const auto& [name, value] : line.options()) {
    if (name == "zeros") out.zeros_w = static_cast<double>(line.whole(value));
    if (name == "after") out.after = line.seconds(value);
  }
  scenario.power.push_back(out);
}

void nvml_statement(Line& line, Scenario& scenario) {
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

}  // namespace fakegpu
