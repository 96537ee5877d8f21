// What the simulated cuBLASLt refuses, and what it tells about its algorithms.
#include <set>

#include "cublaslt_fixture.hpp"

namespace fakegpu {
namespace {

using lt::ComputeType;
using lt::DataType;
using lt::LayoutAttribute;

Product fp16(DataType result = DataType::r_16f) {
  return product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_16f, result);
}
Product tf32() {
  return product_of(ComputeType::c_32f_fast_tf32, DataType::r_32f, DataType::r_32f,
                    DataType::r_32f);
}
Product fp64() {
  return product_of(ComputeType::c_64f, DataType::r_64f, DataType::r_64f, DataType::r_64f);
}

class Api : public CublasLt {
 protected:
  [[nodiscard]] lt::Status status_of(const Product& product) {
    return suggest_status(prepare(product));
  }
};

TEST_F(Api, HasAVersion) {
  EXPECT_EQ(lt_api.version() / 10000, 13U);
  const CublasLtApi old(open_library("old/libcublasLt.so.12"));
  EXPECT_EQ(old.version() / 10000, 12U);
  EXPECT_EQ(old.cudart_version() / 1000, 12U);
}

TEST_F(Api, NeedsADeviceForItsHandle) {
  use("device a100-80gb");
  EXPECT_EQ(lt_api.create(&handle), lt::kNotInitialized) << "before cuInit";
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(lt_api.create(&handle), lt::kNotInitialized) << "without a context";
  start();
  EXPECT_EQ(lt_api.create(nullptr), lt::kInvalidValue);
  EXPECT_EQ(lt_api.create(&handle), lt::kSuccess);
  EXPECT_EQ(lt_api.destroy(handle), lt::kSuccess);
  EXPECT_EQ(lt_api.destroy(handle), lt::kNotInitialized);
  EXPECT_EQ(multiply(prepare(bf16_product())), lt::kNotInitialized);
}

TEST_F(Api, HasHandlesOfOneDevice) {
  begin("device a100-80gb x2");
  start(1);
  EXPECT_EQ(suggest_status(prepare(bf16_product())), lt::kNotInitialized);
}

TEST_F(Api, HasTheTypesOfTheDevice) {
  begin("device t4");
  EXPECT_EQ(status_of(fp16()), lt::kSuccess);
  EXPECT_EQ(status_of(fp32_product()), lt::kSuccess);
  EXPECT_EQ(status_of(fp64()), lt::kSuccess);
  EXPECT_EQ(status_of(int8_product()), lt::kSuccess);
  EXPECT_EQ(status_of(bf16_product()), lt::kNotSupported);
  EXPECT_EQ(status_of(tf32()), lt::kNotSupported);
  EXPECT_EQ(status_of(fp8_product()), lt::kNotSupported);
  begin("device a100-80gb");
  EXPECT_EQ(status_of(bf16_product()), lt::kSuccess);
  EXPECT_EQ(status_of(tf32()), lt::kSuccess);
  EXPECT_EQ(status_of(fp8_product()), lt::kNotSupported);
  EXPECT_EQ(multiply(prepare(fp8_product())), lt::kNotSupported);
  begin("device h100");
  EXPECT_EQ(status_of(fp8_product()), lt::kSuccess);
  begin("device h100 cc=8.9");
  EXPECT_EQ(status_of(fp8_product()), lt::kSuccess);
  begin("device h100 cc=8.6");
  EXPECT_EQ(status_of(fp8_product()), lt::kNotSupported);
  begin("device v100");
  EXPECT_EQ(status_of(fp16()), lt::kSuccess);
  EXPECT_EQ(status_of(int8_product()), lt::kNotSupported);
}

TEST_F(Api, HasOnlySomeCombinationsOfTypes) {
  begin();
  EXPECT_EQ(status_of(fp16(DataType::r_32f)), lt::kSuccess);
  EXPECT_EQ(status_of(fp16(DataType::r_16bf)), lt::kNotSupported);
  EXPECT_EQ(
      status_of(product_of(ComputeType::c_16f, DataType::r_32f, DataType::r_16f, DataType::r_16f)),
      lt::kNotSupported)
      << "the scalars of fp16 sums are fp16";
  EXPECT_EQ(status_of(product_of(ComputeType::c_16f, DataType::r_16f, DataType::r_16bf,
                                 DataType::r_16bf)),
            lt::kNotSupported);
  EXPECT_EQ(
      status_of(product_of(ComputeType::c_32f, DataType::r_32f, DataType::r_64f, DataType::r_64f)),
      lt::kNotSupported);
  Product mixed = bf16_product();
  mixed.b = DataType::r_16f;
  EXPECT_EQ(status_of(mixed), lt::kNotSupported);
  EXPECT_EQ(status_of(fp8_product(DataType::r_8f_e5m2, DataType::r_8f_e4m3)), lt::kSuccess);
  EXPECT_EQ(status_of(fp8_product(DataType::r_8f_e5m2, DataType::r_8f_e5m2)), lt::kNotSupported);
  Product int8_scaled_by_floats = int8_product();
  int8_scaled_by_floats.scale = DataType::r_32f;
  EXPECT_EQ(status_of(int8_scaled_by_floats), lt::kNotSupported);
}

TEST_F(Api, WantsEightBitsTransposedAndInWholeVectors) {
  begin();
  for (const Product& good : {fp8_product(), sized(int8_product(), 12, 4, 20)}) {
    EXPECT_EQ(status_of(good), lt::kSuccess);
    const std::uint64_t odd = good.a == DataType::r_8i ? 6 : 24;
    EXPECT_EQ(status_of(sized(good, odd, good.n, good.k)), lt::kNotSupported);
    EXPECT_EQ(status_of(sized(good, good.m, odd, good.k)), lt::kNotSupported);
    EXPECT_EQ(status_of(sized(good, good.m, good.n, odd)), lt::kNotSupported);
    Product wrong = good;
    wrong.transpose_a = false;
    EXPECT_EQ(status_of(wrong), lt::kNotSupported);
    wrong = good;
    wrong.transpose_b = true;
    EXPECT_EQ(status_of(wrong), lt::kNotSupported);
  }
}

TEST_F(Api, RefusesMatricesThatDoNotFit) {
  begin();
  const auto changed = [&](PreparedMatrix Prepared::*which, LayoutAttribute attribute,
                           std::uint64_t value) {
    const Prepared prepared = prepare(sized(bf16_product(), 8, 16, 24));
    const std::size_t bytes = attribute == LayoutAttribute::batch_count ? 4 : 8;
    EXPECT_EQ(lt_api.layout_set((prepared.*which).layout, attribute, &value, bytes), lt::kSuccess);
    EXPECT_EQ(multiply(prepared), suggest_status(prepared));
    return suggest_status(prepared);
  };
  EXPECT_EQ(changed(&Prepared::a, LayoutAttribute::rows, 8), lt::kSuccess);
  EXPECT_EQ(changed(&Prepared::a, LayoutAttribute::columns, 23), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::b, LayoutAttribute::rows, 23), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::b, LayoutAttribute::columns, 15), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::c, LayoutAttribute::rows, 4), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::a, LayoutAttribute::leading_dimension, 7), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::d, LayoutAttribute::leading_dimension, 7), lt::kInvalidValue);
  EXPECT_EQ(changed(&Prepared::b, LayoutAttribute::batch_count, 2), lt::kInvalidValue);
}

