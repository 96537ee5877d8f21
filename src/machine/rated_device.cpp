#include "machine/rated_device.hpp"

#include <algorithm>
#include <cmath>

#include <roofline/fact_lookup.hpp>

#include "machine/match.hpp"

namespace roofline::machine {
namespace {

/// A printed peak that its rated clock explains so well can be scaled to another clock.
constexpr double kExplained = 0.03;

std::optional<unsigned> count_fact(const Facts& facts, std::string_view key) {
  const auto value = number_fact(facts, key);
  if (!value) return std::nullopt;
  return static_cast<unsigned>(std::llround(*value));
}

/// The peak at its rated clock, where that clock is what the peak is made of.
std::optional<Frequency> clock_behind(const Accelerator& a, const ComputeRoof& roof) {
  const auto derived = derived_peak(a, roof.key);
  const auto* computed = std::get_if<ComputeRoof>(&derived);
  if (computed == nullptr || std::abs(roof.peak / computed->peak - 1) > kExplained)
    return std::nullopt;
  return rated_clock(a, roof.key);
}

class Rating {
 public:
  Rating(const Catalogue& catalogue, std::string_view name, const Facts& driver)
      : driver_(driver),
        name_(name),
        memory_{count_fact(driver, "memory_bus_bits").value_or(0),
                hertz(number_fact(driver, "memory_clock_hz").value_or(0))} {
    DeviceQuery query{.name = name};
    query.sm_count = count_fact(driver, "sm_count");
    if (const auto bytes = number_fact(driver, "memory_bytes")) query.memory = byte(*bytes);
    match_ = match(catalogue, query);
    if (match_.status == MatchStatus::partial && match_.accelerator == nullptr)
      match_.accelerator = card_of(catalogue);
  }

  RatedDevice rate() {
    out_.accelerator = match_.accelerator;
    const bool slice = flag_fact(driver_, "mig");
    if (flag_fact(driver_, "virtual_gpu")) {
      withhold(std::string(name_) +
               " is a virtual GPU: it has its card for part of the time, so that no rated figure "
               "holds for it");
    } else if (match_.status == MatchStatus::found && !slice) {
      rate_card();
    } else if (slice && match_.accelerator != nullptr) {
      rate_slice();
    } else {
      rate_unknown();
    }
    rate_link();
    for (const std::string& caution : match_.cautions)
      out_.warnings.push_back({"shared_name", caution});
    describe();
    return std::move(out_);
  }

 private:
  /// The card whose name stands before `MIG`, where one product has it.
  [[nodiscard]] const Accelerator* card_of(const Catalogue& catalogue) const {
    const std::string_view card = name_.substr(0, name_.find(" MIG"));
    if (card == name_) return nullptr;
    const Match whole = match(catalogue, {.name = card});
    return whole.status == MatchStatus::found ? whole.accelerator : nullptr;
  }

  void withhold(const std::string& reason) {
    out_.no_peaks = reason;
    out_.no_bandwidth = reason;
  }

  void add_memory(const MemoryAnswer& answer) {
    if (answer.roof) {
      const bool rated = answer.roof->origin == Origin::datasheet;
      out_.roofs.push_back({rated ? "rated" : "driver", *answer.roof, {}});
    }
    out_.no_bandwidth = answer.reason;
    for (const Warning& warning : answer.warnings) out_.warnings.push_back(warning);
  }

  void rate_card() {
    const Accelerator& a = *match_.accelerator;
    for (const PeakKey key : peak_keys()) {
      if (const DensePeak* peak = dense_peak(a, key)) {
        ComputeRoof roof{peak->value, key, Sparsity::dense, Origin::datasheet, source_of(a, *peak)};
        roof.clock = clock_behind(a, roof);
        out_.roofs.push_back({std::string(name(key)), roof, {}});
        continue;
      }
      const auto derived = derived_peak(a, key);
      const auto* roof = std::get_if<ComputeRoof>(&derived);
      const auto entry = a.dense.find(key);
      const auto* missing = entry == a.dense.end() ? nullptr : std::get_if<Missing>(&entry->second);
      const bool unsupported = missing != nullptr && missing->unsupported;
      if (roof == nullptr || unsupported) continue;
      out_.roofs.push_back({std::string(name(key)), *roof, {}});
      std::get<ComputeRoof>(out_.roofs.back().roof).clock = rated_clock(a, key);
    }
    for (const auto& [key, peak] : a.sparse.peaks) {
      out_.roofs.push_back({std::string(name(key)),
                            ComputeRoof{peak, key, Sparsity::sparse_2_4, Origin::datasheet,
                                        "catalogue " + a.id + ": 2:4 sparse"},
                            {}});
    }
    add_memory(memory_roof(a, memory_));
  }

  static std::string source_of(const Accelerator& a, const DensePeak& peak) {
    std::string out = "catalogue " + a.id + ": " + std::string(name(peak.provenance));
    for (const std::string& key : peak.sources) out += ", " + key;
    return out;
  }

  /// A MIG slice has SMs and memory slices of its own; what it can is that part of its card.
  void rate_slice() {
    const Accelerator& a = *match_.accelerator;
    const auto sms = count_fact(driver_, "sm_count");
    const std::string slice = std::string(name_) + " is a MIG slice of " + a.id;
    if (!sms || !a.sm_count || *sms > a.sm_count->value) {
      out_.no_peaks = slice + ", and how many of its SMs it has is not known";
    } else {
      const double share = static_cast<double>(*sms) / a.sm_count->value;
      const std::string source = "catalogue " + a.id + ", scaled: " + std::to_string(*sms) +
                                 " of " + std::to_string(a.sm_count->value) + " SMs (MIG slice)";
      for (const PeakKey key : peak_keys()) {
        const DensePeak* peak = dense_peak(a, key);
        if (peak == nullptr) continue;
        ComputeRoof roof{peak->value, key, Sparsity::dense, Origin::derived, source};
        roof.clock = clock_behind(a, roof);
        roof.peak = share * peak->value;
        out_.roofs.push_back({std::string(name(key)), roof, {}});
      }
    }
    rate_slice_memory(a, slice);
  }

