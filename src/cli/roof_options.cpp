#include "cli/roof_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "cli/report_input.hpp"
#include "machine/roofs.hpp"
#include "report/json_reader.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kMeasured = "measured:";

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// A roof is of one device.
void require_device(const Report& report, const std::string& file, const std::string& device,
                    std::string_view option) {
  std::string known;
  for (const ReportedDevice& one : report.devices) known += (known.empty() ? "" : ", ") + one.id;
  if (report.devices.empty()) known = report.device_id;
  const bool there = std::any_of(report.devices.begin(), report.devices.end(),
                                 [&](const ReportedDevice& one) { return one.id == device; }) ||
                     (report.devices.empty() && report.device_id == device);
  if (there) return;
  throw InputError(std::string(option) + ": " + file + " is a report of " + known +
                   "; name one of them, as in measured:" + file + "@" +
                   known.substr(0, known.find(',')));
}

/// REPORT@DEVICE, for a report of several; the device of a merged report may hold an @ of its own.
struct NamedReport {
  std::string file;
  std::string device;
};

NamedReport report_and_device(const std::string& path) {
  if (report::file_exists(path)) return {path, {}};
  const std::size_t last = path.rfind('@');
  for (std::size_t at = path.find('@'); at != std::string::npos; at = path.find('@', at + 1)) {
    if (at != last && !report::file_exists(path.substr(0, at))) continue;
    return {path.substr(0, at), path.substr(at + 1)};
  }
  return {path, {}};
}

bool shows_product(const machine::Catalogue& catalogue, const std::string& asked,
                   const report::DeviceFacts& seen) {
  if (asked == seen.name) return true;
  machine::DeviceQuery query{.name = seen.name};
  if (const auto sms = number_fact(seen.facts, "sm_count"))
    query.sm_count = static_cast<unsigned>(*sms);
  if (const auto bytes = number_fact(seen.facts, "memory_bytes")) query.memory = byte(*bytes);
  const machine::Match wanted = machine::match(catalogue, {.name = asked});
  const machine::Match shown = machine::match(catalogue, query);
  if (wanted.status != machine::MatchStatus::found) return false;
  if (shown.status == machine::MatchStatus::found) return shown.accelerator == wanted.accelerator;
  // A name that several products share tells nothing against one of them.
  return shown.status == machine::MatchStatus::ambiguous &&
         std::find(shown.near.begin(), shown.near.end(), wanted.accelerator->id) !=
             shown.near.end();
}

struct StatedPeak {
  std::optional<PeakKey> key;  ///< nothing: for whatever type the operation has
  Performance value;
};

/// `bf16=312TFLOP/s`: the left side is a dtype or a datasheet row.
StatedPeak parse_stated_peak(const std::string& text, const Workload& workload) {
  const std::size_t equals = text.find('=');
  const std::string what = "--peak-flops";
  if (equals == std::string::npos) return {std::nullopt, parse_performance(text, what)};
  const std::string left = text.substr(0, equals);
  const Performance value = parse_performance(std::string_view(text).substr(equals + 1), what);
  if (const auto dtype = find_dtype(left)) {
    const auto keys = peak_candidates(*dtype, info(*dtype).accumulate, engine(workload));
    const bool same = *dtype == compute_dtype(workload);
    if (same) return {std::nullopt, value};
    if (!keys.empty()) return {keys.front(), value};
  }
  if (const auto key = find_peak_key(left)) return {key, value};
  throw InputError(what + ": '" + left +
                   "' is neither a dtype nor a datasheet row; write for example bf16=312TFLOP/s");
}

class Chooser {
 public:
  Chooser(const RoofOptions& options, const Operation& operation, const Account& account,
          const machine::Catalogue& catalogue)
      : options_(options), operation_(operation), account_(account), catalogue_(catalogue) {
    refuse_contradictions();
    if (options.device.empty()) {
      require_stated_roofs();
      out_.device_id = "custom";
      out_.device_name = "roofs given on the command line";
      out_.roofs.compute_reason = "no device and no --peak-flops were given";
      out_.roofs.memory_reason = "no device and no --bandwidth were given";
      return;
    }
    if (options.device == "cpu") {
      throw NotAvailable(
          "--device: the CPU has no datasheet in the catalogue; measure it (roofline run -o FILE), "
          "then "
          "give --peak-flops measured:FILE --bandwidth measured:FILE instead");
    }
    machine::Match match = find_device(catalogue, options.device);
    out_.warnings.insert(out_.warnings.end(), match.cautions.begin(), match.cautions.end());
    if (match.status == machine::MatchStatus::partial) {
      out_.device_id = options.device;
      out_.device_name = options.device + " (part of " + match.base + ")";
      out_.roofs.compute_reason = match.reason;
      out_.roofs.memory_reason = match.reason;
      return;
    }
    accelerator_ = match.accelerator;
    out_.device_id = accelerator_->id;
    out_.device_name =
        accelerator_->names.empty() ? accelerator_->model : accelerator_->names.front();
  }

