// What every function of the simulated cuBLASLt does first, and how its objects become a problem.
#pragma once

#include <functional>
#include <optional>

#include "cublaslt_driver.hpp"
#include "cublaslt_objects.hpp"

#define FAKEGPU_CUBLASLT extern "C" __attribute__((visibility("default")))

namespace fakegpu::lt {

/// A function that needs no device: the scenario may let it fail.
Status plain(const char* function, const std::function<Status()>& body);
/// One that needs a handle and the current context, locked.
Status with_device(const char* function, Handle handle,
                   const std::function<Status(const LibraryCall&)>& body);

[[nodiscard]] Attributes new_descriptor(ComputeType compute, DataType scale);
[[nodiscard]] Attributes new_layout(DataType type, std::uint64_t rows, std::uint64_t columns,
                                    std::int64_t ld);
[[nodiscard]] Attributes new_preference();

struct ProblemObjects {
  MatmulDesc descriptor;
  MatrixLayout a;
  MatrixLayout b;
  MatrixLayout c;
  MatrixLayout d;
};

/// Nothing when one of them is no living object.
[[nodiscard]] std::optional<Problem> problem_of(const ProblemObjects& from);

}  // namespace fakegpu::lt
