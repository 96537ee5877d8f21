#include "cli/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <set>
#include <span>

#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/warnings.hpp"
#include "cli/watchdog.hpp"
#include "report/format.hpp"

namespace roofline::cli {
namespace {

using Limit = std::chrono::duration<double>;

/// Says that a point hangs, saves what there is, and ends the program: the thread that hangs can't
/// be stopped. `name` is what the point is called among all of this run.
[[noreturn]] void give_up(const std::string& name, Record point, Limit limit, Recorder& recorder,
                          const Books& books, Io& io) {
  io.err << "roofline: " << name << " did not return; giving up (--point-timeout sets how long "
         << "to wait)\n";
  int status = static_cast<int>(ExitStatus::untrusted);
  try {
    const std::size_t finished = recorder.finished();
    point.outcome = Failed{"did not return within " + report::format(second(limit.count()))};
    recorder.add_hung(point);
    recorder.finish(books, RunEnd::hung);
    recorder.save();
    io.err << "roofline: " << finished
           << (finished == 1 ? " finished point is kept" : " finished points are kept")
           << (recorder.output().empty() ? "" : " in " + recorder.output()) << '\n';
  } catch (const std::exception& error) {
    io.err << "roofline: " << error.what() << '\n';
    status = static_cast<int>(ExitStatus::file);
  }
  io.err.flush();
  std::_Exit(status);
}

/// How long one step of a point may take: much more than it should.
Limit step_limit(const measure::PlannedPoint& point, std::optional<Seconds> asked) {
  constexpr double kLeast = 120;
  constexpr double kOfExpected = 20;
  if (asked) return Limit(in_second(*asked));
  return Limit(std::max(kLeast, kOfExpected * in_second(point.expected)));
}

/// The part of the time that is left which a device gets: what it is expected to need of all that
/// those not yet measured need.
std::optional<Seconds> share_of(std::optional<Seconds> left, std::span<const Work> rest) {
  if (!left) return std::nullopt;
  Seconds all;
  for (const Work& work : rest) all = all + work.expected();
  if (in_second(all) <= 0) return left;
  return std::max(*left, second(0)) * (rest.front().expected() / all);
}

std::size_t devices_of(const std::vector<Work>& all) {
  std::set<std::string> ids;
  for (const Work& work : all) ids.insert(work.target->device.id);
  return ids.size();
}

/// Measures the devices one after the other, and all of them again for each repetition.
class Turns {
 public:
  Turns(const TurnSettings& settings, Recorder& recorder, Books& books, Io& io)
      : settings_(settings),
        budget_(settings.budget),
        recorder_(recorder),
        books_(books),
        io_(io) {}

  measure::SweepEnd run(std::vector<Work> all) {
    Progress progress(io_.err, stderr_redraws(), points_left(all), budget_);
    announce(all);
    const bool several = devices_of(all) > 1;
    Watchdog watchdog;
    auto out = measure::SweepEnd::completed;
    std::set<std::string> lost;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (lost.count(all[i].target->device.id) != 0) continue;
      const std::span<const Work> rest(all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
      const std::string prefix =
          (all[i].repetition == 0 ? "" : "repetition " + std::to_string(all[i].repetition) + " ") +
          (several ? all[i].target->device.id + " " : "");
      const auto end = sweep(all[i], rest, prefix, progress, watchdog);
      watchdog.rest();
      if (end == measure::SweepEnd::device_lost) {
        lost.insert(all[i].target->device.id);
        tell_lost(all[i], rest.size() > 1);
      }
      if (end == measure::SweepEnd::budget_spent) out = end;
      if (end != measure::SweepEnd::interrupted) continue;
      out = end;
      break;
    }
    progress.done();
    return out;
  }

 private:
  /// A run of minutes says so before it begins.
  void announce(const std::vector<Work>& all) {
    constexpr double kLong = 90;
    Seconds expected;
    for (const Work& work : all) expected = expected + work.expected();
    if (budget_) expected = std::min(expected, *budget_);
    if (in_second(expected) < kLong) return;
    io_.err << "roofline: " << points_left(all) << " points";
    if (devices_of(all) > 1) io_.err << " on " << devices_of(all) << " devices";
    if (all.back().repetition > 1) io_.err << " in " << all.back().repetition << " repetitions";
    io_.err << ", about " << report::format(expected) << '\n';
  }

  measure::SweepEnd sweep(const Work& work, std::span<const Work> rest, const std::string& prefix,
                          Progress& progress, Watchdog& watchdog) {
    backend::Backend& backend = *work.target->backend;
    const std::size_t done = finished_;
    Seconds later;
    for (const Work& other : rest.subspan(1)) later = later + other.expected();
    const Seconds begin = backend.now();
    const auto end = measure::run_sweep(
        backend, work.target->device, work.points,
        {settings_.sampling, settings_.seed, share_of(budget_, rest), work.repetition},
        books_.at(work.target->device.id),
        {.running =
             [&](const auto& point, std::size_t finished, Seconds left) {
               const std::string name = prefix + point.record.id;
               const Limit limit = step_limit(point, settings_.timeout);
               watchdog.expect(limit, [this, name, limit, record = point.record] {
                 give_up(name, record, limit, recorder_, books_, io_);
               });
               progress.running(name, done + finished, left + later);
             },
         .finished =
             [&](const Record& record, Seconds left) {
               ++finished_;
               recorder_.add(record);
               progress.finished(prefix + record.id, left + later);
             },
         .stop = InterruptGuard::requested});
    if (budget_) budget_ = *budget_ - (backend.now() - begin);
    return end;
  }

  void tell_lost(const Work& work, bool more) {
    warn(io_, spoken_name(work.target->device.id, work.target->device.name) +
                  " was lost while it was measured; its other points failed" +
                  (more ? ", and the next device is measured" : ""));
  }

  const TurnSettings& settings_;
  std::optional<Seconds> budget_;  ///< what is left of it
  Recorder& recorder_;
  Books& books_;
  Io& io_;
  std::size_t finished_ = 0;
};

}  // namespace

measure::SweepEnd measure_in_turn(std::vector<Work> all, const TurnSettings& settings,
                                  Recorder& recorder, Books& books, Io& io) {
  return Turns(settings, recorder, books, io).run(std::move(all));
}

}  // namespace roofline::cli
