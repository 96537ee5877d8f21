// A chain of dependent additions, one per clock cycle: what the core clock is derived from where no
// counter can be read.
#pragma once

#include <cstdint>

namespace roofline::cpu {

/// Additions in one link of add_chain().
inline constexpr std::uint64_t kChainAdditions = 64;

/// Runs `links` x kChainAdditions dependent register-to-register additions. An addition of a
/// constant would not do: some CPUs fold it away at rename. Returns 0 where this architecture has
/// no chain.
std::uint64_t add_chain(std::uint64_t links);

}  // namespace roofline::cpu
