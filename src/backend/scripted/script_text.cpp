#include "backend/scripted/script_text.hpp"

#include <charconv>

#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::scripted {
namespace {

constexpr std::size_t kLongestLine = 1000;

std::string plain(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

/// Length of the well-formed UTF-8 sequence at the start of `text` (Unicode 15, table 3-7); 0 when
/// there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) return false;
    }
    return true;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1, 2) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    return !overlong && !surrogate && continues(1, 3) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool outside = (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
    return !outside && continues(1, 4) ? 4 : 0;
  }
  return 0;
}

/// Names and reasons end up in reports and on terminals.
void require_clean(std::string_view line, const Place& place) {
  if (line.size() > kLongestLine) {
    place.fail("is longer than " + std::to_string(kLongestLine) + " characters; use several lines");
  }
  while (!line.empty()) {
    const std::size_t length = sequence_length(line);
    if (length == 0) place.fail("is not UTF-8; save the file as UTF-8");
    const auto first = static_cast<unsigned char>(line.front());
    if ((first < 0x20 && first != '\t') || first == 0x7F)
      place.fail("has a control character; take it out");
    line.remove_prefix(length);
  }
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The word at the start of `rest`, which it is taken off.
Word take_word(std::string_view& rest, const Place& place) {
  Word out;
  bool open = false;
  std::size_t i = 0;
  for (; i < rest.size() && (open || !is_blank(rest[i])); ++i) {
    char c = rest[i];
    if (c == '"') {
      open = !open;
      out.quoted = true;
      continue;
    }
    if (open && c == '\\') {
      if (i + 1 == rest.size() || (rest[i + 1] != '"' && rest[i + 1] != '\\'))
        place.fail(R"(has a \ in quotes before neither " nor \; write \\ for one)");
      c = rest[++i];
    } else if (!open && c == '=' && out.equals == std::string::npos) {
      out.equals = out.text.size();
    }
    out.text += c;
  }
  if (open) place.fail("has an opening quote without a closing one; add \" at its end");
  rest.remove_prefix(i);
  return out;
}

}  // namespace

std::string Place::text() const { return "script " + origin + " line " + std::to_string(line); }

void Place::fail(const std::string& why) const { throw InputError(text() + ": " + why); }

std::string Value::what() const { return place_->text() + ", " + key_; }

void Value::fail(const std::string& why) const {
  throw InputError(what() + ": '" + text_ + "' " + why);
}

void Value::require(bool holds, const std::string& range) const {
  if (!holds) fail("is out of range; give " + range);
}

Seconds Value::seconds(bool or_zero) const {
  if (or_zero && (text_ == "0s" || text_ == "0")) return {};
  const Seconds out = parse_seconds(text_, what());
  require(in_second(out) >= 1e-12 && in_second(out) <= 1e6,
          "a time between 1e-12s and 1e6s, for example 1.5ms");
  return out;
}

Frequency Value::frequency() const {
  const Frequency out = parse_frequency(text_, what());
  require(in_hertz(out) >= 1e3 && in_hertz(out) <= 1e12,
          "a clock between 1kHz and 1THz, for example 2GHz");
  return out;
}

Performance Value::performance() const {
  const Performance out = parse_performance(text_, what());
  require(in_flop_per_s(out) >= 1 && in_flop_per_s(out) <= 1e24,
          "a rate between 1FLOP/s and 1e24FLOP/s, for example 4TFLOP/s");
  return out;
}

Bandwidth Value::bandwidth() const {
  const Bandwidth out = parse_bandwidth(text_, what());
  require(in_byte_per_s(out) >= 1 && in_byte_per_s(out) <= 1e21,
          "a rate between 1B/s and 1e21B/s, for example 100GB/s");
  return out;
}

double Value::ratio(double low, double high) const {
  const bool percent = text_.ends_with('%');
  const double number =
      parse_number(std::string_view(text_).substr(0, text_.size() - (percent ? 1 : 0)), what());
  const double out = percent ? number / 100 : number;
  require(out >= low && out <= high,
          "a number between " + plain(low) + " and " + plain(high) + ", or per cent such as 90%");
  return out;
}

std::uint64_t Value::whole(std::uint64_t low, std::uint64_t high) const {
  std::uint64_t out = 0;
  const char* const end = text_.data() + text_.size();
  const auto [rest, error] = std::from_chars(text_.data(), end, out);
  if (error != std::errc{} || rest != end || out < low || out > high) {
    fail("is no whole number between " + std::to_string(low) + " and " + std::to_string(high));
  }
  return out;
}

std::uint64_t Value::bytes() const {
  const std::uint64_t out = parse_count(text_, "B", what()).value();
  require(out >= 1 && out <= std::uint64_t{1} << 50,
          "a size between 1B and 1024TiB, for example 16GiB");
  return out;
}

FactValue Value::fact() const {
  if (quoted_) return text_;
  if (text_ == "true" || text_ == "false") return text_ == "true";
  const char* const end = text_.data() + text_.size();
  std::uint64_t whole = 0;
  if (const auto [rest, error] = std::from_chars(text_.data(), end, whole);
      error == std::errc{} && rest == end)
    return whole;
  const bool numeric =
      !text_.empty() && text_.find_first_not_of("0123456789.eE+-") == std::string::npos;
  double number = 0;
  if (const auto [rest, error] = std::from_chars(text_.data(), end, number);
      numeric && error == std::errc{} && rest == end)
    return number;
  return text_;
}

std::pair<Value, Value> Value::split(char separator, std::string_view form) const {
  const std::size_t at = text_.find(separator);
  if (at == std::string::npos) fail("has another form; write for example " + std::string(form));
  return {Value(*place_, key_, text_.substr(0, at), quoted_),
          Value(*place_, key_, text_.substr(at + 1), quoted_)};
}

std::vector<Word> split_words(std::string_view line, const Place& place) {
  require_clean(line, place);
  std::vector<Word> out;
  while (true) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') return out;
    out.push_back(take_word(line, place));
  }
}

}  // namespace roofline::scripted
