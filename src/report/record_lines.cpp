#include "report/record_lines.hpp"

#include <algorithm>

#include "report/in_order.hpp"

namespace roofline::report {
namespace {

/// At a time; fewer are not worth a thread.
constexpr std::size_t kAtATime = 256;

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text = {};
};

}  // namespace

void write_texts(std::size_t count, const TextSink& out,
                 const std::function<void(std::size_t index, std::string& to)>& append) {
  std::size_t begun = 0;
  const auto next = [&](Piece& piece) {
    piece.begin = begun;
    piece.end = begun = std::min(count, begun + kAtATime);
    return piece.begin != piece.end;
  };
  const auto write = [&](Piece& piece, const std::atomic<bool>&) {
    for (std::size_t i = piece.begin; i != piece.end; ++i) append(i, piece.text);
  };
  InOrder<Piece> pieces(next, write, count > kAtATime ? useful_threads() : 1);
  while (const auto piece = pieces.take()) out(piece->text);
}

void write_records(const std::vector<Record>& records, const TextSink& out,
                   const std::function<void(const Record& record, std::string& to)>& append) {
  write_texts(records.size(), out,
              [&](std::size_t index, std::string& to) { append(records[index], to); });
}

}  // namespace roofline::report
