#include "cli/warnings.hpp"

#include <algorithm>

namespace roofline::cli {

void warn(Io& io, std::string_view sentence) {
  io.err << "roofline: warning: " << sentence << '\n';
}

void warn_each(Io& io, std::span<const std::string> sentences) {
  for (const std::string& sentence : sentences) warn(io, sentence);
}

void add_once(std::vector<std::string>& out, std::span<const std::string> more) {
  for (const std::string& one : more)
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
}

}  // namespace roofline::cli
