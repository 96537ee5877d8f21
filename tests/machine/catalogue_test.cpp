// The catalogue as a collection, and the figures of the shipped one recomputed from each other.
#include "machine/catalogue.hpp"

#include <cmath>
#include <functional>
#include <iostream>
#include <set>
#include <string>

#include <roofline/error.hpp>

#include "machine/cross_check.hpp"
#include "shipped.hpp"

namespace roofline::machine {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string text_of(std::string_view id) {
  return std::string(embedded::find("accelerators/" + std::string(id) + ".json").value());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("not in text: " + std::string(from));
  return text.replace(at, from.size(), to);
}

TEST(Catalogue, FindingAnIdParsesThatFileOnly) {
  const Catalogue catalogue({{"accelerators/l4.json", text_of("l4")},
                             {"accelerators/broken.json", "{ this is not JSON"}});
  ASSERT_NE(catalogue.find("l4"), nullptr);
  EXPECT_EQ(catalogue.find("l4")->id, "l4");
  EXPECT_EQ(catalogue.with_exact_name("NVIDIA L4").size(), 1U);
  EXPECT_EQ(catalogue.find("nothing"), nullptr);
  EXPECT_NE(message_of([&] { static_cast<void>(catalogue.all()); }).find("broken.json"),
            std::string::npos);
}

TEST(Catalogue, OverridesReplaceById) {
  const std::string faster = replaced(text_of("l4"), "\"value\": 300,", "\"value\": 333,");
  const Catalogue catalogue(
      {{"accelerators/l4.json", text_of("l4")}, {"accelerators/t4.json", text_of("t4")}},
      {{"mine/l4.json", faster}});
  EXPECT_EQ(catalogue.ids(), (std::vector<std::string>{"l4", "t4"}));
  const MemoryAnswer answer = memory_roof(*catalogue.find("l4"));
  EXPECT_DOUBLE_EQ(in_gb_per_s(answer.roof->bandwidth), 333);
}

TEST(Catalogue, AnIdTwiceInOneListIsRefused) {
  const std::string message = message_of([] {
    const Catalogue catalogue({{"one/l4.json", text_of("l4")}, {"two/l4.json", text_of("l4")}});
  });
  for (const char* part : {"'l4'", "one/l4.json", "two/l4.json"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(Catalogue, EveryShippedFileParses) {
  const auto all = shipped().all();
  EXPECT_EQ(all.size(), shipped_texts().size());
  EXPECT_GE(all.size(), 45U);
  for (const Accelerator* accelerator : all) {
    EXPECT_EQ(accelerator->dense.size(), peak_keys().size()) << accelerator->id;
    EXPECT_EQ(accelerator->date.size(), 10U) << accelerator->id;
    EXPECT_FALSE(accelerator->sources.empty()) << accelerator->id;
  }
}

TEST(Catalogue, EveryDriverNameFindsItsOwnEntry) {
  std::set<std::string> seen;
  for (const Accelerator* accelerator : shipped().all()) {
    for (const std::string& driver_name : accelerator->names) {
      EXPECT_TRUE(seen.insert(driver_name).second) << driver_name << " names two devices";
      EXPECT_EQ(found_as(driver_name), accelerator->id);
    }
    EXPECT_EQ(found_as(accelerator->id), accelerator->id);
    for (const std::string& alias : accelerator->aliases)
      EXPECT_EQ(found_as(alias), accelerator->id) << alias;
    for (const std::string& other : accelerator->not_to_confuse) {
      EXPECT_NE(found_as(other), accelerator->id) << other;
    }
  }
}

TEST(Catalogue, EverySourceIsUsedAndKnown) {
  for (const CatalogueText& file : shipped_texts()) {
    const Accelerator& accelerator = *shipped().find(
        file.path.substr(file.path.find('/') + 1)
            .erase(file.path.size() - file.path.find('/') - 1 - std::string(".json").size()));
    for (const auto& [key, reference] : accelerator.sources) {
      std::size_t mentions = 0;
      const std::string quoted = '"' + key + '"';
      for (std::size_t at = file.text.find(quoted); at != std::string::npos;
           at = file.text.find(quoted, at + 1)) {
        ++mentions;
      }
      EXPECT_GE(mentions, 2U) << accelerator.id << ": source '" << key << "' stands for nothing";
      EXPECT_GT(reference.size(), 10U) << accelerator.id << ' ' << key;
    }
  }
}

TEST(Catalogue, RecomputedFiguresAgreeOrSayWhyNot) {
  constexpr double tolerance = 0.02;
  int recomputed = 0;
  int listed = 0;
  for (const Accelerator* accelerator : shipped().all()) {
    for (const CrossCheck& row : cross_check(*accelerator)) {
      if (!row.computed) {
        EXPECT_FALSE(row.not_computed.empty()) << accelerator->id << ' ' << row.field;
        continue;
      }
      ++recomputed;
      const double difference = row.difference().value();
      if (std::abs(difference) <= tolerance) {
        EXPECT_TRUE(row.stated_reason.empty())
            << accelerator->id << ' ' << row.field << " needs no exception: it is off by "
            << difference;
        continue;
      }
      ++listed;
      const double scale =
          row.field.starts_with("dense.") ? 1e12 : 1;  // TFLOP/s; the rest are ratios
      std::cout << accelerator->id << ' ' << row.field << ": " << row.catalogue / scale
                << " against " << *row.computed / scale << " computed ("
                << std::round(difference * 1000) / 10 << " %): " << row.stated_reason << '\n';
      EXPECT_FALSE(row.stated_reason.empty())
          << accelerator->id << ' ' << row.field << " is off by " << difference * 100
          << " % without a reason in cross_check_exceptions";
    }
  }
  std::cout << recomputed << " figures recomputed, " << listed << " off by more than 2 %\n";
  EXPECT_GT(recomputed, 500);
  EXPECT_GT(listed, 20);
}

TEST(Catalogue, ADifferenceWithoutReasonWouldBeSeen) {
  const std::string wrong =
      replaced(text_of("a100-80gb-sxm"), "{\"value\": 624,", "{\"value\": 600,");
  const Catalogue catalogue({{"a100-80gb-sxm.json", wrong}});
  bool seen = false;
  for (const CrossCheck& row : cross_check(*catalogue.find("a100-80gb-sxm"))) {
    if (row.field != "dense.int8") continue;
    seen = std::abs(row.difference().value()) > 0.02 && row.stated_reason.empty();
  }
  EXPECT_TRUE(seen);
}

TEST(Catalogue, NameplatesOfMemoryAreInGibibytes) {
  int both = 0;
  for (const Accelerator* accelerator : shipped().all()) {
    const Memory& memory = accelerator->memory;
    if (!memory.reported || !memory.nameplate_gb) continue;
    ++both;
    const double of_nameplate =
        in_byte(memory.reported->value) / (memory.nameplate_gb->value * kGibi);
    // ECC takes a sixteenth of GDDR6, and nothing but it and firmware takes any.
    const bool nearly_all = of_nameplate > 0.97;
    const bool ecc = has_inline_ecc(memory) && std::abs(of_nameplate - 15.0 / 16) < 0.002;
    EXPECT_TRUE(nearly_all || ecc) << accelerator->id << " " << of_nameplate;
    EXPECT_LE(of_nameplate, 1) << accelerator->id;
  }
  EXPECT_GE(both, 10);
}

TEST(Catalogue, MemoryIsWhatADriverReportedOrTheNameplate) {
  // nvidia-smi of an H200: 143771 MiB.
  const auto h200 = memory_size(device("NVIDIA H200"));
  ASSERT_TRUE(h200);
  EXPECT_TRUE(h200->reported);
  EXPECT_DOUBLE_EQ(in_byte(h200->size), 143'771 * 1024.0 * 1024);
  const auto l40 = memory_size(device("NVIDIA L40"));
  ASSERT_TRUE(l40);
  EXPECT_FALSE(l40->reported);
  EXPECT_DOUBLE_EQ(in_byte(l40->size), 48 * 1024.0 * 1024 * 1024);
  EXPECT_FALSE(memory_size(device("NVIDIA GeForce GTX 1080")));
}

TEST(Catalogue, ExceptionsNameFieldsThatExist) {
  for (const Accelerator* accelerator : shipped().all()) {
    std::set<std::string> fields;
    for (const CrossCheck& row : cross_check(*accelerator)) fields.insert(row.field);
    for (const CrossCheckException& exception : accelerator->exceptions) {
      for (const std::string& field : exception.fields) {
        EXPECT_TRUE(fields.contains(field)) << accelerator->id << ' ' << field;
      }
    }
  }
}

}  // namespace
}  // namespace roofline::machine
