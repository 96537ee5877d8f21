#include "cublaslt_objects.hpp"

#include <cstring>

namespace fakegpu::lt {

Status Attributes::set(int number, const void* value, std::size_t bytes) {
  const auto found = values_.find(number);
  if (found == values_.end() || value == nullptr || bytes != found->second.bytes) {
    return kInvalidValue;
  }
  found->second.bits = 0;
  std::memcpy(&found->second.bits, value, bytes);
  return kSuccess;
}

Status Attributes::get(int number, void* out, std::size_t bytes, std::size_t* written) const {
  const auto found = values_.find(number);
  if (found == values_.end()) return kInvalidValue;
  if (bytes == 0) {
    if (written == nullptr) return kInvalidValue;
    *written = found->second.bytes;
    return kSuccess;
  }
  if (out == nullptr || bytes != found->second.bytes) return kInvalidValue;
  std::memcpy(out, &found->second.bits, bytes);
  if (written != nullptr) *written = bytes;
  return kSuccess;
}

Objects& objects() {
  static Objects all;
  return all;
}

}  // namespace fakegpu::lt
