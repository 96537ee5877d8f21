// What nvcc made of the kernels, without NVIDIA's disassembler: a cubin is an ELF file, its machine
// code has instructions of 16 bytes since Volta, and a few of their bits say enough.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gates {

/// Instructions of one kind, by the width of what they move; `other`: without a width.
enum class Op {
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_local,
  store_local,
  shuffle,
  barrier,
  matrix_product,
  fma
};

struct KernelCode {
  std::string entry;
  unsigned registers = 0;    ///< per thread
  unsigned frame_bytes = 0;  ///< of local memory, per thread
  std::map<Op, unsigned> count;
  std::map<Op, unsigned> count128;  ///< of those, the ones that move 128 bits per thread

  [[nodiscard]] unsigned of(Op op) const;
  [[nodiscard]] unsigned of128(Op op) const;
};

struct Cubin {
  std::filesystem::path path;
  unsigned sm = 0;  ///< 75, 90, ...
  std::vector<KernelCode> kernels;
  [[nodiscard]] const KernelCode* find(const std::string& entry) const;
};

/// Throws std::runtime_error for what is no cubin.
Cubin read_cubin(const std::filesystem::path& path);
/// All *.cubin of a folder, by name.
std::vector<Cubin> read_cubins(const std::filesystem::path& folder);

/// One image of a fatbin; the payload may be compressed.
struct FatbinImage {
  bool ptx = false;
  unsigned sm = 0;
};
/// Throws std::runtime_error for what is no fatbin.
std::vector<FatbinImage> read_fatbin(const std::string& bytes);

/// The text of a file.
std::string bytes_of(const std::filesystem::path& path);

}  // namespace gates
