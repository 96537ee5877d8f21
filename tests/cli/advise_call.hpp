// Calls of roofline advise for tests, and the flagship of the worked examples: Llama-3.1-8B in bf16
// on an A100 80 GB, batch 24, 4096 cached tokens.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run_tool.hpp"

namespace roofline::test {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

const Arguments kA100{"--peak-flops", "bf16=312TFLOP/s", "--bandwidth", "2039GB/s"};
const Arguments kFlagship{"llama-3.1-8b", "--batch",  "24",  "--context", "4096", "--memory",
                          "80GiB",        "--usable", "0.9", "--reserve", "2GB"};

inline Arguments joined(std::initializer_list<Arguments> parts) {
  Arguments out;
  for (const Arguments& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline Json advice(const Arguments& arguments, int status = 0) {
  const auto run = roofline(joined({{"advise", "--json"}, arguments}));
  EXPECT_EQ(run.status, status) << run.err;
  return Json::parse(run.out);
}

inline Json flagship(const Arguments& more) { return advice(joined({kFlagship, kA100, more})); }

inline std::string page(const Arguments& arguments) {
  const auto run = roofline(joined({{"advise"}, arguments}));
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline Json lever(const Json& out, const std::string& name) {
  for (const Json& one : out["levers"])
    if (one["name"] == name) return one;
  ADD_FAILURE() << "no lever is called " << name;
  return {};
}

}  // namespace roofline::test
