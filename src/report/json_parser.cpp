// The quick parser of json_tree.hpp. It takes a text only where nlohmann/json, which decides in all
// other cases, would make the same of it.
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "report/json_tree.hpp"

namespace roofline::report {
namespace {

using Kind = JsonValue::Kind;

constexpr std::uint64_t kEach = 0x0101010101010101U;
constexpr std::uint64_t kHigh = 0x8080808080808080U;

/// The high bit of every byte that is zero, and perhaps of bytes above the first such one.
constexpr std::uint64_t zero_bytes(std::uint64_t word) { return (word - kEach) & ~word & kHigh; }

/// Bytes that a string cannot have as they are or that need a look: quotes, backslashes, controls,
/// and all beyond ASCII.
constexpr std::uint64_t special_bytes(std::uint64_t word) {
  const std::uint64_t control = (word - kEach * 0x20) & kHigh;  // and bytes of 0xA0 and more
  return control | zero_bytes(word ^ (kEach * '"')) | zero_bytes(word ^ (kEach * '\\')) |
         (word & kHigh);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool within(unsigned char byte, unsigned low, unsigned high) { return byte >= low && byte <= high; }

/// Length of the well-formed sequence beyond ASCII that `at` begins, 0 for none (Unicode 15, table
/// 3-7).
std::size_t sequence_length(const char* at, const char* end) {
  const auto byte = [&](std::size_t i) {
    return i < static_cast<std::size_t>(end - at) ? static_cast<unsigned char>(at[i])
                                                  : static_cast<unsigned char>(0);
  };
  const unsigned char first = byte(0);
  if (within(first, 0xC2, 0xDF)) return within(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (within(first, 0xE0, 0xEF)) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (!within(first, 0xF0, 0xF4)) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) && within(byte(3), 0x80, 0xBF)
             ? 4
             : 0;
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Fewer keys are as soon looked at as their set.
constexpr std::uint32_t kWorthKeySet = 8;

}  // namespace

class QuickParser {
 public:
  QuickParser(JsonTree& tree, std::string_view text, std::size_t at)
      : tree_(tree), text_(text), at_(text.data() + at), end_(text.data() + text.size()) {}

  void visit_list_of(std::string_view key, ListVisitor& visitor) {
    key_ = key;
    visitor_ = &visitor;
  }
  bool document(std::size_t depth) {
    outermost_ = depth;
    skip_blanks();
    const bool out = value(depth);
    skip_blanks();
    return out && tree_.values_.size() < std::numeric_limits<std::uint32_t>::max();
  }
  [[nodiscard]] std::size_t position() const {
    return static_cast<std::size_t>(at_ - text_.data());
  }

 private:
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] bool next_is(char c) const { return at_ != end_ && *at_ == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    constexpr std::uint64_t kSpaces = kEach * ' ';
    while (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ') {
      if (*at_ != ' ' && *at_ != '\n' && *at_ != '\r' && *at_ != '\t') return;
      ++at_;
      while (left() >= 8 && eight_bytes(at_) == kSpaces) at_ += 8;
    }
  }

  std::uint32_t put(Kind kind) {
    const auto index = static_cast<std::uint32_t>(tree_.values_.size());
    JsonValue& out = tree_.values_.emplace_back();
    out.kind = kind;
    out.end = index + 1;
    return index;
  }

  bool value(std::size_t depth) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '"':
        return string();
      case '{':
        return depth < JsonTree::kDeepest && object(depth);
      case '[':
        return depth < JsonTree::kDeepest && list(depth);
      case 't':
        return flag("true", true);
      case 'f':
        return flag("false", false);
      case 'n':
        put(Kind::null);
        return word("null");
      default:
        return number();
    }
  }

  bool word(std::string_view expected) {
    if (left() < expected.size() || std::memcmp(at_, expected.data(), expected.size()) != 0)
      return false;
    at_ += expected.size();
    return true;
  }

  bool flag(std::string_view expected, bool meaning) {
    tree_.values_[put(Kind::flag)].flag = meaning;
    return word(expected);
  }

  void skip_digits() {
    while (at_ != end_ && is_digit(*at_)) ++at_;
  }

  bool number() {
    const char* const begin = at_;
    const bool negative = take('-');
    const char* const digits = at_;
    std::uint64_t magnitude = 0;
    while (at_ != end_ && is_digit(*at_))
      magnitude = magnitude * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    const auto whole = static_cast<std::size_t>(at_ - digits);
    // No double has as many digits before its point.
    if (whole == 0 || whole > 200 || (whole > 1 && *digits == '0')) return false;
    if (!next_is('.') && !next_is('e') && !next_is('E'))
      return integer(begin, negative, magnitude, whole);
    if (take('.')) {
      const char* const fraction = at_;
      skip_digits();
      if (at_ == fraction || at_ - fraction > 200) return false;
    }
    if (take('e') || take('E')) {
      if (!take('+')) (void)take('-');
      const char* const exponent = at_;
      skip_digits();
      // With three digits it may be beyond the range, either way.
      if (at_ == exponent || at_ - exponent > 2) return false;
    }
    return put_digits(begin);
  }

  bool integer(const char* begin, bool negative, std::uint64_t magnitude, std::size_t whole) {
    if (whole <= 18) {
      JsonValue& out = tree_.values_[put(negative ? Kind::number : Kind::count)];
      if (negative) {
        out.number = -static_cast<double>(static_cast<std::int64_t>(magnitude));
        if (magnitude == 0) out.number = 0;  // as a whole number it has no sign
      } else {
        out.count = magnitude;
      }
      return true;
    }
    std::uint64_t exact = 0;
    if (!negative && std::from_chars(begin, at_, exact).ec == std::errc{}) {
      tree_.values_[put(Kind::count)].count = exact;
      return true;
    }
    return put_digits(begin);
  }

