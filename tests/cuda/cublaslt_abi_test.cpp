// What this program declares of cuBLASLt by hand is what its header says, where there is one; and
// its numbers have the names that the header gives them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "backend/cuda/cublaslt_ids.hpp"

namespace roofline::cuda {
namespace {

/// Names behind `prefix` in the header's enumerations, with their numbers.
std::vector<std::pair<std::string, std::uint32_t>> enumerators(const std::string& prefix) {
  std::ifstream file(ROOFLINE_CUDA_INCLUDE "/cublasLt.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::pair<std::string, std::uint32_t>> out;
  const std::regex line("\\b" + prefix + "_([0-9]\\w*) = ([0-9]+)");
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
    out.emplace_back((*at)[1], static_cast<std::uint32_t>(std::stoul((*at)[2])));
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

class CublasLtHeader : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(ROOFLINE_CUDA_INCLUDE "/cublasLt.h"))
      GTEST_SKIP() << "this toolkit has no cublasLt.h";
  }
};

TEST_F(CublasLtHeader, TilesAreItsTiles) {
  const auto tiles = enumerators("CUBLASLT_MATMUL_TILE");
  ASSERT_GT(tiles.size(), 40U);
  for (const auto& [name, id] : tiles) {
    // One of an older toolkit has fewer.
    EXPECT_EQ(lt_tile_text(id), name) << id;
  }
}

TEST_F(CublasLtHeader, StagesAreItsStages) {
  const auto stages = enumerators("CUBLASLT_MATMUL_STAGES");
  ASSERT_GT(stages.size(), 20U);
  for (const auto& [name, id] : stages) EXPECT_EQ(lt_stages_text(id), lower(name)) << id;
}

TEST_F(CublasLtHeader, ClustersAreItsClusters) {
  const auto clusters = enumerators("CUBLASLT_CLUSTER_SHAPE");
  ASSERT_GT(clusters.size(), 10U);
  for (const auto& [name, id] : clusters) EXPECT_EQ(lt_cluster_text(id), name) << id;
}

TEST(CublasLtIds, AreText) {
  EXPECT_EQ(lt_tile(20), (LtTile{128, 128}));
  EXPECT_EQ(lt_tile_text(23), "128x256");
  EXPECT_EQ(lt_tile(0), std::nullopt);
  EXPECT_EQ(lt_tile_text(0), "undefined");
  EXPECT_EQ(lt_tile_text(100'000), "id 100000");
  EXPECT_EQ(lt_stages_text(15), "64x3");
  EXPECT_EQ(lt_stages_text(36), "128xauto");
  EXPECT_EQ(lt_stages_text(30), "id 30");  // the header leaves it out
  EXPECT_EQ(lt_cluster_text(1), "id 1");
  EXPECT_EQ(lt_cluster_text(3), "2x1x1");
  EXPECT_EQ(lt_reduction_text(0), "none");
  EXPECT_EQ(lt_reduction_text(2), "compute_type");
  EXPECT_EQ(lt_reduction_text(3), "id 3");
}

}  // namespace
}  // namespace roofline::cuda
