#include "module_image.hpp"

#include <cstdint>
#include <cstring>

namespace fakegpu {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;  // fatbinary_section.h
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kElfMagic = 0x464c457f;
constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;

template <class T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/// What was found in an image for one device.
struct Contents {
  bool cubin = false;
  bool ptx = false;
};

/// One entry of a fatbin: kind (u16), ..., bytes of its header (u32 at 4), of its data (u64 at 8),
/// architecture as 10 * major + minor (u32 at 28).
void look_at(const unsigned char* entry, int major, int minor, Contents& contents) {
  const auto kind = read<std::uint16_t>(entry);
  const auto architecture = static_cast<int>(read<std::uint32_t>(entry + 28));
  if (kind == kCubin && architecture / 10 == major && architecture % 10 <= minor) {
    contents.cubin = true;
  }
  if (kind == kPtx && architecture <= 10 * major + minor) contents.ptx = true;
}

Contents contents_of(const unsigned char* fatbin, int major, int minor) {
  const auto header = read<std::uint16_t>(fatbin + 6);
  const auto size = read<std::uint64_t>(fatbin + 8);
  Contents contents;
  for (std::uint64_t at = header; at + 32 <= header + size;) {
    const unsigned char* const entry = fatbin + at;
    look_at(entry, major, minor, contents);
    at += read<std::uint32_t>(entry + 4) + read<std::uint64_t>(entry + 8);
  }
  return contents;
}

}  // namespace

CUresult check_image(const void* image, int major, int minor, int driver) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto* bytes = static_cast<const unsigned char*>(image);
  if (read<std::uint32_t>(bytes) == kWrapperMagic) bytes = read<const unsigned char*>(bytes + 8);
  const auto magic = read<std::uint32_t>(bytes);
  Contents contents;
  if (magic == kFatbinMagic) {
    contents = contents_of(bytes, major, minor);
  } else if (magic == kElfMagic) {
    contents.cubin = true;
  } else if (std::strncmp(reinterpret_cast<const char*>(bytes), "//", 2) == 0 ||
             std::strncmp(reinterpret_cast<const char*>(bytes), ".version", 8) == 0) {
    contents.ptx = true;
  } else {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  // The image is of the toolkit that this driver was compiled with. A release needs a driver of
  // its own major version.
  const bool old_driver = driver / 1000 < CUDA_VERSION / 1000;
  if (old_driver)
    return contents.ptx ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_NO_BINARY_FOR_GPU;
  return contents.cubin || contents.ptx ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace fakegpu
