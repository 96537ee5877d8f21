// cpu_bars [--out FOLDER] [--roofline BINARY] [BAR...]: measures the bars, prints how each stands
// and writes what was read to FOLDER/bar-NN.json. Exit status 1 when a bar misses.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "bars.hpp"

namespace {

using bars::Check;
using bars::Json;
using bars::State;

std::string date() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

State worst(const std::vector<Check>& checks) {
  bool any_here = false;
  State out = State::holds;
  for (const Check& check : checks) {
    const State state = bars::state_of(check);
    any_here = any_here || state != State::absent;
    if (state == State::misses) return State::misses;
    if (state == State::contended) out = State::contended;
  }
  return any_here ? out : State::absent;
}

Json maybe(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json to_json(const Check& check) {
  return {{"what", check.what},
          {"value", maybe(check.value)},
          {"at_least", maybe(check.at_least)},
          {"at_most", maybe(check.at_most)},
          {"state", bars::name(bars::state_of(check))},
          {"reason", check.reason}};
}

void print(const Check& check) {
  std::printf("     %-10s %-62s", bars::name(bars::state_of(check)), check.what.c_str());
  if (check.value) std::printf(" %7.4g", *check.value);
  if (check.at_least) std::printf("  >= %.4g", *check.at_least);
  if (check.at_most) std::printf("  <= %.4g", *check.at_most);
  if (!check.value && !check.reason.empty()) std::printf("  %s", check.reason.c_str());
  std::printf("\n");
}

/// One line for each point that was read: figures to read, samples to compute with.
void write(const Json& summary, const Json& raw, const std::string& folder, unsigned number) {
  char name[32];
  std::snprintf(name, sizeof name, "/bar-%02u.json", number);
  std::ofstream file(folder + name);
  std::string head = summary.dump(1);
  head.resize(head.rfind('\n'));
  file << head << ",\n \"read\": [";
  for (std::size_t i = 0; i < raw.size(); ++i) file << (i == 0 ? "\n  " : ",\n  ") << raw[i].dump();
  file << "\n ]\n}\n";
}

State run(const bars::Bar& bar, bars::Lab& lab, const std::string& folder,
          const std::string& command) {
  std::printf("%3u  %s\n", bar.number, bar.text);
  std::fflush(stdout);
  const std::vector<Check> checks = bar.measure(lab);
  for (const Check& check : checks) print(check);
  const State state = worst(checks);
  Json out = {{"bar", bar.number},      {"text", bar.text},   {"state", bars::name(state)},
              {"date", date()},         {"cpu", cpu_model()}, {"command", command},
              {"checks", Json::array()}};
  for (const Check& check : checks) out["checks"].push_back(to_json(check));
  if (!folder.empty()) write(out, lab.take_raw(), folder, bar.number);
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  std::string roofline = "build/bin/roofline";
  std::string command = "bench/cpu-bars";
  std::set<unsigned> wanted;
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      const bool has_value = i + 1 < argc;
      if (word == "--out" && has_value) {
        folder = argv[++i];
      } else if (word == "--roofline" && has_value) {
        roofline = argv[++i];
      } else {
        wanted.insert(static_cast<unsigned>(std::stoul(word)));
        command += " " + word;
      }
    }
    if (!folder.empty()) std::filesystem::create_directories(folder);
    bars::Lab lab(roofline);
    unsigned counts[4] = {};
    for (const bars::Bar& bar : bars::all_bars()) {
      if (!wanted.empty() && !wanted.contains(bar.number)) continue;
      ++counts[static_cast<std::size_t>(run(bar, lab, folder, command))];
    }
    std::printf("%u hold, %u miss, %u contended, %u not here\n", counts[0], counts[1], counts[2],
                counts[3]);
    return counts[1] == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_bars: %s\n", error.what());
    return 2;
  }
}
