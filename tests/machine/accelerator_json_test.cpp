// A malformed file of the catalogue gets one sentence that names the file, the key and what is
// expected.
#include "machine/accelerator_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <roofline/error.hpp>

namespace roofline::machine {
namespace {

constexpr std::string_view kFile = "accelerators/demo.json";

constexpr std::string_view kDemo = R"({
  "id": "demo", "date": "2026-11-29", "confidence": "low", "vendor": "Nobody", "model": "Demo",
  "names": ["Nobody Demo"],
  "sm_count": {"value": 10, "source": "ds"},
  "clock_mhz": {"boost": {"value": 1000, "source": "ds"}},
  "memory": {
    "bandwidth_gb_per_s": {"value": 100, "source": "ds"},
    "bus_bits": {"value": 256, "source": ["ds", "dump"]}
  },
  "flop_per_clock_per_sm": {"fp32": 256, "source": "ds"},
  "peaks_dense_tflop_per_s": {
    "fp64": {"unsupported": "no unit"}, "fp64_tensor": {"unsupported": "no unit"},
    "fp32": {"value": 2.56, "provenance": "printed_dense", "source": "ds", "confidence": "high"},
    "tf32": {"unknown": "not printed"}, "fp16": {"unknown": "not printed"},
    "fp16_acc16": {"unknown": "not printed"}, "bf16": {"unknown": "not printed"},
    "fp8": {"unknown": "not printed"}, "fp8_acc16": {"unknown": "not printed"},
    "fp6": {"unknown": "not printed"}, "fp4": {"unknown": "not printed"},
    "int8": {"unknown": "not printed"}, "int4": {"unknown": "not printed"},
    "fp16_vector": {"unknown": "not printed"}, "bf16_vector": {"unknown": "not printed"}
  },
  "peaks_sparse_tflop_per_s": {"unsupported": "no 2:4 sparsity"},
  "notes": ["one"],
  "sources": {"ds": "the data sheet", "dump": "a device dump"}
})";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kDemo);
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in the demo: " + std::string(from));
  return text.replace(at, from.size(), to);
}

