// Text of a file in configs/accelerators -> Accelerator. Pure: opens nothing, knows no catalogue.
#pragma once

#include <string_view>

#include "machine/accelerator.hpp"

namespace roofline::machine {

/// `file` is the name that errors give, its stem the id that the text must state. Throws InputError
/// with one sentence that names the file, the key and what is expected there: malformed JSON,
/// missing, repeated and unknown keys, wrong types, numbers that are not above zero, unknown peak
/// keys and sources.
[[nodiscard]] Accelerator parse_accelerator(std::string_view text, std::string_view file);

/// `accelerators/l4.json` -> `l4`.
[[nodiscard]] std::string_view id_of_path(std::string_view path);

}  // namespace roofline::machine
