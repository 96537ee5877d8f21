// What a user is warned of: on stderr, one sentence a line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace roofline::cli {

void warn(Io& io, std::string_view sentence);
void warn_each(Io& io, std::span<const std::string> sentences);

/// Appends what `out` does not hold yet.
void add_once(std::vector<std::string>& out, std::span<const std::string> more);

}  // namespace roofline::cli
