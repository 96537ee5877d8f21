#include <gtest/gtest.h>

#include "backend/cuda/cuda_backend.hpp"

namespace roofline::cuda {
namespace {

TEST(CudaAbsent, SaysWhyAndListsNothing) {
  const Inventory inventory = take_inventory({});
  EXPECT_TRUE(inventory.devices.empty());
  EXPECT_NE(inventory.none_because.find("built without a CUDA toolkit"), std::string::npos);
  EXPECT_TRUE(make_cuda_backend({})->devices().empty());
}

TEST(CudaAbsent, MeasuresNothing) {
  const auto backend = make_cuda_backend({});
  const auto answer = backend->supports(Stream{.elements = 1}, {});
  EXPECT_TRUE(std::holds_alternative<backend::Unsupported>(answer));
  EXPECT_THROW((void)backend->prepare(Stream{.elements = 1}, {}), backend::BackendError);
}

}  // namespace
}  // namespace roofline::cuda