TEST_F(Api, HasScalesForFp8Only) {
  begin();
  Product scaled = bf16_product();
  scaled.scale_a = 1;
  EXPECT_EQ(status_of(scaled), lt::kNotSupported);
  Product good = fp8_product();
  good.scale_a = good.scale_b = 1;
  EXPECT_EQ(status_of(good), lt::kSuccess);
  const Prepared prepared = prepare(good);
  const CUdeviceptr scale = allocate(4);
  set(prepared.descriptor, lt::DescAttribute::d_scale_pointer, &scale, 8);
  EXPECT_EQ(suggest_status(prepared), lt::kNotSupported) << "its results are not FP8";
}

TEST_F(Api, RefusesWhatIsMissing) {
  begin();
  const auto without = [&](PreparedMatrix Prepared::*which, bool layout) {
    Prepared prepared = prepare(bf16_product());
    if (layout) {
      (prepared.*which).layout = nullptr;
      EXPECT_EQ(suggest_status(prepared), lt::kInvalidValue);
    } else {
      (prepared.*which).device = 0;
    }
    return multiply(prepared);
  };
  for (const auto which : {&Prepared::a, &Prepared::b, &Prepared::c, &Prepared::d}) {
    EXPECT_EQ(without(which, true), lt::kInvalidValue);
    EXPECT_EQ(without(which, false), which == &Prepared::c ? lt::kSuccess : lt::kInvalidValue);
  }
  Prepared prepared = prepare(bf16_product());
  ASSERT_EQ(lt_api.desc_destroy(prepared.descriptor), lt::kSuccess);
  EXPECT_EQ(multiply(prepared), lt::kInvalidValue) << "a descriptor that is gone";
  int count = -1;
  EXPECT_EQ(lt_api.heuristic(handle, prepared.descriptor, nullptr, nullptr, nullptr, nullptr,
                             nullptr, 1, nullptr, &count),
            lt::kInvalidValue);
  EXPECT_EQ(count, 0);
}

