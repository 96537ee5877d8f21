// Descriptors, layouts and preferences of the simulated cuBLASLt: bags of attributes, each of a
// fixed size, behind handles that are never used twice. What they mean is not known here.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "cublaslt_problem.hpp"
#include "handles.hpp"

namespace fakegpu::lt {

struct AttributeRow {
  int number;
  std::size_t bytes;
  std::uint64_t initial;  ///< its bytes, the lowest first
};

class Attributes {
 public:
  template <std::size_t N>
  explicit Attributes(const AttributeRow (&rows)[N]) {
    for (const AttributeRow& row : rows) values_[row.number] = {row.bytes, row.initial};
  }

  /// kInvalidValue for an attribute that there is none of, or a size that is not its own.
  Status set(int number, const void* value, std::size_t bytes);
  /// The same. With 0 bytes only `written` is told.
  Status get(int number, void* out, std::size_t bytes, std::size_t* written) const;

  template <class Attribute>
  [[nodiscard]] std::uint64_t bits(Attribute which) const {
    return values_.at(static_cast<int>(which)).bits;
  }
  template <class Attribute>
  void put(Attribute which, std::uint64_t bits) {
    values_.at(static_cast<int>(which)).bits = bits;
  }

 private:
  struct Value {
    std::size_t bytes;
    std::uint64_t bits;
  };
  std::map<int, Value> values_;
};

struct HandleState {
  CUcontext context = nullptr;  ///< that was current when it was made
};

/// All that the process has made. Hold `mutex`.
struct Objects {
  std::mutex mutex;
  Handles<Handle, HandleState> handles;
  Handles<MatmulDesc, Attributes> descriptors;
  Handles<MatrixLayout, Attributes> layouts;
  Handles<Preference, Attributes> preferences;
};

[[nodiscard]] Objects& objects();

}  // namespace fakegpu::lt
