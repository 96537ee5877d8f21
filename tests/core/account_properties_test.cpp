// What must hold of the counts for every shape, on random ones.
#include <random>

#include "roofline/account.hpp"
#include "support.hpp"

namespace roofline {
namespace {

constexpr int kRounds = 300;

class Shapes {
 public:
  explicit Shapes(unsigned seed) : random_(seed) {}
  std::uint64_t size(std::uint64_t most = 5000) { return 1 + random_() % most; }
  DType type() {
    constexpr DType kTypes[] = {DType::fp64, DType::fp32, DType::bf16, DType::fp8_e4m3,
                                DType::fp6,  DType::fp4,  DType::int8, DType::int4};
    return kTypes[random_() % std::size(kTypes)];
  }
  Gemm gemm() { return {.m = size(), .n = size(), .k = size(), .batch = size(4), .input = type()}; }
  Projection projection() {
    Projection out{
        .rows = size(), .d_in = size(), .d_out = size(), .activation = type(), .weight = type()};
    if (random_() % 2 == 0) out.scale_group = 1 + random_() % out.d_in;
    return out;
  }

 private:
  std::mt19937_64 random_;
};

double at(const Workload& workload) { return in_flop_per_byte(*intensity(account(workload))); }

TEST(AccountProperties, IntensityStaysBelowEachTensorsOwnLimit) {
  // Leaving two of the three tensors out only raises it: work over any one tensor is a bound.
  Shapes shapes(11);
  for (int i = 0; i < kRounds; ++i) {
    const Gemm gemm = shapes.gemm();
    const double found = at(gemm);
    const double in = storage_bits(gemm.input) / 8.0;
    const double out = storage_bits(output_dtype(gemm)) / 8.0;
    EXPECT_LE(found, 2.0 * static_cast<double>(gemm.n) / in * (1 + 1e-12));
    EXPECT_LE(found, 2.0 * static_cast<double>(gemm.m) / in * (1 + 1e-12));
    EXPECT_LE(found, 2.0 * static_cast<double>(gemm.k) / out * (1 + 1e-12));
  }
}

TEST(AccountProperties, ABatchDoesNotChangeTheIntensity) {
  Shapes shapes(12);
  for (int i = 0; i < kRounds; ++i) {
    Gemm gemm = shapes.gemm();
    gemm.batch = 1;
    if (storage_bits(gemm.input) % 8 != 0)
      continue;  // packed types round up to a byte once per tensor
    const double one = at(gemm);
    gemm.batch = shapes.size(64);
    EXPECT_DOUBLE_EQ(at(gemm), one);
  }
}

TEST(AccountProperties, MoreRowsRaiseTheIntensityOfAProjection) {
  Shapes shapes(13);
  for (int i = 0; i < kRounds; ++i) {
    Projection projection = shapes.projection();
    projection.rows = 8 * shapes.size(100);  // whole bytes for every type
    const double few = at(projection);
    projection.rows += 8 * shapes.size(100);
    EXPECT_GT(at(projection), few);
  }
}

TEST(AccountProperties, BetaConversionAndScalesOnlyAddBytes) {
  Shapes shapes(14);
  for (int i = 0; i < kRounds; ++i) {
    Gemm gemm = shapes.gemm();
    const double plain = at(gemm);
    gemm.beta = 1;
    const double with_beta = at(gemm);
    gemm.convert_a_from = shapes.type();
    EXPECT_LT(with_beta, plain);
    EXPECT_LT(at(gemm), with_beta);
    Projection projection = shapes.projection();
    projection.scale_group = 0;
    const double without = at(projection);
    projection.scale_group = projection.d_in;
    EXPECT_LT(at(projection), without);
  }
}

TEST(AccountProperties, InnerBoundariesSeeAtLeastAsManyBytes) {
  Shapes shapes(15);
  for (int i = 0; i < kRounds; ++i) {
    const Gemm gemm = shapes.gemm();
    const Tile small{shapes.size(128), shapes.size(128)};
    const Tile large{2 * small.m, 2 * small.n};
    const Count dram = total_traffic(account(gemm));
    EXPECT_GE(total_traffic(account(gemm, Boundary::l2, large)), dram);
    EXPECT_GE(total_traffic(account(gemm, Boundary::l2, small)),
              total_traffic(account(gemm, Boundary::l2, large)));
    EXPECT_EQ(total_traffic(account(gemm, Boundary::l2, {gemm.m, gemm.n})), dram);
  }
}

TEST(AccountProperties, AGemmOfOneBatchIsAProjection) {
  Shapes shapes(16);
  for (int i = 0; i < kRounds; ++i) {
    const DType type = shapes.type();
    const Gemm gemm{.m = shapes.size(), .n = shapes.size(), .k = shapes.size(), .input = type};
    const Projection same{.rows = gemm.m, .d_in = gemm.k, .d_out = gemm.n, .activation = type};
    EXPECT_EQ(account(gemm).work, account(same).work);
    const Tile tile{shapes.size(200), shapes.size(200)};
    for (const Boundary boundary :
         {Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1, Boundary::link}) {
      EXPECT_EQ(total_traffic(account(gemm, boundary, tile)),
                total_traffic(account(same, boundary, tile)));
    }
  }
}

TEST(AccountProperties, FusionNeverAddsBytesAndKeepsTheWork) {
  Shapes shapes(17);
  for (int i = 0; i < kRounds; ++i) {
    Elementwise chain{.elements = shapes.size(), .ops = shapes.size(40), .dtype = shapes.type()};
    chain.inputs = 1 + shapes.size(chain.ops);
    const Account unfused = account(chain);
    Count before = total_traffic(unfused);
    for (chain.ops_per_kernel = 2; chain.ops_per_kernel <= chain.ops; ++chain.ops_per_kernel) {
      const Account now = account(chain);
      EXPECT_LE(total_traffic(now), before);
      EXPECT_EQ(now.work, unfused.work);
      before = total_traffic(now);
    }
    chain.ops_per_kernel = chain.ops;
    const std::uint64_t array =
        packed_bytes(Count{chain.elements}, storage_bits(chain.dtype)).value();
    EXPECT_EQ(total_traffic(account(chain)).value(), (chain.inputs + 1) * array);
  }
}

TEST(AccountProperties, ReadsAndWritesMakeTheTotal) {
  Shapes shapes(18);
  for (int i = 0; i < kRounds; ++i) {
    for (const Workload& workload : {Workload{shapes.gemm()}, Workload{shapes.projection()}}) {
      const Account cost = account(workload);
      std::uint64_t written = 0;
      for (const TensorTraffic& entry : cost.traffic) {
        if (entry.direction == Direction::write) written += entry.bytes.value();
      }
      EXPECT_EQ(read_traffic(cost).value() + written, total_traffic(cost).value());
      EXPECT_GT(written, 0U);
    }
  }
}

}  // namespace
}  // namespace roofline
