// Opens the GEMM modules and remembers what came of it. Knows where they lie, not what they
// compute.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/providers/gemm_provider.hpp"
#include "kernels/cpu/isa.hpp"
#include "roofline/fact.hpp"

namespace roofline::cpu {

enum class GemmLibrary { onednn, openblas };

struct GemmModule {
  const GemmProvider* provider = nullptr;
  std::string problem;  ///< why there is no provider, and which package would bring the library
};

class GemmModules {
 public:
  /// Empty: lib/roofline beside the folder of the running program.
  /// `cap`: widest ISA that the libraries shall use. They take it from the environment when they
  /// are loaded, so it has no effect on one that this process has loaded before, and a variable
  /// that the user has set stays as it is.
  explicit GemmModules(std::filesystem::path directory, std::optional<Isa> cap = {});

  /// Opens the module at the first call and keeps it: libraries with threads of their own can't be
  /// closed again.
  [[nodiscard]] const GemmModule& get(GemmLibrary library);

 private:
  std::filesystem::path directory_;
  std::optional<Isa> cap_;
  std::optional<GemmModule> modules_[2];
};

/// Whether a library's name for its code path (`avx512_core_bf16`, `avx2`, `sse`) is one of a wider
/// ISA than the cap.
[[nodiscard]] bool above_cap(std::string_view library_isa, Isa cap);

/// The facts that a module states, under the names it gives them.
[[nodiscard]] Facts describe_library(const GemmProvider& provider);
[[nodiscard]] Facts describe_plan(const GemmProvider& provider, void* plan);

}  // namespace roofline::cpu
