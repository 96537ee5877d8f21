// JSON that is written, not kept: a value is put down part by part and then laid out as text. One
// is filled again and again without allocating. Knows nothing of reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/count.hpp"
#include "roofline/text.hpp"
#include "roofline/units.hpp"

namespace roofline::report {

/// Numbers are shortest round-trip, of which none is NaN or infinite: such a one is null. Text is
/// UTF-8, in which invalid bytes become U+FFFD. The same in every locale.
class JsonOut {
 public:
  /// Forgets what was put down.
  void clear();

  /// The outermost value, or the next one of a list.
  void open_object() { open(Kind::object); }
  void open_list() { open(Kind::list); }
  template <class T>
  void item(const T& value) {
    add(value);
  }
  /// The next one of an object, whose keys are each put down once. A key alone gives it to what
  /// comes next.
  void key(std::string_view text) { key_ = quoted(text); }
  void open_object(std::string_view key) {
    this->key(key);
    open_object();
  }
  void open_list(std::string_view key) {
    this->key(key);
    open_list();
  }
  template <class T>
  void put(std::string_view key, const T& value) {
    this->key(key);
    add(value);
  }
  /// Null for an empty text.
  void put_text(std::string_view key, std::string_view text) {
    this->key(key);
    if (text.empty()) {
      add(nullptr);
    } else {
      add(text);
    }
  }
  /// Of whatever has a name().
  template <class Named>
  void put_name(std::string_view key, const std::optional<Named>& named) {
    this->key(key);
    if (named) {
      add(name(*named));
    } else {
      add(nullptr);
    }
  }
  /// Null with `<key>_reason` beside it where there is none and a reason is known.
  template <class T>
  void put_or_reason(std::string_view key, const std::optional<T>& value, std::string_view reason) {
    put(key, value);
    if (!value && !reason.empty()) put(std::string(key) + "_reason", reason);
  }
  void close();

  /// Indented by 2, short objects and lists on one line: for a value that lies `depth` deep, with
  /// `used` columns of its line taken. The outermost value is never on one line.
  void append_text(std::string& out, std::size_t depth = 0, std::size_t used = 0) const;
  /// On one line, without blanks.
  void append_line(std::string& out) const;
  /// JSON pointers of numbers that were NaN or infinite.
  [[nodiscard]] std::vector<std::string> non_finite() const;

 private:
  enum class Kind : std::uint8_t { scalar, object, list };
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  struct Item {
    Kind kind = Kind::scalar;
    Span key = {};
    Span text = {};           ///< of a scalar
    std::uint32_t end = 0;    ///< index of what follows it and all within it
    std::uint32_t width = 0;  ///< of the value on one line
  };

  void open(Kind kind);
  void add(std::nullptr_t) { add_scalar(copied("null")); }
  void add(bool value) { add_scalar(copied(value ? "true" : "false")); }
  void add(std::uint64_t value);
  void add(double value);
  void add(std::string_view text) { add_scalar(quoted(text)); }
  void add(const char* text) { add(std::string_view(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const Text& text) { add(std::string_view(text)); }
  void add(Count value) { add(value.value()); }
  void add(unsigned value) { add(std::uint64_t{value}); }
  void add(std::int64_t value);
  void add(int value) { add(std::int64_t{value}); }
  template <int F, int B, int S>
  void add(Quantity<F, B, S> value) {
    add(value.si());
  }
  template <class T>
  void add(const std::optional<T>& value) {
    if (value) {
      add(*value);
    } else {
      add(nullptr);
    }
  }

  void add_scalar(Span text);
  Span copied(std::string_view text);
  Span quoted(std::string_view text);
  [[nodiscard]] std::string_view view(Span span) const {
    return std::string_view(scratch_).substr(span.begin, span.size);
  }
  void append_text(std::string& out, std::uint32_t index, std::size_t depth,
                   std::size_t used) const;
  void append_flat(std::string& out, std::uint32_t index, std::string_view comma,
                   std::string_view colon) const;

  std::string scratch_;  ///< keys and scalars as they will be written
  std::vector<Item> items_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> non_finite_;
  Span key_;
};

// A list that is longer than all of it should be there at once, as the last key of the outermost
// object: its text is opened_list(), then each part by append_part(), then end_of_list().

/// `head`: the object with its other keys.
[[nodiscard]] std::string opened_list(const JsonOut& head, std::string_view key);
void append_part(std::string& out, const JsonOut& part, bool first);
[[nodiscard]] std::string_view end_of_list(bool empty);

/// A number as JsonOut writes it.
void append_number(std::string& out, double value);

}  // namespace roofline::report
