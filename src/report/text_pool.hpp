// Gives equal texts of a report the same memory. Knows nothing of reports.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_set>

#include "roofline/text.hpp"

namespace roofline::report {

class TextPool {
 public:
  [[nodiscard]] Text operator()(std::string_view text) {
    if (text.empty()) return {};
    const auto known = texts_.find(text);
    if (known != texts_.end()) return *known;
    // Texts that nothing else has are not kept for long; common ones are soon here again.
    if (texts_.size() == kMost) texts_.clear();
    return *texts_.insert(Text(text)).first;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

  static constexpr std::size_t kMost = 4096;
  std::unordered_set<Text, Hash, Same> texts_;
};

}  // namespace roofline::report