  ChosenRoofs choose() {
    choose_memory();
    choose_compute();
    rate_sustained_bandwidth();
    if (!options_.overhead.empty())
      out_.roofs.overhead = OverheadRoof{parse_seconds(options_.overhead, "--overhead"),
                                         LaunchPath::kernel, Origin::user, "--overhead"};
    return std::move(out_);
  }

 private:
  void refuse_contradictions() const {
    if (options_.peak_kind != "datasheet" && !options_.peaks.empty()) {
      throw InputError("--peak and --peak-flops both choose the peak; give one of them");
    }
    std::set<std::string> seen;
    for (const std::string& text : options_.peaks) {
      const bool bare = text.starts_with(kMeasured) || text.find('=') == std::string::npos;
      const std::string type = bare ? "" : text.substr(0, text.find('='));
      if (seen.insert(type).second) continue;
      throw InputError(
          "--peak-flops: " + (bare ? std::string("a peak") : "the peak of '" + type + "'") +
          " is given twice; keep one");
    }
  }

  void require_stated_roofs() const {
    if (options_.peaks.empty() && options_.bandwidth.empty()) {
      throw InputError(
          "no roof is given; add --device ID (see roofline devices), or --peak-flops and "
          "--bandwidth");
    }
    if (options_.sparse)
      throw InputError("--sparse needs --device: only a datasheet has a sparse peak");
    if (!options_.clock.empty())
      throw InputError("--clock needs --device: a clock alone is no peak");
    if (options_.peak_kind != "datasheet") {
      throw InputError("--peak " + options_.peak_kind +
                       " needs --device: it is worked out from the device's figures");
    }
  }

  RoofBook read_roofs(const std::string& path, std::string_view option) {
    MeasuredRoofs measured = measured_roofs(path, option);
    if (!options_.device.empty()) {
      auto other = of_another_device(measured, path, option, catalogue_, options_.device);
      if (other) out_.warnings.push_back(*std::move(other));
    }
    RoofBook book;
    for (RoofEntry& entry : measured.roofs) book.add(std::move(entry));
    return book;
  }

  void choose_memory() {
    if (options_.bandwidth.starts_with(kMeasured)) {
      const RoofBook book = read_roofs(options_.bandwidth.substr(kMeasured.size()), "--bandwidth");
      const Roofs found = book.roofs_for(operation_.workload, account_);
      if (!found.memory) {
        throw InputError("--bandwidth: the report holds no measured " +
                         std::string(name(operation_.boundary)) +
                         " bandwidth; run roofline bandwidth -o FILE first");
      }
      out_.roofs.memory = found.memory;
      out_.roofs.memory->source =
          options_.bandwidth.substr(kMeasured.size()) + ": " + found.memory->source;
    } else if (!options_.bandwidth.empty()) {
      out_.roofs.memory = MemoryRoof{parse_bandwidth(options_.bandwidth, "--bandwidth"),
                                     operation_.boundary, Origin::user, "--bandwidth"};
    } else if (accelerator_ != nullptr && operation_.boundary != Boundary::dram) {
      throw InputError(
          "--boundary " + std::string(name(operation_.boundary)) +
          ": the catalogue knows DRAM bandwidth only; add --bandwidth with the rate of that level");
    } else if (accelerator_ != nullptr) {
      machine::MemoryAnswer answer = machine::memory_roof(*accelerator_);
      out_.roofs.memory = std::move(answer.roof);
      out_.roofs.memory_reason = std::move(answer.reason);
      for (const machine::Warning& warning : answer.warnings) out_.warnings.push_back(warning.text);
    }
  }

  /// A measured roof is no limit; the rated bandwidth is, of a stated one, too.
  void rate_sustained_bandwidth() {
    const auto& memory = out_.roofs.memory;
    if (!memory || options_.bandwidth.empty() || accelerator_ == nullptr) return;
    if (operation_.boundary != Boundary::dram) return;
    const auto rated = machine::memory_roof(*accelerator_).roof;
    if (!rated) return;
    if (memory->origin == Origin::measured) out_.context.rated_memory = *rated;
    if (const auto doubt = machine::check_sustained_bandwidth(rated->bandwidth, memory->bandwidth))
      out_.warnings.push_back("--bandwidth: " + doubt->text);
  }

