#include "report/misstatements.hpp"

#include <fmt/format.h>

#include <iterator>

#include "report/point_json.hpp"

namespace roofline::report {
namespace {

using Kind = JsonValue::Kind;

std::string spoken(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return "nothing";
    case Kind::flag:
      return value.flag ? "true" : "false";
    case Kind::count:
    case Kind::number:
    case Kind::digits:
      return fmt::format("{:.9g}", value.as_number());
    case Kind::text:
      return "'" + std::string(value.view()) + "'";
    case Kind::list:
      return fmt::format("a list of {}", value.size);
    case Kind::object:
      break;
  }
  return fmt::format("an object of {}", value.size);
}

std::optional<double> number_in(const JsonValue& value) {
  return value.is_number() ? std::optional(value.as_number()) : std::nullopt;
}

bool same_scalar(const JsonValue& a, const JsonValue& b) {
  if (a.is_number() && b.is_number()) return agree(a.as_number(), b.as_number());
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::flag) return a.flag == b.flag;
  return a.kind != Kind::text || a.view() == b.view();
}

/// Walks through both values together.
class Walk {
 public:
  Walk(const Record& point, AsWritten& out) : point_(point), out_(out) {}

  void value(const Node& stored, const Node& right) {
    const JsonValue& a = stored.raw();
    const JsonValue& b = right.raw();
    // What the file lacks is no fault: an older program did not write it.
    if (a.kind == Kind::null || (a.is_container() && a.size == 0)) return;
    if (a.kind == Kind::object && b.kind == Kind::object) {
      members(stored, right);
    } else if (a.kind == Kind::list && b.kind == Kind::list && a.size == b.size) {
      elements(stored, right);
    } else if (a.is_container() || b.is_container() || !same_scalar(a, b)) {
      out_.misstated.push_back(
          {point_.device_id,
           point_.id,
           {path_ + " is " + spoken(a) + ", and the rest of the point gives " + spoken(b), path_,
            number_in(a), number_in(b)}});
    }
  }

 private:
  void members(const Node& stored, const Node& right) {
    const Node::Members all = right.members();
    // Nearly always in the same order.
    auto next = all.begin();
    for (const auto& [key, held] : stored.members()) {
      if (!(next != all.end()) || (*next).key != key) {
        next = all.begin();
        while (next != all.end() && (*next).key != key) ++next;
      }
      const std::size_t size = path_.size();
      const std::size_t keys = keys_.size();
      for (std::string* to : {&path_, &keys_}) to->append(to->empty() ? "" : ".").append(key);
      if (next != all.end()) {
        value(held, (*next).value);
        ++next;
      } else if (held.raw().kind != Kind::null) {
        out_.unknown_keys.insert(keys_);
      }
      path_.resize(size);
      keys_.resize(keys);
    }
  }

  void elements(const Node& stored, const Node& right) {
    auto other = right.elements().begin();
    std::size_t number = 0;
    for (const Node& held : stored.elements()) {
      const std::size_t size = path_.size();
      path_ += "." + std::to_string(number++);
      value(held, *other);
      ++other;
      path_.resize(size);
    }
  }

  const Record& point_;
  AsWritten& out_;
  std::string path_;
  std::string keys_;  ///< the same without places in lists
};

/// Keeps the points, and what they say that nothing gives.
class PointsAndText : public PointList<WholePoint> {
 public:
  void take(Record&& point, const Node& text) override {
    finder_.look(point, text, file_);
    PointList::take(std::move(point), text);
  }
  [[nodiscard]] std::unique_ptr<PointTaker> another() const override {
    return std::make_unique<PointsAndText>();
  }
  void append(PointTaker& next, std::size_t expected) override {
    AsWritten& more = dynamic_cast<PointsAndText&>(next).file_;
    std::move(more.misstated.begin(), more.misstated.end(), std::back_inserter(file_.misstated));
    file_.unknown_keys.merge(more.unknown_keys);
    PointList::append(next, expected);
  }
  void clear() override {
    file_ = {};
    PointList::clear();
  }
  [[nodiscard]] AsWritten take_file() { return std::move(file_); }

 private:
  MisstatementFinder finder_;
  AsWritten file_;
};

}  // namespace

void MisstatementFinder::look(const Record& point, const Node& text, AsWritten& out) {
  out_.clear();
  put_point(out_, point);
  line_.clear();
  out_.append_line(line_);
  // As deep as it lies in a report.
  constexpr std::size_t kDepth = 2;
  std::size_t at = 0;
  if (!tree_.parse(line_, at, kDepth)) parse_json(line_, point.id, tree_, kDepth);
  const TreeName name{point.id};
  Walk(point, out).value(text, Node(tree_, name));
}

Report read_report(std::string_view text, std::string_view name, AsWritten& file,
                   const ReadOptions& options) {
  PointsAndText points;
  Report out = read_report(text, name, points, options);
  out.points = points.take_all();
  file = points.take_file();
  return out;
}

}  // namespace roofline::report
