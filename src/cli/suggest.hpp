// Words as people type them: in any case, and misspelt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace roofline::cli {

/// Nothing when no candidate is near: more than a third of the word would have to change.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

/// ASCII letters in lower case, whatever the locale.
[[nodiscard]] std::string lower(std::string text);

}  // namespace roofline::cli