class Algorithms : public Api {
 protected:
  Algorithms() { begin("device a100-80gb"); }
};

TEST_F(Algorithms, AreManyAndAllDifferent) {
  const Prepared prepared = prepare(sized(bf16_product(), 64, 64, 1024));
  const auto all = suggest(prepared);
  EXPECT_GT(all.size(), 15U);
  EXPECT_EQ(suggest(prepared, 3).size(), 3U);
  std::set<std::vector<std::uint64_t>> distinct;
  for (const lt::HeuristicResult& one : all) {
    using lt::ConfigAttribute;
    EXPECT_EQ(one.state, lt::kSuccess);
    EXPECT_GT(one.waves, 0);
    const std::uint64_t split = config(one.algo, ConfigAttribute::split_k);
    EXPECT_EQ(config(one.algo, ConfigAttribute::reduction_scheme) != 0, split > 1);
    distinct.insert({config(one.algo, ConfigAttribute::tile), split,
                     config(one.algo, ConfigAttribute::stages),
                     config(one.algo, ConfigAttribute::reduction_scheme)});
    ASSERT_EQ(multiply(prepared, &one.algo), lt::kSuccess);
  }
  EXPECT_EQ(distinct.size(), all.size());
  EXPECT_EQ(read(prepared), expected(prepared));
}

TEST_F(Algorithms, KeepToTheWorkspace) {
  const Prepared prepared = prepare(sized(bf16_product(), 256, 256, 1024));
  const auto most_used = [&](std::size_t bytes) {
    workspace_bytes = bytes;
    std::uint64_t most = 0;
    for (const lt::HeuristicResult& one : suggest(prepared)) {
      most = std::max<std::uint64_t>(most, one.workspace_bytes);
    }
    return most;
  };
  EXPECT_GT(most_used(64 << 20), 1U << 20);
  EXPECT_LE(most_used(600 << 10), 600U << 10);
  EXPECT_GT(most_used(600 << 10), 0U);
  EXPECT_EQ(most_used(0), 0U);
}

TEST_F(Algorithms, NeedTheirWorkspace) {
  const Prepared prepared = prepare(sized(bf16_product(), 256, 256, 1024));
  ASSERT_EQ(multiply(prepared), lt::kSuccess);  // the fixture's whole workspace is there
  for (const lt::HeuristicResult& one : suggest(prepared)) {
    if (one.workspace_bytes == 0) continue;
    const std::size_t enough = workspace_bytes;
    workspace_bytes = one.workspace_bytes - 1;
    EXPECT_EQ(multiply(prepared, &one.algo), lt::kInvalidValue);
    workspace_bytes = one.workspace_bytes;
    EXPECT_EQ(multiply(prepared, &one.algo), lt::kSuccess);
    workspace_bytes = enough;
  }
}

