// How tests of audit, import and merge run the program and read what it says.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/run_tool.hpp"

namespace roofline::test {

using Json = nlohmann::ordered_json;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A run of one of the scripted machines of tests/data.
inline Run run_script(const std::string& script, const std::string& output,
                      std::vector<std::string> command = {"run"}) {
  command.insert(command.end(),
                 {"--backend", "scripted:" ROOFLINE_SOURCE_DIR "/tests/data/scripts/" + script,
                  "--seed", "7", "-o", output});
  return roofline(command);
}

inline std::set<std::string> rules_of(const Run& said) {
  std::set<std::string> out;
  const Json found = Json::parse(said.out);
  for (const Json& finding : found.at("findings"))
    out.insert(finding.at("rule").get<std::string>());
  return out;
}

inline Run audit_json(const std::string& file) {
  return roofline({"audit", file, "--format", "json"});
}

}  // namespace roofline::test
