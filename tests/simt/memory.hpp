// The memory a kernel may touch, as named regions, and what became of it: bytes loaded and stored,
// which of them at least once, and whether two blocks met at one. One launch at a time; addresses
// are compared and never followed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simt {

enum class Access { load, store };

/// Remembering single bytes takes nine bytes for each, and time.
enum class Coverage { off, on };

class Memory {
 public:
  explicit Memory(Coverage coverage = Coverage::off) : coverage_(coverage) {}

  /// Throws std::invalid_argument when the region is empty or overlaps another.
  void add(std::string name, const void* begin, std::size_t bytes, bool writable = true);
  /// Throws std::invalid_argument when no region begins there.
  void remove(const void* begin);

  struct Traffic {
    std::uint64_t loaded_bytes = 0;  ///< of counted accesses; twice loaded counts twice
    std::uint64_t stored_bytes = 0;
    std::uint64_t distinct_loaded_bytes = 0;  ///< of all accesses, with Coverage::on
    std::uint64_t distinct_stored_bytes = 0;
    std::uint64_t uncounted_loaded_bytes = 0;
    std::uint64_t uncounted_stored_bytes = 0;
  };
  /// Of all launches since the region was added. Throws std::invalid_argument for an unknown name.
  [[nodiscard]] Traffic traffic(const std::string& name) const;

  /// For the emulator: a launch begins; bytes touched before are no conflict with what it does.
  void begin_launch() { ++launch_; }
  /// For the emulator: an access of block number `block`. Throws Error; see Cause.
  void touch(const void* address, std::size_t bytes, Access access, bool counted,
             std::uint64_t block);

 private:
  struct Visit {               // of one byte
    std::uint32_t launch = 0;  // the counts below are of this one
    std::uint32_t block = 0;   // that stored, else that loaded; from 1
    bool stored = false;
    bool by_several = false;  // loads only
  };
  struct Region {
    std::string name;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool writable = true;
    std::uint64_t loaded_bytes = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t uncounted_loaded_bytes = 0;
    std::uint64_t uncounted_stored_bytes = 0;
    std::vector<bool> loaded;
    std::vector<bool> stored;
    std::vector<Visit> visits;
  };

  Region* find(std::uintptr_t address);
  [[noreturn]] static void refuse(const Region* region, std::size_t at, std::size_t bytes,
                                  Access access);
  void cover(Region& region, std::size_t at, std::size_t bytes, Access access, std::uint64_t block);

  Coverage coverage_;
  std::uint32_t launch_ = 0;
  std::map<std::uintptr_t, Region> regions_;  // by begin
  std::array<Region*, 4> recent_{};           // most accesses are neighbours of others
  std::size_t oldest_ = 0;                    // of them
};

}  // namespace simt
