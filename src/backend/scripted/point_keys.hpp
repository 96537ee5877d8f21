// The `key=value` words of a script's `point` line. The statements about the device are not known
// here.
#pragma once

#include <functional>
#include <string_view>

#include "backend/scripted/script.hpp"
#include "backend/scripted/script_text.hpp"

namespace roofline::scripted {

/// What `word` sets. Throws InputError.
[[nodiscard]] std::function<void(Behaviour&)> parse_setting(const Word& word, const Place& place);

/// The name before `=`; the whole word where there is none.
[[nodiscard]] std::string_view key_of(const Word& word);

/// A fact's key: lower-case letters, digits and `_`. Throws InputError.
void require_fact_key(std::string_view key, const Place& place);

/// `sw_power_cap` ...
[[nodiscard]] ClockEvent parse_clock_event(const Value& value);

/// `AFTER:FRACTION`, and as two words.
[[nodiscard]] Throttle parse_throttle(const Value& after, const Value& fraction);

}  // namespace roofline::scripted
