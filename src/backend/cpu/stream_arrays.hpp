// Which arrays a stream has, and of what.
#pragma once

#include <cstdint>

#include "roofline/dtype.hpp"
#include "roofline/workload.hpp"

namespace roofline::cpu {

struct StreamArrays {
  bool a;  ///< written
  bool b;
  bool c;
  [[nodiscard]] std::uint64_t count() const {
    return std::uint64_t{a} + std::uint64_t{b} + std::uint64_t{c};
  }
};

[[nodiscard]] inline StreamArrays arrays_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
      return {false, true, false};
    case StreamKind::write:
    case StreamKind::update:
      return {true, false, false};
    case StreamKind::copy:
    case StreamKind::scale:
      return {true, true, false};
    case StreamKind::add:
    case StreamKind::triad:
      break;
  }
  return {true, true, true};
}

[[nodiscard]] inline bool moves_bits_only(StreamKind kind) {
  return kind == StreamKind::read || kind == StreamKind::write || kind == StreamKind::copy;
}

[[nodiscard]] inline std::uint64_t element_bytes(DType dtype) { return storage_bits(dtype) / 8; }

/// Stores that go past the caches: only to DRAM, and not onto lines that are read anyway.
[[nodiscard]] inline bool wants_non_temporal(const Stream& stream) {
  return stream.level == Boundary::dram && !stream.write_allocate &&
         stream.kind != StreamKind::update && arrays_of(stream.kind).a;
}

}  // namespace roofline::cpu
