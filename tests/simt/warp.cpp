// What the lanes of a warp do together.
#include <cstring>

#include "simt/block.hpp"

namespace simt {
namespace {

bool is_shuffle(Collective kind) {
  return kind != Collective::syncwarp && kind != Collective::vote;
}

constexpr bool has(unsigned lanes, unsigned lane) { return (lanes >> lane & 1U) != 0; }

std::string list_lanes(unsigned lanes) {
  std::vector<unsigned> listed;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (has(lanes, lane)) listed.push_back(lane);
  }
  std::string text = list_threads(listed);
  return "lane" + text.substr(std::strlen("thread"));
}

[[noreturn]] void refuse(const CudaThread& self, const std::string& text) {
  throw Error(Cause::warp, name_of(self.kind) + " (" + text_of(self.site) + ") " + text);
}

}  // namespace

void Block::check_call(const CudaThread& self, const Warp& warp) const {
  const unsigned lane = self.builtins.lane;
  if (!has(self.mask, lane)) {
    refuse(self, "is called by lane " + std::to_string(lane) + ", which is not in its mask");
  }
  if ((self.mask & warp.gone) != 0) {
    refuse(self, "waits for " + list_lanes(self.mask & warp.gone) + ", which left the kernel");
  }
  if (!is_shuffle(self.kind)) return;
  if (has(warp.present & self.mask, self.source)) return;
  refuse(self,
         "reads lane " + std::to_string(self.source) + ", which " +
             (has(self.mask, self.source) ? "the block does not have" : "is not in its mask"));
}

std::uint64_t Block::meet_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned source,
                               Site site) {
  CudaThread& self = *running_;
  Warp& warp = warp_of(self);
  const unsigned lane = self.builtins.lane;
  self.kind = kind;
  self.mask = mask;
  self.value = value;
  self.source = source;
  self.site = site;
  check_call(self, warp);
  const bool orders_memory = kind == Collective::syncwarp;
  if (orders_memory) happens_before(&warp.lane_tags[lane]);
  warp.waiting |= 1U << lane;
  self.state = State::in_collective;
  const unsigned lanes = mask & warp.present;
  State state = State::in_collective;
  if ((lanes & ~warp.waiting) == 0) {
    meet(self, warp, lanes);
    state = State::ready;
  }
  wait(state, site);
  if (orders_memory) happens_after(self.meeting_tag);
  return self.result;
}

// All lanes that the last one named are waiting.
void Block::meet(const CudaThread& last, Warp& warp, unsigned lanes) {
  std::uint64_t votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!has(lanes, lane)) continue;
    const CudaThread& thread = lane_of(last, lane);
    if (thread.kind != last.kind || thread.mask != last.mask) {
      refuse(last, "while lane " + std::to_string(lane) + " is in " + name_of(thread.kind) + " (" +
                       text_of(thread.site) + ")" +
                       (thread.kind == last.kind ? " with another mask" : ""));
    }
    votes |= std::uint64_t{thread.value != 0} << lane;
  }
  void* const tag = &warp.meeting_tags[warp.meetings++ % Warp::kTags];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!has(lanes, lane)) continue;
    CudaThread& thread = lane_of(last, lane);
    thread.result = is_shuffle(thread.kind) ? lane_of(last, thread.source).value : votes;
    thread.state = State::ready;
    thread.meeting_tag = tag;
    if (thread.kind == Collective::syncwarp) happens_after(&warp.lane_tags[lane]);
  }
  if (last.kind == Collective::syncwarp) happens_before(tag);
  warp.waiting &= ~lanes;
  ++stats_.collectives;
}

void Block::leave(CudaThread& thread) {
  Warp& warp = warp_of(thread);
  warp.gone |= 1U << thread.builtins.lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!has(warp.waiting, lane)) continue;
    const CudaThread& waiting = lane_of(thread, lane);
    if (!has(waiting.mask, thread.builtins.lane)) continue;
    throw Error(Cause::warp, "lane " + std::to_string(thread.builtins.lane) +
                                 " left the kernel while lane " + std::to_string(lane) +
                                 " waits for it in " + name_of(waiting.kind) + " (" +
                                 text_of(waiting.site) + ")");
  }
}

}  // namespace simt
