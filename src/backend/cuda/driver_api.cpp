#include "backend/cuda/driver_api.hpp"

#include <dlfcn.h>

namespace roofline::cuda {
namespace {

template <class... Parameters>
void look_up(DriverFunction<Parameters...>& function, void* library, const char* symbol,
             const char* older) {
  void* found = dlsym(library, symbol);
  if (found == nullptr && older != nullptr) found = dlsym(library, older);
  function.bind(reinterpret_cast<typename DriverFunction<Parameters...>::Pointer>(found));
}

}  // namespace

DriverApi bind_driver(void* library) {
  DriverApi out;
#define ROOFLINE_DRIVER_LOOK_UP(member, name, symbol, older, ...) \
  look_up(out.member, library, symbol, older);
  ROOFLINE_DRIVER_FUNCTIONS(ROOFLINE_DRIVER_LOOK_UP)
#undef ROOFLINE_DRIVER_LOOK_UP
  return out;
}

}  // namespace roofline::cuda
