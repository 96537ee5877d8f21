// One pair of functions for each kind of workload: what the CPU can run of it, and the prepared
// run. `support_*` returns the workload with its open sizes filled in, as Backend::supports()
// promises.
#pragma once

#include <memory>
#include <variant>

#include "backend/backend.hpp"
#include "backend/cpu/context.hpp"

namespace roofline::cpu {

struct PeakKernel;

using Support = std::variant<Workload, backend::Unsupported>;

[[nodiscard]] Support support_stream(const Stream& stream, const Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_stream(const Stream& stream,
                                                                   Context& context);

[[nodiscard]] Support support_peak(const PeakProbe& probe, const Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_peak(const PeakProbe& probe,
                                                                 Context& context);

/// With a kernel of the caller's choice, which must outlive the run.
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_peak_with(const PeakKernel& kernel,
                                                                      Context& context);

/// Opens the library's module at the first call.
[[nodiscard]] Support support_gemm(const Gemm& gemm, Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_gemm(const Gemm& gemm,
                                                                 Context& context);

/// With one copy of the weights, which stays in the caches.
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_gemm_in_cache(const Gemm& gemm,
                                                                          Context& context);

[[nodiscard]] Support support_projection(const Projection& projection, Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_projection(const Projection& projection,
                                                                       Context& context);

[[nodiscard]] Support support_elementwise(const Elementwise& elementwise, const Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_elementwise(
    const Elementwise& elementwise, Context& context);

[[nodiscard]] Support support_launch(const Launch& launch, Context& context);
[[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare_launch(const Launch& launch,
                                                                   Context& context);

}  // namespace roofline::cpu
