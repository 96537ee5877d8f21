// Text that many values share: a reason, a source, a remedy are the same in thousands of records.
// Reads like a std::string; a copy is the same text again and costs nothing. Who shares what with
// whom is not known here.
#pragma once

#include <compare>
#include <concepts>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace roofline {

class Text;
/// What a Text is compared with and put together with: any other text.
template <class T>
concept TextLike = !std::same_as<T, Text> && std::convertible_to<const T&, std::string_view>;

class Text {
 public:
  Text() = default;
  // Implicit, as what it stands in for is.
  Text(std::string text);
  Text(std::string_view text);
  Text(const char* text);

  [[nodiscard]] const std::string& str() const;
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  [[nodiscard]] bool empty() const { return !text_; }
  [[nodiscard]] std::size_t size() const { return str().size(); }
  [[nodiscard]] const char* c_str() const { return str().c_str(); }
  [[nodiscard]] const char* data() const { return str().data(); }
  [[nodiscard]] auto begin() const { return str().begin(); }
  [[nodiscard]] auto end() const { return str().end(); }
  [[nodiscard]] char front() const { return str().front(); }
  [[nodiscard]] char back() const { return str().back(); }
  [[nodiscard]] char operator[](std::size_t at) const { return str()[at]; }
  [[nodiscard]] bool starts_with(std::string_view text) const { return str().starts_with(text); }
  [[nodiscard]] bool ends_with(std::string_view text) const { return str().ends_with(text); }
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from = 0) const {
    return str().find(text, from);
  }
  [[nodiscard]] std::size_t find(char c, std::size_t from = 0) const { return str().find(c, from); }
  [[nodiscard]] std::size_t rfind(std::string_view text,
                                  std::size_t from = std::string::npos) const {
    return str().rfind(text, from);
  }
  [[nodiscard]] std::string substr(std::size_t from, std::size_t size = std::string::npos) const {
    return str().substr(from, size);
  }

  void clear() { text_.reset(); }
  /// Whoever shares the text keeps it as it was.
  Text& operator+=(std::string_view more);

  friend bool operator==(const Text& a, const Text& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }
  friend std::strong_ordering operator<=>(const Text& a, const Text& b) {
    return a.str() <=> b.str();
  }
  template <TextLike Other>
  friend bool operator==(const Text& a, const Other& b) {
    return std::string_view(a) == std::string_view(b);
  }
  friend std::string operator+(const Text& a, const Text& b) { return a.str() + b.str(); }
  template <TextLike Other>
  friend std::string operator+(const Text& a, const Other& b) {
    return std::string(a.str()).append(std::string_view(b));
  }
  template <TextLike Other>
  friend std::string operator+(const Other& a, const Text& b) {
    return std::string(std::string_view(a)).append(b.str());
  }
  friend std::string operator+(const Text& a, char b) { return a.str() + b; }
  friend std::string operator+(char a, const Text& b) { return a + b.str(); }
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Text& text) {
    return out << text.str();
  }

 private:
  std::shared_ptr<const std::string> text_;  ///< null where it is empty
};

}  // namespace roofline