std::string message_of(std::string_view text, std::string_view file = kFile) {
  try {
    static_cast<void>(parse_accelerator(text, file));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AcceleratorJson, ReadsWhatIsThere) {
  const Accelerator demo = parse_accelerator(kDemo, kFile);
  EXPECT_EQ(demo.id, "demo");
  EXPECT_EQ(demo.sm_count->value, 10U);
  EXPECT_EQ(demo.memory.bus_bits->sources, (SourceKeys{"ds", "dump"}));
  EXPECT_DOUBLE_EQ(in_hertz(demo.clocks.boost->value), 1e9);
  EXPECT_DOUBLE_EQ(in_gb_per_s(std::get<Sourced<Bandwidth>>(demo.memory.bandwidth).value), 100);
  const DensePeak* fp32 = dense_peak(demo, PeakKey::fp32);
  ASSERT_NE(fp32, nullptr);
  EXPECT_DOUBLE_EQ(in_tflop_per_s(fp32->value), 2.56);
  EXPECT_EQ(fp32->provenance, Provenance::printed_dense);
  EXPECT_EQ(fp32->confidence, Confidence::high);
  EXPECT_TRUE(std::get<Missing>(demo.dense.at(PeakKey::fp64)).unsupported);
  EXPECT_FALSE(std::get<Missing>(demo.dense.at(PeakKey::tf32)).unsupported);
  EXPECT_TRUE(demo.sparse.peaks.empty());
  EXPECT_FALSE(demo.l2);
}

struct Bad {
  std::string from;
  std::string to;
  std::vector<std::string> message;  ///< parts that the sentence must hold
};

TEST(AcceleratorJson, MalformedFilesNameFileKeyAndExpectation) {
  const std::vector<Bad> cases = {
      {R"("sm_count": {"value": 10,)",
       R"("sm_count": {"value": -10,)",
       {"'sm_count.value'", "whole number above 0", "-10"}},
      {R"("value": 10,)", R"("value": 10.5,)", {"'sm_count.value'", "whole number"}},
      {R"("value": 10,)", R"("value": "ten",)", {"'sm_count.value'", "whole number", R"("ten")"}},
      {R"("value": 10,)", R"("value": 99999999999,)", {"'sm_count.value'", "whole number"}},
      {R"("value": 1000,)", R"("value": 0,)", {"'clock_mhz.boost.value'", "above 0"}},
      {R"("value": 100,)",
       R"("value": null,)",
       {"'memory.bandwidth_gb_per_s.value'", "above 0", "null"}},
      {R"("value": 2.56,)",
       R"("value": -2.56,)",
       {"'peaks_dense_tflop_per_s.fp32.value'", "above 0"}},
      {R"("value": 2.56,)",
       R"("value": 1e300,)",
       {"'peaks_dense_tflop_per_s.fp32.value'", "to 1e12", "1e+300"}},
      {R"({"unknown": "not printed"})",
       std::string(200000, '[') + std::string(200000, ']'),
       {"'peaks_dense_tflop_per_s.tf32'", "an object", "a list"}},
      {R"("fp32": 256,)", R"("fp33": 256,)", {"'flop_per_clock_per_sm'", "fp33", "fp16_acc16"}},
      {R"("tf32": {"unknown")", R"("tf33": {"unknown")", {"'peaks_dense_tflop_per_s'", "tf33"}},
      {R"("tf32": {"unknown": "not printed"},)", "", {"'peaks_dense_tflop_per_s.tf32'", "missing"}},
      {R"({"unknown": "not printed"})", R"({"unknown": ""})", {"tf32.unknown'", "not empty"}},
      {R"({"unknown": "not printed"})", "{}", {"'peaks_dense_tflop_per_s.tf32.value'", "missing"}},
      {R"({"unknown": "not printed"})", "7", {"'peaks_dense_tflop_per_s.tf32'", "an object"}},
      {"printed_dense",
       "rumoured",
       {"fp32.provenance'", "one of printed_dense, sparse_halved", "rumoured"}},
      {R"("source": "ds", "confidence")",
       R"("source": "dz", "confidence")",
       {"fp32.source'", "'sources'"}},
      {R"(["ds", "dump"])", R"(["ds", 3])", {"'memory.bus_bits.source[1]'", "text"}},
      {R"("confidence": "low")",
       R"("confidence": "certain")",
       {"'confidence'", "high, medium, low"}},
      {R"("id": "demo")", R"("id": "other")", {"'id'", "name of the file", "other"}},
      {R"("id": "demo",)", "", {"'id'", "missing"}},
      {R"("sources": {)", R"("sauces": {)", {"unknown key 'sauces'", "sources"}},
      {R"("boost": {)", R"("bost": {)", {"unknown key 'clock_mhz.bost'", "tensor_boost"}},
      {R"("notes": ["one"])", R"("notes": "one")", {"'notes'", "a list"}},
      {R"("notes": ["one"])", R"("notes": ["one"], "notes": [])", {"'notes'", "twice"}},
      {R"("bf16": {)", R"("fp16": {)", {"'fp16'", "twice"}},
      {R"("value": 100,)", R"("value": NaN,)", {"not valid JSON", "line 7"}},
      {R"("value": 100,)", R"("value": 1e999,)", {"number"}},
      {R"("value": 100,)", R"("value": 1,5,)", {"not valid JSON", "line 7"}},
      {"{\n", "[\n", {"not valid JSON"}},
  };
  for (const Bad& bad : cases) {
    const std::string message = message_of(with(bad.from, bad.to));
    EXPECT_NE(message.find("accelerators/demo.json"), std::string::npos)
        << bad.to << ": " << message;
    for (const std::string& part : bad.message) {
      EXPECT_NE(message.find(part), std::string::npos)
          << bad.to << ": " << message << "\nlacks " << part;
    }
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(AcceleratorJson, WhatIsNoFileAtAll) {
  for (const char* text :
       {"", " ", "null", "[]", "\"text\"", "42", "{}", "{\"id\": ", "\xff\xfe"}) {
    EXPECT_NE(message_of(text), "no error") << text;
  }
}

TEST(AcceleratorJson, EveryTruncationIsAnInputError) {
  for (std::size_t size = 0; size < kDemo.size(); ++size) {
    EXPECT_NE(message_of(kDemo.substr(0, size)), "no error") << size;
  }
}

TEST(AcceleratorJson, IdOfPath) {
  EXPECT_EQ(id_of_path("accelerators/l4.json"), "l4");
  EXPECT_EQ(id_of_path("l4.json"), "l4");
  EXPECT_EQ(id_of_path("/a.b/c/l4"), "l4");
}

}  // namespace
}  // namespace roofline::machine
