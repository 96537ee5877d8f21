// Opens the GEMM modules and remembers what came of it. Knows where they lie, not what they
// compute.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/providers/gemm_provider.hpp"
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
  explicit GemmModules(std::filesystem::path directory);

  /// Opens the module at the first call and keeps it: libraries with threads of their own can't be
  /// closed again.
  [[nodiscard]] const GemmModule& get(GemmLibrary library);

 private:
  std::filesystem::path directory_;
  std::optional<GemmModule> modules_[2];
};

/// The facts that a module states, under the names it gives them.
[[nodiscard]] Facts describe_library(const GemmProvider& provider);
[[nodiscard]] Facts describe_plan(const GemmProvider& provider, void* plan);

}  // namespace roofline::cpu
