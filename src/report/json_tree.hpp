// A parsed JSON text as one flat list of values in the order of the text, which is filled again
// and again without allocating: a report has as many trees as points. Knows nothing of reports.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::report {

/// As one word, for comparing and searching texts eight letters at a time.
inline std::uint64_t eight_bytes(const char* at) {
  std::uint64_t out = 0;
  std::memcpy(&out, at, sizeof out);
  return out;
}

struct JsonValue {
  enum class Kind : std::uint8_t {
    null,
    flag,
    count,   ///< a whole number that fits 64 bits
    number,  ///< any other
    digits,  ///< any other, still as text: most numbers of a report are never asked for
    text,
    list,
    object,  ///< its values are key, value, key, value ...
  };

  struct Keys {
    std::uint32_t hint;  ///< the key to look at first: the one after the last
    std::uint32_t keys;  ///< 1 + index of the keys that it may have; 0: nothing is known
  };

  Kind kind = Kind::null;
  std::uint32_t size = 0;  ///< bytes of `text`; elements of a list, keys of an object
  std::uint32_t end = 0;   ///< index of what follows it and all within it
  union {
    bool flag;
    std::uint64_t count;
    double number;
    const char* text;
    Keys object;
  };

  JsonValue() : count(0) {}
  [[nodiscard]] std::string_view view() const { return {text, size}; }
  [[nodiscard]] bool is_number() const {
    return kind == Kind::count || kind == Kind::number || kind == Kind::digits;
  }
  [[nodiscard]] bool is_container() const { return kind == Kind::list || kind == Kind::object; }
  /// Of any number. Finite.
  [[nodiscard]] double as_number() const;
};

/// Keys that an object may have: one that is not among them it has not.
class KeySet {
 public:
  /// Whether it may have been there already.
  bool add(std::string_view key) {
    const std::size_t bit = bit_of(key);
    std::uint64_t& word = words_[bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    const bool there = (word & mask) != 0;
    word |= mask;
    return there;
  }
  [[nodiscard]] bool may_have(std::string_view key) const {
    const std::size_t bit = bit_of(key);
    return (words_[bit / 64] >> (bit % 64) & 1U) != 0;
  }

 private:
  template <class Word>
  static std::uint64_t word_at(const char* at) {
    Word out = 0;
    std::memcpy(&out, at, sizeof out);
    return out;
  }
  /// One of 512: of the length, and of the first and the last eight bytes or fewer.
  static std::size_t bit_of(std::string_view key) {
    using Eight = std::uint64_t;
    using Four = std::uint32_t;
    const char* const at = key.data();
    const std::size_t size = key.size();
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (size >= sizeof(Eight)) {
      first = word_at<Eight>(at);
      last = word_at<Eight>(at + size - sizeof(Eight));
    } else if (size >= sizeof(Four)) {
      first = word_at<Four>(at);
      last = word_at<Four>(at + size - sizeof(Four));
    } else if (size != 0) {
      first = word_at<std::uint8_t>(at) << 8U | word_at<std::uint8_t>(at + size / 2);
      last = word_at<std::uint8_t>(at + size - 1);
    }
    const std::uint64_t mixed =
        (first * 0x9E3779B97F4A7C15U) ^ std::rotl(last * 0xC2B2AE3D27D4EB4FU, 31) ^ size;
    return (mixed * 0x9E3779B97F4A7C15U) >> 55U;
  }

  std::array<std::uint64_t, 8> words_{};
};

/// Takes over where the quick parser meets the list that it was told to leave alone.
class ListVisitor {
 public:
  /// `at` is behind the opening bracket, and behind the closing one afterwards. False where what
  /// lies between cannot be understood.
  virtual bool visit(std::string_view text, std::size_t& at) = 0;

 protected:
  ~ListVisitor() = default;
};

class JsonTree {
 public:
  /// The deepest nesting that any text may have; a report's is seven.
  static constexpr std::size_t kDeepest = 64;

  /// Reads one value that begins at `at`, with blanks before and behind it, `depth` levels below
  /// the document; `at` is behind it afterwards. Strings refer to `text`, which must outlive the
  /// tree. False, with `at` anywhere, for all that is not JSON and for some that is but seldom
  /// seen: a key that an object has twice, numbers near the ends of their range, surrogates.
  [[nodiscard]] bool parse(std::string_view text, std::size_t& at, std::size_t depth = 0);
  /// The same, but the list of `key` in the outermost object is the visitor's and stays empty.
  [[nodiscard]] bool parse(std::string_view text, std::size_t& at, std::string_view key,
                           ListVisitor& visitor);
  /// Copies a tree that another parser made.
  void assign(const nlohmann::ordered_json& document);

  [[nodiscard]] const JsonValue& operator[](std::uint32_t index) const { return values_[index]; }
  /// Index of the value of a key, 0 where there is none. Quick where keys are asked for in their
  /// order.
  [[nodiscard]] std::uint32_t find(std::uint32_t object, std::string_view key) const;
  /// `/points/3/noise`: how a value is reached from the outermost one.
  [[nodiscard]] std::string pointer_to(std::uint32_t index) const;

 private:
  friend class QuickParser;
  void clear();
  void add(const nlohmann::ordered_json& value);

  mutable std::vector<JsonValue> values_;  ///< mutable for the hints
  std::vector<KeySet> key_sets_;
  std::deque<std::string> decoded_;  ///< strings that are not in the text as they are
};

/// With `~` and `/` as a pointer has them.
[[nodiscard]] std::string escaped_for_pointer(std::string_view key);

}  // namespace roofline::report