  void choose_compute() {
    const Workload& workload = operation_.workload;
    const DType dtype = compute_dtype(workload);
    const auto keys = peak_candidates(dtype, accumulate_dtype(workload), engine(workload));
    if (state_peak(keys)) return;
    if (accelerator_ == nullptr) {
      if (options_.device.empty() && !options_.peaks.empty())
        out_.roofs.compute_reason =
            "--peak-flops gives that of " + stated_types() + ", and no device was given";
      return;
    }
    // A stream that does no arithmetic needs no peak, in a type the units cannot add in even less.
    const bool no_work = account_.work && account_.work->value() == 0;
    auto answer = machine::compute_roof(
        *accelerator_, {.dtype = dtype,
                        .accumulate = accumulate_dtype(workload),
                        .engine = engine(workload),
                        .sparsity = options_.sparse ? Sparsity::sparse_2_4 : Sparsity::dense});
    if (const auto* refusal = std::get_if<machine::Refusal>(&answer)) {
      if (refusal->unsupported && !no_work) {
        throw NotAvailable(refusal->reason);
      }
      out_.roofs.compute_reason = refusal->reason;
      return;
    }
    out_.roofs.compute = std::get<ComputeRoof>(std::move(answer));
    const PeakKey key = out_.roofs.compute->key;
    std::optional<Frequency> clock;
    if (!options_.clock.empty()) clock = parse_frequency(options_.clock, "--clock");
    out_.context = machine::roof_context(*accelerator_, key, clock);
    if (options_.sparse) out_.context.sparse_peak.reset();
    replace_by_kind(key, clock);
  }

  /// A peak from the command line or a report; true when there is one for this operation.
  bool state_peak(const std::vector<PeakKey>& keys) {
    for (const std::string& text : options_.peaks) {
      if (text.starts_with(kMeasured)) {
        const RoofBook book = read_roofs(text.substr(kMeasured.size()), "--peak-flops");
        const Roofs found = book.roofs_for(operation_.workload, account_);
        if (!found.compute)
          throw InputError("--peak-flops: " + found.compute_reason + " in that report");
        out_.roofs.compute = found.compute;
        out_.roofs.compute->source = text.substr(kMeasured.size()) + ": " + found.compute->source;
        return true;
      }
      const StatedPeak stated = parse_stated_peak(text, operation_.workload);
      const PeakKey wanted = keys.empty() ? PeakKey::fp32 : keys.front();
      const bool fits =
          !stated.key || std::find(keys.begin(), keys.end(), *stated.key) != keys.end();
      if (keys.empty() || !fits) continue;
      const PeakKey key = stated.key.value_or(wanted);
      const Sparsity kind = options_.sparse ? Sparsity::sparse_2_4 : Sparsity::dense;
      out_.roofs.compute = ComputeRoof{stated.value, key, kind, Origin::user, "--peak-flops"};
      if (accelerator_ != nullptr) {
        out_.context = machine::roof_context(*accelerator_, key, std::nullopt);
        const auto warning = machine::check_stated_peak(*accelerator_, key, stated.value);
        if (warning && !options_.sparse) out_.warnings.push_back("--peak-flops: " + warning->text);
      }
      return true;
    }
    return false;
  }

  /// What the peaks on the command line are of: `bf16 and fp8`.
  [[nodiscard]] std::string stated_types() const {
    std::string out;
    for (const std::string& text : options_.peaks) {
      const bool last = &text == &options_.peaks.back();
      if (!out.empty()) out += last ? " and " : ", ";
      out += text.substr(0, text.find('='));
    }
    return out + " alone";
  }

  void replace_by_kind(PeakKey key, std::optional<Frequency> clock) {
    if (options_.peak_kind == "datasheet") return;
    if (options_.sparse)
      throw InputError("--peak " + options_.peak_kind + " has no sparse form; leave out --sparse");
    if (options_.peak_kind == "clock" && !clock) {
      throw InputError(
          "--peak clock needs --clock, the clock sampled under load; write for example --clock "
          "1410MHz");
    }
    auto answer = clock && options_.peak_kind == "clock"
                      ? machine::clock_adjusted_peak(*accelerator_, key, *clock)
                      : machine::derived_peak(*accelerator_, key);
    if (const auto* refusal = std::get_if<machine::Refusal>(&answer)) {
      throw NotAvailable("--peak " + options_.peak_kind + " on " + out_.device_id + ": " +
                         refusal->reason);
    }
    out_.roofs.compute = std::get<ComputeRoof>(std::move(answer));
  }

  const RoofOptions& options_;
  const Operation& operation_;
  const Account& account_;
  const machine::Catalogue& catalogue_;
  const machine::Accelerator* accelerator_ = nullptr;
  ChosenRoofs out_;
};

}  // namespace

