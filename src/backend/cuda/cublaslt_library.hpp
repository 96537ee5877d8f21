// cuBLASLt as this process found it: searched for and opened when a product is first asked about,
// because it takes 40 ms and most runs multiply nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "backend/cuda/cublaslt_api.hpp"
#include "backend/cuda/library_search.hpp"

namespace roofline::cuda {

struct CublasLtLibrary {
  LtApi api;
  std::string path;         ///< of the file that was loaded
  std::size_t version = 0;  ///< 130100
  std::string problem;      ///< why nothing can be multiplied; empty when it can
};

/// Folders that the file system has, in the order in which they are searched.
struct CublasLtFolders {
  std::vector<std::string> toolkits;  ///< lib folders of `/usr/local/cuda*`, newest first
  std::vector<std::string> wheels;    ///< of NVIDIA's packages for Python
};
[[nodiscard]] CublasLtFolders cublaslt_folders(const Environment& environment);

/// `cuda_major`: of the driver. A library of that major comes first; 0: unknown.
[[nodiscard]] std::vector<Candidate> cublaslt_candidates(const std::string& option,
                                                         const Environment& environment,
                                                         const CublasLtFolders& folders,
                                                         int cuda_major);

/// `13.1.0` of 130100.
[[nodiscard]] std::string cublaslt_version_text(std::size_t version);
/// Why this program can't call a library of this version; empty when it can.
[[nodiscard]] std::string version_problem(std::size_t version);

/// `option`: the path given by --libcublaslt, or empty. Never throws for what isn't there.
[[nodiscard]] CublasLtLibrary load_cublaslt(const std::string& option, int cuda_major);

class LazyCublasLt {
 public:
  explicit LazyCublasLt(std::function<CublasLtLibrary()> load) : load_(std::move(load)) {}

  [[nodiscard]] const CublasLtLibrary& get() {
    if (!library_) library_ = load_();
    return *library_;
  }

 private:
  std::function<CublasLtLibrary()> load_;
  std::optional<CublasLtLibrary> library_;
};

}  // namespace roofline::cuda
