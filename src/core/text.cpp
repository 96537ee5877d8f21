#include "roofline/text.hpp"

#include <utility>

namespace roofline {

Text::Text(std::string text) {
  if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
}
Text::Text(std::string_view text) : Text(std::string(text)) {}
Text::Text(const char* text) : Text(std::string(text)) {}

const std::string& Text::str() const {
  static const std::string nothing;
  return text_ ? *text_ : nothing;
}

Text& Text::operator+=(std::string_view more) { return *this = Text(str() + std::string(more)); }

}  // namespace roofline
