#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace roofline::cli {
namespace {

bool dumb() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

bool no_colour() {
  const char* const value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

}  // namespace

report::TableStyle stdout_style() {
  report::TableStyle style;
  if (isatty(STDOUT_FILENO) == 0) return style;
  style.colour = !dumb() && !no_colour();
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) style.width = size.ws_col;
  return style;
}

bool stdout_shows_unicode() {
  if (isatty(STDOUT_FILENO) == 0) return true;
  const char* const term = std::getenv("TERM");
  // The kernel's own console has no font for it; so do terminals of old.
  return !dumb() && std::string_view(term) != "linux" && !std::string_view(term).starts_with("vt");
}

bool stderr_redraws() { return isatty(STDERR_FILENO) != 0 && !dumb(); }

}  // namespace roofline::cli