TEST_F(Algorithms, AreForOneProblem) {
  const Prepared one = prepare(sized(bf16_product(), 64, 64, 64));
  const Prepared other = prepare(sized(bf16_product(), 64, 64, 128));
  const auto suggested = suggest(one, 1);
  EXPECT_EQ(multiply(one, &suggested[0].algo), lt::kSuccess);
  EXPECT_EQ(multiply(other, &suggested[0].algo), lt::kInvalidValue);
  lt::Algo nonsense{};
  EXPECT_EQ(multiply(one, &nonsense), lt::kInvalidValue);
  EXPECT_EQ(multiply(one, nullptr), lt::kSuccess) << "the library chooses";
}

TEST_F(Algorithms, TellWhatTheyAre) {
  const auto one = suggest(prepare(bf16_product()), 1).at(0).algo;
  std::uint64_t value = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(lt_api.config_get(&one, lt::ConfigAttribute::tile, &value, 8, &bytes),
            lt::kInvalidValue);
  EXPECT_EQ(lt_api.config_get(&one, lt::ConfigAttribute::tile, nullptr, 0, &bytes), lt::kSuccess);
  EXPECT_EQ(bytes, 4U);
  EXPECT_EQ(lt_api.config_get(&one, lt::ConfigAttribute::cluster_shape, nullptr, 0, &bytes),
            lt::kSuccess);
  EXPECT_EQ(bytes, 2U);
  EXPECT_EQ(config(one, lt::ConfigAttribute::cluster_shape), 0U) << "an A100 has no clusters";
}

TEST_F(Algorithms, OfAHopperHaveClusters) {
  begin("device h100");
  const auto all = suggest(prepare(sized(bf16_product(), 512, 512, 512)));
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const lt::HeuristicResult& one) {
    return config(one.algo, lt::ConfigAttribute::cluster_shape) == 3;
  }));
}

TEST_F(Algorithms, DependOnAlignment) {
  Prepared prepared = prepare(sized(bf16_product(), 512, 512, 512));
  const auto aligned = suggest(prepared, 1);
  prepared.a.device += 2;
  EXPECT_EQ(multiply(prepared, &aligned[0].algo), lt::kInvalidValue);
  Product odd = sized(bf16_product(), 511, 512, 512);  // columns of A at odd addresses
  const auto slow = suggest(prepare(odd), 1);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_NE(config(slow[0].algo, lt::ConfigAttribute::id),
            config(aligned[0].algo, lt::ConfigAttribute::id));
  prepared.a.device -= 1;
  EXPECT_EQ(multiply(prepared), lt::kNotSupported) << "not even at an element";
}

TEST_F(Algorithms, AreWithheldByTheScenario) {
  begin("device h100\ncublaslt no_algorithm bf16");
  EXPECT_EQ(status_of(bf16_product()), lt::kNotSupported);
  EXPECT_EQ(status_of(fp32_product()), lt::kSuccess);
  begin("device h100\ncublaslt no_algorithm");
  EXPECT_EQ(status_of(fp32_product()), lt::kNotSupported);
  begin("device h100\ncublaslt no_algorithm fp8*");
  EXPECT_EQ(status_of(fp8_product()), lt::kNotSupported);
  begin("device h100\ncublaslt candidates 2");
  EXPECT_EQ(suggest(prepare(sized(bf16_product(), 512, 512, 512))).size(), 2U);
  start("device h100\ncublaslt withhold cublasLtMatmulPref*");
  lt::Preference preference = nullptr;
  EXPECT_EQ(lt_api.preference_create(&preference), lt::kNotSupported);
  EXPECT_EQ(lt_api.create(&handle), lt::kSuccess);
}

}  // namespace
}  // namespace fakegpu
