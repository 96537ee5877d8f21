// Kernels with and without a race, for ThreadSanitizer: `simt_races NAME` runs one of them. It ends
// with status 66 when ThreadSanitizer has seen something.
#include <cstdio>
#include <cstring>
#include <vector>

#include "simt/launch.hpp"
#include "simt/simt.hpp"

namespace {

using simt::launch;

void exchange_through_shared_memory(bool barrier) {
  std::vector<unsigned> out(128);
  launch({.grid = {2}, .block = {64}}, [&] {
    SIMT_SHARED_ARRAY(unsigned, exchange, 64);
    exchange[threadIdx.x] = threadIdx.x;
    if (barrier) __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = exchange[63 - threadIdx.x];
  });
}

// The second barrier of each round keeps the next round's writes from this one's reads.
void rounds_through_shared_memory(bool second_barrier) {
  std::vector<unsigned> out(64);
  launch({.block = {64}}, [&] {
    __shared__ unsigned value;
    for (unsigned round = 0; round < 4; ++round) {
      if (threadIdx.x == 0) value = round;
      __syncthreads();
      out[threadIdx.x] += value;
      if (second_barrier) __syncthreads();
    }
  });
}

void exchange_within_a_warp(bool barrier, bool shuffle) {
  std::vector<unsigned> out(32);
  launch({.block = {32}}, [&] {
    SIMT_SHARED_ARRAY(unsigned, exchange, 32);
    exchange[threadIdx.x] = threadIdx.x;
    if (barrier) __syncwarp();
    if (shuffle) __shfl_xor_sync(~0U, 1, 1);  // orders no memory
    out[threadIdx.x] = exchange[31 - threadIdx.x];
  });
}

// Halves of a warp meet apart, several times, before the whole of it does.
void groups_of_a_warp() {
  std::vector<unsigned> out(32);
  launch({.block = {32}}, [&] {
    SIMT_SHARED_ARRAY(unsigned, exchange, 32);
    const unsigned mask = threadIdx.x < 16 ? 0xFFFFU : 0xFFFF0000U;
    for (unsigned round = 0; round < (threadIdx.x < 16 ? 3U : 6U); ++round) {
      exchange[threadIdx.x] = round;
      __syncwarp(mask);
      out[threadIdx.x] += exchange[threadIdx.x ^ 1U];
      __syncwarp(mask);
    }
    __syncwarp();
    out[threadIdx.x] += exchange[31 - threadIdx.x];
  });
}

void store_to_global_memory(bool own_element) {
  std::vector<unsigned> out(64);
  launch({.block = {64}}, [&] {
    const unsigned at = own_element ? threadIdx.x : threadIdx.x / 2;
    simt::store(&out[at], threadIdx.x);
  });
}

// Shared memory of one block is another's later on, and a fiber's stack likewise.
void blocks_one_after_the_other() {
  std::vector<unsigned> out(768);
  launch({.grid = {8}, .block = {96}, .shared = 96 * sizeof(unsigned)}, [&] {
    auto* const dynamic = static_cast<unsigned*>(simt::dynamic_shared());
    unsigned own[16];
    for (unsigned i = 0; i < 16; ++i) own[i * threadIdx.x % 16] = i;
    dynamic[threadIdx.x] = own[threadIdx.x % 16];
    __syncthreads();
    out[blockIdx.x * 96 + threadIdx.x] = dynamic[95 - threadIdx.x];
  });
}

struct Named {
  const char* name;
  void (*run)();
};

constexpr Named kKernels[] = {
    {"no-barrier", [] { exchange_through_shared_memory(false); }},
    {"barrier", [] { exchange_through_shared_memory(true); }},
    {"one-barrier-per-round", [] { rounds_through_shared_memory(false); }},
    {"two-barriers-per-round", [] { rounds_through_shared_memory(true); }},
    {"no-syncwarp", [] { exchange_within_a_warp(false, false); }},
    {"shuffle-for-syncwarp", [] { exchange_within_a_warp(false, true); }},
    {"syncwarp", [] { exchange_within_a_warp(true, false); }},
    {"groups-of-a-warp", [] { groups_of_a_warp(); }},
    {"shared-element", [] { store_to_global_memory(false); }},
    {"own-element", [] { store_to_global_memory(true); }},
    {"blocks", [] { blocks_one_after_the_other(); }},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Named& kernel : kKernels) {
    if (argc != 2 || std::strcmp(argv[1], kernel.name) != 0) continue;
    kernel.run();
    return 0;
  }
  std::fputs("simt_races: there is no such kernel\n", stderr);
  return 2;
}