  void rate_slice_memory(const Accelerator& a, const std::string& slice) {
    // Memory is cut into eighths, each with the channels and the cache that belong to it.
    constexpr double kCuts = 8;
    const auto bytes = number_fact(driver_, "memory_bytes");
    const auto* rated = std::get_if<Sourced<Bandwidth>>(&a.memory.bandwidth);
    const auto whole = memory_size(a);
    if (!bytes || !whole || rated == nullptr) {
      out_.no_bandwidth = slice + ", and what part of its memory it has is not known";
      return;
    }
    const double cuts = std::clamp(std::round(kCuts * *bytes / in_byte(whole->size)), 1.0, kCuts);
    out_.roofs.push_back(
        {"rated",
         MemoryRoof{(cuts / kCuts) * rated->value, Boundary::dram, Origin::derived,
                    "catalogue " + a.id + ", scaled: " + std::to_string(static_cast<int>(cuts)) +
                        " of 8 memory slices (MIG slice)"},
         {}});
  }

  void rate_unknown() {
    out_.no_peaks = match_.reason;
    if (match_.status != MatchStatus::partial) out_.accelerator = nullptr;
    if (flag_fact(driver_, "mig")) {
      out_.no_bandwidth = match_.reason;
      return;
    }
    add_memory(memory_roof_from_driver(memory_));
  }

  void rate_link() {
    const Accelerator* a = out_.accelerator;
    if (a != nullptr && a->kind != "discrete") {
      out_.no_link = a->id + " is joined to its host by no PCIe link (" + a->kind + ")";
      return;
    }
    const auto generation = count_fact(driver_, "pcie_generation");
    const auto lanes = count_fact(driver_, "pcie_width");
    if (generation && lanes) {
      if (const auto rate = pcie_bandwidth(*generation, *lanes)) {
        const std::string link =
            "PCIe " + std::to_string(*generation) + ".0 x" + std::to_string(*lanes);
        out_.roofs.push_back(
            {"pcie", MemoryRoof{*rate, Boundary::link, Origin::derived, "driver: " + link}, {}});
        if (a != nullptr && a->pcie) warn_of_narrow_link(*a->pcie, *generation, *lanes, link);
        return;
      }
    }
    if (a == nullptr || !a->pcie) {
      out_.no_link = "neither the driver nor the catalogue tells its PCIe link";
      return;
    }
    out_.roofs.push_back(
        {"pcie",
         MemoryRoof{a->pcie->per_direction, Boundary::link, Origin::datasheet,
                    "catalogue " + a->id + ": PCIe " + std::to_string(a->pcie->generation) +
                        ".0 x" + std::to_string(a->pcie->width)},
         {}});
  }

  void warn_of_narrow_link(const Link& rated, unsigned generation, unsigned lanes,
                           const std::string& link) {
    if (generation >= rated.generation && lanes >= rated.width) return;
    out_.warnings.push_back({"narrow_link", "its link is " + link +
                                                " at most, where the card has "
                                                "PCIe " +
                                                std::to_string(rated.generation) + ".0 x" +
                                                std::to_string(rated.width) +
                                                ": transfers are held against the narrower one"});
  }

  void describe() {
    const bool whole = match_.status == MatchStatus::found && out_.no_peaks.empty();
    if (out_.accelerator == nullptr) {
      out_.facts.push_back({"catalogue_id", Unknown{match_.reason}});
    } else {
      out_.facts.push_back({"catalogue_id", out_.accelerator->id});
      out_.facts.push_back(
          {"catalogue_match",
           whole && !flag_fact(driver_, "mig")
               ? match_.by
               : std::string(flag_fact(driver_, "mig") ? "part of the card (MIG slice)"
                                                       : "part of the card")});
    }
    if (!whole || out_.accelerator == nullptr) return;
    const auto* rated = std::get_if<Sourced<Bandwidth>>(&out_.accelerator->memory.bandwidth);
    if (rated != nullptr) {
      out_.facts.push_back({"catalogue_bandwidth_byte_per_s", in_byte_per_s(rated->value)});
    }
  }

  const Facts& driver_;
  std::string_view name_;
  DriverMemory memory_;
  Match match_;
  RatedDevice out_;
};

}  // namespace

std::optional<Bandwidth> pcie_bandwidth(unsigned generation, unsigned lanes) {
  // PCI Express base specifications: GT/s per lane, and the part of the bits that is data
  // (8b/10b, then 128b/130b, then FLITs of 242 in 256 bytes).
  struct Rate {
    double gigatransfers;
    double data;
  };
  constexpr Rate kRates[] = {{2.5, 0.8},        {5, 0.8},          {8, 128.0 / 130},
                             {16, 128.0 / 130}, {32, 128.0 / 130}, {64, 242.0 / 256}};
  if (generation == 0 || generation > std::size(kRates) || lanes == 0 || lanes > 32)
    return std::nullopt;
  const Rate& rate = kRates[generation - 1];
  return gb_per_s(rate.gigatransfers * rate.data / 8 * lanes);
}

RatedDevice rate_device(const Catalogue& catalogue, std::string_view name, const Facts& driver) {
  return Rating(catalogue, name, driver).rate();
}

}  // namespace roofline::machine
