// Gives equal texts of a report the same memory, mostly. Knows nothing of reports.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "roofline/text.hpp"

namespace roofline::report {

class TextPool {
 public:
  [[nodiscard]] Text operator()(std::string_view text) {
    if (text.empty()) return {};
    const std::size_t hash = std::hash<std::string_view>{}(text);
    Slot& slot = slots_[hash % slots_.size()];
    // A text that nothing else has takes the place of another; a common one is soon here again.
    if (slot.hash != hash || slot.text != text) slot = {hash, Text(text)};
    return slot.text;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    Text text = {};
  };

  std::vector<Slot> slots_ = std::vector<Slot>(4096);
};

}  // namespace roofline::report
