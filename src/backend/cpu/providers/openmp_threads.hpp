// The OpenMP runtime that a library brought along, found at run time: a module compiled with its
// own would have a second pool of threads beside the library's.
#pragma once

#include <cstdint>

#include "backend/cpu/providers/gemm_provider.hpp"

namespace roofline::cpu {

/// Starts the pool of the calling thread and pins its threads; false with the reason when there is
/// no OpenMP runtime or it gives fewer threads.
bool set_openmp_threads(std::uint32_t threads, const std::uint32_t* cpus, TextBuffer error);

/// CPU seconds of the threads that set_openmp_threads() pinned last; returns how many were told.
std::uint32_t openmp_cpu_seconds(double* out, std::uint32_t count);

/// What in the environment changes how OpenMP's threads behave, as facts: a report from such a run
/// measures the setting as well.
void describe_openmp(const FactSink* sink);

/// Copies `text` into `out`, cut to its size.
void put_text(TextBuffer out, const char* text);

}  // namespace roofline::cpu
