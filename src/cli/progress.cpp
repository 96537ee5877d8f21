#include "cli/progress.hpp"

#include <algorithm>

#include "report/format.hpp"

namespace roofline::cli {

Seconds Progress::stretched(Seconds left) {
  if (in_second(planned_) <= 0) planned_ = left;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const Seconds past = planned_ - left;
  // Early on, a ratio of two small times says nothing.
  if (past >= 0.1 * planned_) left = left * std::clamp(spent.count() / in_second(past), 0.1, 10.0);
  if (!budget_) return left;
  return std::min(left, std::max(*budget_ - second(spent.count()), second(0)));
}

void Progress::running(const std::string& id, std::size_t finished, Seconds left) {
  const Seconds expected = stretched(left);
  if (!redraws_) return;
  err_ << "\r\033[K[" << finished << '/' << points_ << "] " << id << ", about "
       << report::format(expected) << " left";
  err_.flush();
}

void Progress::finished(const std::string& id, Seconds left) {
  ++finished_;
  if (redraws_) return;
  err_ << '[' << finished_ << '/' << points_ << "] " << id;
  if (finished_ < points_) err_ << ", about " << report::format(stretched(left)) << " left";
  err_ << '\n';
  err_.flush();
}

void Progress::done() {
  if (redraws_) err_ << "\r\033[K";
  err_.flush();
}

}  // namespace roofline::cli
