#include "report/json_points.hpp"

#include <algorithm>

#include "report/in_order.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

/// Below it a thread costs more than it brings.
constexpr std::size_t kWorthThreads = std::size_t{4} << 20U;
constexpr std::size_t kChunk = std::size_t{2} << 20U;
/// Where a seam is not found within this, the rest of the text is left to one thread.
constexpr std::size_t kLongestPoint = std::size_t{4} << 20U;

constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// Where the value that begins at `at` ends, as far as brackets and quotes tell.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool in_string = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return text.size();
}

/// How one point ends and the next begins, `\n    },\n    {\n      "id"` or on one line
/// `}}},{"id"`, and where in it that is.
struct Seam {
  std::string_view text = {};  ///< empty where the second point has no key
  std::size_t point = 0;
};

Seam seam_before(std::string_view text, std::size_t second) {
  // Lists within a point have seams of their own, at another depth.
  constexpr std::size_t kBrackets = 3;
  const std::size_t end_of_first = text.find_last_not_of(", \n\r\t", second - 1) + 1;
  std::size_t from = end_of_first - 1;
  if (from > 0 && is_blank(text[from - 1])) {
    while (from > 0 && is_blank(text[from - 1])) --from;
  } else {
    while (from > 0 && text[from - 1] == '}' && end_of_first - from < kBrackets) --from;
  }
  if (second >= text.size() || text[second] != '{') return {};
  const std::size_t quote = skip_blanks(text, second + 1);
  if (quote >= text.size() || text[quote] != '"') return {};
  const std::size_t close = text.find('"', quote + 1);
  if (close == std::string_view::npos || close - quote > 64) return {};
  return {text.substr(from, close + 1 - from), second - from};
}

/// Where a chunk that begins at `begin` had better stop: at the first seam beyond its size.
std::size_t stop_of_chunk(std::string_view text, std::size_t begin, std::size_t size,
                          const Seam& seam) {
  if (seam.text.empty() || text.size() - begin <= size) return std::string_view::npos;
  const std::string_view there = text.substr(begin + size, kLongestPoint);
  const std::size_t found = there.find(seam.text);
  return found == std::string_view::npos ? found : begin + size + found + seam.point;
}

}  // namespace

/// A part of the list, from one point to the beginning of another.
struct PointsVisitor::Chunk {
  enum class End {
    at_point,  ///< which is the first at or behind `stop`
    at_list,   ///< behind the closing bracket
    odd,       ///< at a point that the quick parser doesn't take, or that isn't understood
    broken,    ///< at what separates two points
  };
  std::size_t begin = 0;
  std::size_t stop = std::string_view::npos;
  std::unique_ptr<PointTaker> points = {};
  End end = End::at_point;
  std::size_t at = 0;
};

namespace {

using Chunk = PointsVisitor::Chunk;

/// Steps from the end of a point, blanks taken, to the next.
Chunk::End step(std::string_view text, std::size_t& at) {
  if (at >= text.size()) return Chunk::End::broken;
  if (text[at] == ']') {
    ++at;
    return Chunk::End::at_list;
  }
  if (text[at] != ',') return Chunk::End::broken;
  at = skip_blanks(text, at + 1);
  return Chunk::End::at_point;
}

/// What a thread fills again and again.
struct Workspace {
  JsonTree tree;
  TextPool texts;
};

void read_chunk(std::string_view text, const PointsOptions& options, Workspace& space, Chunk& chunk,
                const std::atomic<bool>* abandoned = nullptr) {
  const TreeName name{options.file, {}, &space.texts};
  std::size_t at = chunk.begin;
  chunk.end = Chunk::End::at_point;
  while (chunk.end == Chunk::End::at_point && at < chunk.stop) {
    chunk.at = at;
    if (abandoned != nullptr && abandoned->load(std::memory_order_relaxed)) return;
    if (!space.tree.parse(text, at, 2)) {
      chunk.end = Chunk::End::odd;
      return;
    }
    try {
      const Node point(space.tree, name);
      chunk.points->take(options.read(point), point);
    } catch (const InputError&) {
      chunk.end = Chunk::End::odd;  // read again by whom knows its number
      return;
    }
    chunk.end = step(text, at);
  }
  chunk.at = at;
}

}  // namespace

void PointsVisitor::deliver(std::string_view text, Chunk& chunk) {
  const std::size_t count = chunk.points->size();
  if (count == 0) return;
  // As many as the rest of the text holds of this size, and a few more.
  const std::size_t each = (chunk.at - chunk.begin) / count + 1;
  const std::size_t left = (text.size() - chunk.begin) / each;
  out_.append(*chunk.points, std::max(count, left + left / 64));
  chunk.points->clear();
}

