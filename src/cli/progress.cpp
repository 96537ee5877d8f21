#include "cli/progress.hpp"

#include "report/format.hpp"

namespace roofline::cli {

Progress::Progress(std::ostream& err, bool redraws,
                   const std::vector<measure::PlannedPoint>& points)
    : err_(err), redraws_(redraws), remaining_(points.size() + 1) {
  for (std::size_t i = points.size(); i-- > 0;)
    remaining_[i] = remaining_[i + 1] + points[i].expected;
}

void Progress::started(const measure::PlannedPoint& point, std::size_t index) {
  if (!point.runnable) return;
  // The plan's times, stretched by how the finished points kept to them.
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  const Seconds planned = remaining_.front() - remaining_[index];
  const double stretch = in_second(planned) > 0 ? spent.count() / in_second(planned) : 1;
  const Seconds left = remaining_[index] * stretch;
  err_ << (redraws_ ? "\r\033[K" : "") << '[' << index + 1 << '/' << remaining_.size() - 1 << "] "
       << point.record.id << ", about " << report::format(left) << " left";
  if (!redraws_) err_ << '\n';
  err_.flush();
}

void Progress::done() {
  if (redraws_) err_ << "\r\033[K";
  err_.flush();
}

}  // namespace roofline::cli
