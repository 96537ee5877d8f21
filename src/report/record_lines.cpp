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

void write_records(const std::vector<Record>& records, const TextSink& out,
                   const std::function<void(const Record& record, std::string& to)>& append) {
  std::size_t begun = 0;
  const auto next = [&](Piece& piece) {
    piece.begin = begun;
    piece.end = begun = std::min(records.size(), begun + kAtATime);
    return piece.begin != piece.end;
  };
  const auto write = [&](Piece& piece, const std::atomic<bool>&) {
    for (std::size_t i = piece.begin; i != piece.end; ++i) append(records[i], piece.text);
  };
  InOrder<Piece> pieces(next, write, records.size() > kAtATime ? useful_threads() : 1);
  while (const auto piece = pieces.take()) out(piece->text);
}

}  // namespace roofline::report
