// Text that is handed on piece by piece, so that a long one is never there as a whole.
#pragma once

#include <functional>
#include <string_view>

namespace roofline::report {

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view)>;
/// Gives one.
using TextSource = std::function<void(const TextSink&)>;

}  // namespace roofline::report