MeasuredRoofs measured_roofs(const std::string& path, std::string_view option) {
  if (path.empty()) throw InputError(std::string(option) + ": name the report after measured:");
  const auto [file, device] = report_and_device(path);
  const Report report = report::read_report(report::read_file(file), file);
  if (of_several_devices(report) || !device.empty()) require_device(report, file, device, option);
  MeasuredRoofs out;
  for (report::DeviceFacts& one : report::devices_of(report))
    if (!of_several_devices(report) || one.id == device) out.device = std::move(one);
  for (const RoofEntry& entry : report.roofs) {
    if (of_several_devices(report) && entry.device != device) continue;
    const bool measured =
        std::visit([](const auto& roof) { return roof.origin == Origin::measured; }, entry.roof);
    if (measured) out.roofs.push_back(entry);
  }
  return out;
}

std::optional<std::string> of_another_device(const MeasuredRoofs& measured, const std::string& path,
                                             std::string_view option,
                                             const machine::Catalogue& catalogue,
                                             const std::string& device) {
  if (shows_product(catalogue, device, measured.device)) return std::nullopt;
  return std::string(option) + ": " + printable(path) + " was measured on '" +
         printable(measured.device.name) + "', which is not " + device +
         ": its figures are another machine's";
}

std::optional<std::string> measured_in(const std::string& text) {
  if (!text.starts_with(kMeasured)) return std::nullopt;
  return text.substr(kMeasured.size());
}

void require_other_than_roofs(const std::string& output, const RoofOptions& options) {
  std::vector<std::string> stated = options.peaks;
  stated.push_back(options.bandwidth);
  for (const std::string& text : stated) {
    const auto path = measured_in(text);
    if (!path) continue;
    require_other_file(output, report_and_device(*path).file, "the report that roofs are of");
  }
}

std::optional<ComputeRoof> stated_peak(const std::vector<std::string>& peaks,
                                       const Workload& workload) {
  const auto keys =
      peak_candidates(compute_dtype(workload), accumulate_dtype(workload), engine(workload));
  for (const std::string& text : peaks) {
    if (measured_in(text)) continue;
    const StatedPeak stated = parse_stated_peak(text, workload);
    const bool fits = !stated.key || std::find(keys.begin(), keys.end(), *stated.key) != keys.end();
    if (keys.empty() || !fits) continue;
    return ComputeRoof{stated.value, stated.key.value_or(keys.front()), Sparsity::dense,
                       Origin::user, "--peak-flops"};
  }
  return std::nullopt;
}

void add_roof_options(CLI::App& app, RoofOptions& o) {
  constexpr const char* group = "Roofs";
  app.add_option("--device", o.device,
                 "catalogue id or product name, e.g. a100-80gb-sxm (see roofline devices)")
      ->group(group);
  app.add_option("--peak-flops", o.peaks,
                 "peak instead of the catalogue's: bf16=312TFLOP/s, or measured:REPORT")
      ->group(group);
  app.add_option("--bandwidth", o.bandwidth,
                 "bandwidth instead of the catalogue's: 2039GB/s, or measured:REPORT")
      ->group(group);
  app.add_option("--peak", o.peak_kind,
                 "datasheet, derived (SMs x FLOP/clock x clock) or clock (at --clock)")
      ->check(CLI::IsMember({"datasheet", "derived", "clock"}))
      ->group(group)
      ->capture_default_str();
  app.add_option("--clock", o.clock, "clock sampled under load, e.g. 1410MHz")->group(group);
  app.add_flag("--sparse", o.sparse, "hold against the 2:4 sparse peak")->group(group);
  app.add_option("--overhead", o.overhead, "time of an empty call, the third roof, e.g. 5us")
      ->group(group);
}

machine::Match find_device(const machine::Catalogue& catalogue, const std::string& device) {
  machine::Match match = machine::match(catalogue, {.name = device});
  // No product has a name as long as that; the sentence stays one that can be read.
  const std::string asked = device.size() <= 60 ? device : device.substr(0, 60) + "...";
  const std::string near = match.near.empty() ? "" : "; near it are " + joined(match.near);
  if (match.status == machine::MatchStatus::unknown) {
    throw NotAvailable("--device: '" + asked + "' is not in the catalogue" + near +
                       "; roofline devices lists all, --peak-flops and --bandwidth stand in");
  }
  if (match.status == machine::MatchStatus::ambiguous) {
    throw InputError("--device: '" + asked + "' fits several products: " + joined(match.near) +
                     "; give one of these ids");
  }
  return match;
}

ChosenRoofs choose_roofs(const RoofOptions& options, const Operation& operation,
                         const Account& account, const machine::Catalogue& catalogue) {
  return Chooser(options, operation, account, catalogue).choose();
}

}  // namespace roofline::cli
