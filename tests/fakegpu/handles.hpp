// Objects behind opaque handles. A handle is a number that no object ever had before, so that one
// that was destroyed is found out, and a host that follows it crashes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace fakegpu {

template <class Handle, class T>
class Handles {
 public:
  template <class... Arguments>
  Handle add(Arguments&&... arguments) {
    // Small numbers are special streams, and multiples of 16 look like addresses.
    next_ += 16;
    objects_.try_emplace(next_, std::forward<Arguments>(arguments)...);
    return as_handle(next_);
  }
  /// Null for a handle that is not alive.
  [[nodiscard]] T* find(Handle handle) {
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : &found->second;
  }
  bool erase(Handle handle) { return objects_.erase(reinterpret_cast<std::uintptr_t>(handle)) > 0; }
  template <class Predicate>
  void erase_if(Predicate predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(entry.second); });
  }
  template <class Function>
  void for_each(Function function) {
    for (auto& [number, object] : objects_) function(object);
  }

 private:
  static Handle as_handle(std::uintptr_t number) {
    return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr)
  }

  std::uintptr_t next_ = 0x10000;  // below everything that Linux maps
  std::map<std::uintptr_t, T> objects_;
};

}  // namespace fakegpu
