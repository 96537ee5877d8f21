#include "backend/cuda/visible_devices.hpp"

#include <algorithm>
#include <cctype>

namespace roofline::cuda {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_entry(std::string_view text) {
  if (text.starts_with("GPU-") || text.starts_with("MIG-")) return text.size() > 4;
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

VisibleDevices parse_visible_devices(std::string_view text) {
  VisibleDevices out;
  out.text = std::string(text);
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string entry(trimmed(text.substr(0, comma)));
    const bool again =
        std::find(out.entries.begin(), out.entries.end(), entry) != out.entries.end();
    if (!is_entry(entry) || again) {
      out.ended_by = entry.empty() ? "an empty entry" : "'" + entry + "'";
      return out;
    }
    out.entries.push_back(entry);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::string describe(const VisibleDevices& visible) {
  std::string out = "CUDA_VISIBLE_DEVICES is '" + visible.text + "' and ";
  if (visible.entries.empty()) {
    return out + "hides every GPU; unset it, or list the GPUs that may be used";
  }
  const std::size_t count = visible.entries.size();
  out += "shows " + std::to_string(count) + (count == 1 ? " device" : " devices in this order");
  if (!visible.ended_by.empty()) out += "; CUDA stops reading it at " + visible.ended_by;
  return out;
}

}  // namespace roofline::cuda
