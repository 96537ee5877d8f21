// How a fuzz target says that a promise was broken: it stops the program, whatever the build type.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace fuzz {

inline void demand(bool holds, std::string_view promise) {
  if (holds) return;
  std::cerr << "broken promise: " << promise << '\n';
  std::abort();
}

/// An error is one line that names what it is about.
inline void demand_sentence(std::string_view sentence, std::string_view subject) {
  demand(sentence.find(subject) != std::string_view::npos, "an error names its subject");
  demand(sentence.find('\n') == std::string_view::npos, "an error is one line");
}

}  // namespace fuzz
