// find_device(): what a person writes, and which device that is.
#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/cuda_backend.hpp"
#include "roofline/error.hpp"

namespace roofline::cuda {
namespace {

ListedDevice listed(const std::string& id, const std::string& name, const std::string& uuid) {
  return {{id, name, {{"uuid", uuid}}}, {}};
}

Inventory a_mixed_box() {
  return {{listed("cuda:0", "NVIDIA A100-SXM4-80GB", "GPU-4f1c0000-0000-0000-0000-000000000000"),
           listed("cuda:1", "NVIDIA A100-SXM4-80GB", "GPU-4f2d0000-0000-0000-0000-000000000000"),
           listed("cuda:2", "NVIDIA H200 NVL", "GPU-99990000-0000-0000-0000-000000000000"),
           listed("cuda:10", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                  "MIG-4f1c0000-0000-0000-0000-000000000001")},
          {},
          {}};
}

std::string found(std::string_view text) {
  const Inventory inventory = a_mixed_box();
  const ListedDevice* const device = find_device(inventory, text);
  return device == nullptr ? "none" : device->device.id;
}

TEST(FindDevice, ByNumber) {
  EXPECT_EQ(found("cuda:0"), "cuda:0");
  EXPECT_EQ(found("1"), "cuda:1");
  EXPECT_EQ(found("cuda:10"), "cuda:10");
  EXPECT_EQ(found("3"), "none");
  EXPECT_EQ(found("cuda:"), "none");
  EXPECT_EQ(found(""), "none");
}

TEST(FindDevice, ByUuidOrItsBeginning) {
  EXPECT_EQ(found("GPU-4f1c0000-0000-0000-0000-000000000000"), "cuda:0");
  EXPECT_EQ(found("GPU-4f2"), "cuda:1");
  EXPECT_EQ(found("gpu-9999"), "cuda:2");
  EXPECT_EQ(found("MIG-4f1c"), "cuda:10");
  EXPECT_EQ(found("GPU-8"), "none");
}

TEST(FindDevice, ByWordsOfItsName) {
  EXPECT_EQ(found("H200"), "cuda:2");
  EXPECT_EQ(found("nvidia h200 nvl"), "cuda:2");
  EXPECT_EQ(found("a100 sxm4 40gb"), "cuda:10");
  EXPECT_EQ(found("H20"), "none");  // another GPU, and no word of this name
  EXPECT_EQ(found("200"), "none");
}

TEST(FindDevice, SeveralAreNamed) {
  for (const char* const text : {"A100", "GPU-4f", "NVIDIA A100-SXM4-80GB"}) {
    try {
      (void)found(text);
      ADD_FAILURE() << text << " is the name of several";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("cuda:0, cuda:1"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace roofline::cuda