/// The point at `at`, by the parser that takes all. False where it is no JSON; what is said of one
/// that isn't understood is kept.
bool PointsVisitor::read_odd_one(std::string_view text, std::size_t& at) {
  const std::size_t end = end_of_value(text, at);
  JsonTree tree;
  const TreeName name{options_.file, "/points/" + std::to_string(out_.size())};
  try {
    parse_json(text.substr(at, end - at), options_.file, tree, 2);
  } catch (const InputError&) {
    return false;
  }
  try {
    const Node point(tree, name);
    out_.take(options_.read(point), point);
  } catch (const InputError&) {
    complaint_ = std::current_exception();
  }
  at = skip_blanks(text, end);
  return true;
}

/// Takes over what a chunk holds, and reads on to its stop where it could not. False where the text
/// is no JSON; `at` is where the next chunk must begin, or behind the list.
bool PointsVisitor::take(std::string_view text, Chunk& chunk, std::size_t& at) {
  Workspace space;
  while (true) {
    deliver(text, chunk);
    at = chunk.at;
    if (chunk.end == Chunk::End::broken) return false;
    if (chunk.end != Chunk::End::odd) return true;
    if (!read_odd_one(text, at)) return false;
    chunk.end = step(text, at);
    chunk.at = chunk.begin = at;
    if (complaint_ || chunk.end != Chunk::End::at_point) continue;
    read_chunk(text, options_, space, chunk);
  }
}

bool PointsVisitor::read_on_all_cores(std::string_view text, Chunk& chunk, std::size_t& at) {
  const Seam seam = seam_before(text, at);
  const std::size_t size = options_.chunk != 0 ? options_.chunk : kChunk;
  const unsigned threads = options_.threads != 0 ? options_.threads : useful_threads();
  const auto next = [&, begin = at](Chunk& part) mutable {
    if (begin == std::string_view::npos) return false;
    part.begin = begin;
    begin = stop_of_chunk(text, begin, size, seam);
    part.stop = begin;
    part.points = out_.another();
    return true;
  };
  const auto read = [&](Chunk& part, const std::atomic<bool>& abandoned) {
    thread_local Workspace space;
    read_chunk(text, options_, space, part, &abandoned);
  };
  InOrder<Chunk> parts(next, read, threads);
  Workspace space;
  while (auto part = parts.take()) {
    chunk = std::move(*part);
    if (chunk.begin != at) {
      // What looked like the seam of two points was none.
      if (at >= chunk.stop) continue;
      chunk = Chunk{.begin = at, .stop = chunk.stop, .points = out_.another()};
      read_chunk(text, options_, space, chunk);
    }
    if (!take(text, chunk, at)) return false;
    if (complaint_ || chunk.end == Chunk::End::at_list) return true;
    if (options_.passed) options_.passed(at);
  }
  return false;
}

/// All points up to the end of the list or to a complaint, with `chunk` as the last of them.
bool PointsVisitor::read_all(std::string_view text, Chunk& chunk, std::size_t& at) {
  Workspace space;
  // The first alone: it shows how a point ends.
  chunk = Chunk{.begin = at, .stop = at + 1, .points = out_.another()};
  read_chunk(text, options_, space, chunk);
  if (!take(text, chunk, at)) return false;
  if (complaint_ || chunk.end == Chunk::End::at_list) return true;
  if (options_.chunk != 0 || text.size() - at >= kWorthThreads)
    return read_on_all_cores(text, chunk, at);
  chunk = Chunk{.begin = at, .points = out_.another()};
  read_chunk(text, options_, space, chunk);
  return take(text, chunk, at);
}

bool PointsVisitor::visit(std::string_view text, std::size_t& at) {
  out_.clear();
  complaint_ = nullptr;
  at = skip_blanks(text, at);
  if (at < text.size() && text[at] == ']') {
    ++at;
    return true;
  }
  Chunk last;
  if (!read_all(text, last, at)) return false;
  if (last.end == Chunk::End::at_list) return true;
  // What is no JSON at all is said first, then what is wrong before the points or behind them.
  check_json(text, options_.file);
  while (text[at] != ']') {
    at = text[at] == ',' ? at + 1 : end_of_value(text, at);
    at = skip_blanks(text, at);
  }
  ++at;
  return true;
}

}  // namespace roofline::report
