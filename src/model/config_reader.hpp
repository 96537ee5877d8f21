// From the text of a config.json to an architecture. Knows families and keys; opens no file, and
// guesses nothing: what is not known is refused or warned of by name.
#pragma once

#include <string_view>

#include "model/architecture.hpp"

namespace roofline::model {

/// `file` is how the text is called in complaints. Throws InputError, in one sentence with a way
/// out, for malformed text, for what is no decoder transformer, for unknown families, and for keys
/// that may change a count and are not known.
[[nodiscard]] Architecture read_config(std::string_view text, std::string_view file);

}  // namespace roofline::model