  bool put_digits(const char* begin) {
    JsonValue& out = tree_.values_[put(Kind::digits)];
    out.text = begin;
    out.size = static_cast<std::uint32_t>(at_ - begin);
    return true;
  }

  bool string() {
    const char* const begin = ++at_;
    while (true) {
      while (left() >= 8) {
        const std::uint64_t found = special_bytes(eight_bytes(at_));
        if (found == 0) {
          at_ += 8;
          continue;
        }
        if constexpr (std::endian::native == std::endian::little)
          at_ += std::countr_zero(found) / 8;
        break;
      }
      if (at_ == end_) return false;
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte == '"') break;
      if (byte == '\\') return decoded(begin);
      if (byte < 0x20) return false;
      const std::size_t length = byte < 0x80 ? 1 : sequence_length(at_, end_);
      if (length == 0) return false;
      at_ += length;
    }
    put_text({begin, static_cast<std::size_t>(at_ - begin)});
    ++at_;
    return true;
  }

  void put_text(std::string_view text) {
    JsonValue& out = tree_.values_[put(Kind::text)];
    out.text = text.data();
    out.size = static_cast<std::uint32_t>(text.size());
  }

  /// The rest of a string whose first backslash is at at_.
  bool decoded(const char* begin) {
    std::string& out = tree_.decoded_.emplace_back(begin, at_);
    while (at_ != end_ && *at_ != '"') {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte == '\\') {
        ++at_;
        if (!escape(out)) return false;
        continue;
      }
      if (byte < 0x20) return false;
      const std::size_t length = byte < 0x80 ? 1 : sequence_length(at_, end_);
      if (length == 0) return false;
      out.append(at_, length);
      at_ += length;
    }
    put_text(out);
    return take('"');
  }

  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ == end_) return false;
    const char name = *at_++;
    if (const std::size_t which = kNames.find(name); which != std::string_view::npos) {
      out += kMeanings[which];
      return true;
    }
    unsigned code = 0;
    if (name != 'u' || left() < 4) return false;
    const auto [stop, error] = std::from_chars(at_, at_ + 4, code, 16);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (error != std::errc{} || stop != at_ + 4 || surrogate) return false;
    at_ = stop;
    append_utf8(out, code);
    return true;
  }

  bool list(std::size_t depth) {
    const std::uint32_t index = put(Kind::list);
    ++at_;
    skip_blanks();
    std::uint32_t size = 0;
    if (!take(']')) {
      while (true) {
        if (!value(depth + 1)) return false;
        ++size;
        skip_blanks();
        if (take(']')) break;
        if (!take(',')) return false;
        skip_blanks();
      }
    }
    close(index, size);
    return true;
  }

  void close(std::uint32_t index, std::uint32_t size) {
    JsonValue& out = tree_.values_[index];
    out.size = size;
    out.end = static_cast<std::uint32_t>(tree_.values_.size());
    out.object = {index + 1, 0};
  }

  bool object(std::size_t depth) {
    const std::uint32_t index = put(Kind::object);
    KeySet seen;
    ++at_;
    skip_blanks();
    std::uint32_t size = 0;
    if (!take('}')) {
      while (true) {
        if (!key(index, seen) || !value_of_last_key(depth)) return false;
        ++size;
        skip_blanks();
        if (take('}')) break;
        if (!take(',')) return false;
        skip_blanks();
      }
    }
    close(index, size);
    if (size < kWorthKeySet) return true;
    tree_.key_sets_.push_back(seen);
    tree_.values_[index].object.keys = static_cast<std::uint32_t>(tree_.key_sets_.size());
    return true;
  }

  /// With the colon behind it.
  bool key(std::uint32_t object, KeySet& seen) {
    if (!next_is('"')) return false;
    const auto index = static_cast<std::uint32_t>(tree_.values_.size());
    if (!string()) return false;
    const std::string_view text = tree_.values_[index].view();
    if (seen.add(text)) {
      for (std::uint32_t at = object + 1; at != index; at = tree_.values_[at + 1].end) {
        if (tree_.values_[at].view() == text) return false;
      }
    }
    skip_blanks();
    if (!take(':')) return false;
    skip_blanks();
    return true;
  }

  bool value_of_last_key(std::size_t depth) {
    const bool visited = visitor_ != nullptr && depth == outermost_ && next_is('[') &&
                         tree_.values_.back().view() == key_;
    if (!visited) return value(depth + 1);
    close(put(Kind::list), 0);
    std::size_t at = position() + 1;
    if (!visitor_->visit(text_, at)) return false;
    at_ = text_.data() + at;
    return true;
  }

  JsonTree& tree_;
  std::string_view text_;
  const char* at_;
  const char* end_;
  std::size_t outermost_ = 0;
  std::string_view key_;
  ListVisitor* visitor_ = nullptr;
};

bool JsonTree::parse(std::string_view text, std::size_t& at, std::size_t depth) {
  clear();
  QuickParser parser(*this, text, at);
  const bool out = parser.document(depth);
  at = parser.position();
  return out;
}

bool JsonTree::parse(std::string_view text, std::size_t& at, std::string_view key,
                     ListVisitor& visitor) {
  clear();
  QuickParser parser(*this, text, at);
  parser.visit_list_of(key, visitor);
  const bool out = parser.document(0);
  at = parser.position();
  return out;
}

}  // namespace roofline::report
