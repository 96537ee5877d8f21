// How the emulator speaks of threads and places.
#include <map>
#include <string_view>

#include "simt/block.hpp"

namespace simt {

std::string text_of(Site site) {
  const std::string_view file = site.file;
  return std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(site.line);
}

std::string name_of(Collective kind) {
  switch (kind) {
    case Collective::syncwarp:
      return "__syncwarp";
    case Collective::shuffle:
      return "__shfl_sync";
    case Collective::shuffle_up:
      return "__shfl_up_sync";
    case Collective::shuffle_down:
      return "__shfl_down_sync";
    case Collective::shuffle_xor:
      return "__shfl_xor_sync";
    case Collective::vote:
      break;
  }
  return "a vote";
}

std::string list_threads(const std::vector<unsigned>& sorted) {
  std::string text = sorted.size() == 1 ? "thread " : "threads ";
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (i != 0) text += ", ";
    text += std::to_string(sorted[i]);
    if (end - i > 1) text += "-" + std::to_string(sorted[end - 1]);
    i = end;
  }
  return text;
}

std::string Block::who_waits() const {
  std::map<std::string, std::vector<unsigned>> by_place;
  for (const CudaThread& thread : threads_) {
    if (thread.state == State::at_barrier) {
      by_place["__syncthreads (" + text_of(thread.site) + ")"].push_back(thread.index);
    } else if (thread.state == State::in_collective) {
      by_place[name_of(thread.kind) + " (" + text_of(thread.site) + ")"].push_back(thread.index);
    }
  }
  std::string text;
  for (const auto& [place, threads] : by_place) {
    text += (text.empty() ? "" : "; ") + list_threads(threads) + " in " + place;
  }
  return text;
}

}  // namespace simt
