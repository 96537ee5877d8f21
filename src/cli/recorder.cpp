#include "cli/recorder.hpp"
#include "cli/warnings.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "report/journal.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/diagnosis.hpp"
#include "roofline/error.hpp"
#include "roofline/repetition.hpp"
#include "roofline/time_model.hpp"

namespace roofline::cli {
namespace {

/// A run that was killed left its journal; it is worth more than the room it takes.
void save_forgotten_journal(const std::string& journal, Io& io) {
  if (!report::file_exists(journal)) return;
  const std::string kept = journal + ".old";
  report::rename_file(journal, kept);
  warn(io, journal + " held points of a run that was cut short; it is now " + kept +
               " (--resume would have gone on with them)");
}

/// By kind, then from DRAM inwards: the order in which points were finished is chance.
std::vector<RoofEntry> in_order(std::vector<RoofEntry> roofs) {
  const auto key = [](const RoofEntry& entry) {
    const auto* memory = std::get_if<MemoryRoof>(&entry.roof);
    const auto* compute = std::get_if<ComputeRoof>(&entry.roof);
    int detail = 0;
    if (memory != nullptr) detail = static_cast<int>(memory->boundary);
    if (compute != nullptr) detail = static_cast<int>(compute->key);
    return std::tuple{entry.roof.index(), detail};
  };
  std::stable_sort(roofs.begin(), roofs.end(), [&](const RoofEntry& a, const RoofEntry& b) {
    return std::tuple_cat(key(a), std::tuple{a.name}) < std::tuple_cat(key(b), std::tuple{b.name});
  });
  return roofs;
}

/// Devices in the order of the report, each with its roofs in order.
std::vector<RoofEntry> roofs_of(const Report& report, const Books& books) {
  const auto of = [&](const std::string& id) {
    const auto book = books.find(id);
    return in_order(book == books.end() ? std::vector<RoofEntry>{} : book->second.entries());
  };
  if (!of_several_devices(report)) return of(report.device_id);
  std::vector<RoofEntry> out;
  for (const ReportedDevice& device : report.devices) {
    for (RoofEntry& entry : of(device.id)) {
      entry.device = device.id;
      out.push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace

std::string point_key(const Record& record) { return record.device_id + '\n' + record.id; }

Recorder::Recorder(std::string output, Report report, std::vector<std::string> order, Io& io)
    : io_(io),
      output_(std::move(output)),
      report_(std::move(report)),
      order_(std::move(order)),
      spent_before_(report_.run.duration) {
  report_.run.interrupted = true;
  report_.run.end = RunEnd::interrupted;
  for (std::size_t i = 0; i < report_.points.size(); ++i)
    places_.emplace(point_key(report_.points[i]), i);
  if (output_.empty()) return;
  sink_.emplace(output_);
  if (!sink_->is_file()) return;
  const std::string path = report::journal_path(output_);
  if (report_.run.resumed_from.empty()) save_forgotten_journal(path, io);
  std::string text = report::journal_head(report_) + '\n';
  for (const Record& record : report_.points) text += report::journal_line(record) + '\n';
  journal_.emplace(path, text);
}

void Recorder::add(const Record& record) {
  const std::lock_guard lock(mutex_);
  put(record);
}

void Recorder::add_hung(const Record& record) {
  const std::lock_guard lock(mutex_);
  if (places_.find(point_key(record)) == places_.end()) put(record);
}

void Recorder::put(const Record& record) {
  const auto [place, fresh] = places_.emplace(point_key(record), report_.points.size());
  if (fresh) {
    report_.points.push_back(record);
  } else {
    add_repetition(report_.points[place->second], record);
  }
  if (!journal_) return;
  try {
    journal_->append(report::journal_line(record));
  } catch (const FileError& error) {
    warn(io_, std::string(error.what()) +
                  "; measuring goes on, and points are kept in memory until the end");
    journal_.reset();
  }
}

const Report& Recorder::finish(const Books& books, RunEnd end) {
  const std::lock_guard lock(mutex_);
  report_.run.end = end;
  report_.run.interrupted = end == RunEnd::interrupted || end == RunEnd::hung;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  report_.run.duration = spent_before_ + second(spent.count());
  report_.roofs = roofs_of(report_, books);
  for (Record& record : report_.points) {
    const auto book = books.find(record.device_id);
    if (book != books.end()) place_record(record, book->second);
  }
  model_times(report_);
  diagnose(report_);
  std::unordered_map<std::string, std::size_t> places;
  for (const std::string& key : order_) places.emplace(key, places.size());
  // What an earlier run held beyond this plan comes last.
  const auto place = [&](const Record& record) {
    const auto found = places.find(point_key(record));
    return found == places.end() ? order_.size() : found->second;
  };
  std::stable_sort(report_.points.begin(), report_.points.end(),
                   [&](const Record& a, const Record& b) { return place(a) < place(b); });
  return report_;
}

void Recorder::save() {
  const std::lock_guard lock(mutex_);
  if (!sink_) return;
  sink_->replace(report::to_json(report_));
  if (sink_->is_file()) report::remove_file(report::journal_path(output_));
}

Report read_earlier_run(const std::string& path) {
  const std::string journal = report::journal_path(path);
  std::optional<Report> out;
  if (report::file_exists(journal)) {
    const std::string text = report::read_file(journal);
    // One that was cut short in its first line held no point yet.
    if (text.find('\n') != std::string::npos) out = report::read_journal(text, journal);
  }
  if (report::file_exists(path)) {
    Report older = report::read_report(report::read_file(path), path);
    // A journal holds what was taken over when it was begun; a report without one is all there is.
    if (!out) return older;
  }
  if (!out) {
    throw FileError("there is nothing to resume: neither " + path + " nor " + journal +
                    " is there; leave out --resume to begin");
  }
  return *out;
}

}  // namespace roofline::cli
