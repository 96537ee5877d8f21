// Work and traffic of every workload by tensor, against bytes enumerated by hand or counted element
// by element.
#include "roofline/account.hpp"

#include <map>

#include "support.hpp"

namespace roofline {
namespace {

using Bytes64 = std::map<std::string, std::uint64_t>;

Bytes64 by_tensor(const Account& account, Direction direction) {
  Bytes64 out;
  for (const TensorTraffic& entry : account.traffic) {
    if (entry.direction == direction) out[entry.tensor] += entry.bytes.value();
  }
  return out;
}
Bytes64 reads(const Account& account) { return by_tensor(account, Direction::read); }
Bytes64 writes(const Account& account) { return by_tensor(account, Direction::write); }

TEST(GemmAccount, EveryTensorOnce) {
  const Account cost = account(Gemm{.m = 3, .n = 5, .k = 7, .input = DType::bf16});
  EXPECT_EQ(cost.work->value(), 2U * 3 * 5 * 7);
  EXPECT_EQ(reads(cost), (Bytes64{{"A", 3 * 7 * 2}, {"B", 7 * 5 * 2}}));
  EXPECT_EQ(writes(cost), (Bytes64{{"C", 3 * 5 * 2}}));
  EXPECT_EQ(cost.boundary, Boundary::dram);
  EXPECT_TRUE(test::contains(cost.convention, "FMA = 2"));
}

TEST(GemmAccount, BetaReadsC) {
  Gemm gemm{.m = 3, .n = 5, .k = 7, .input = DType::fp16, .output = DType::fp32};
  EXPECT_EQ(reads(account(gemm)).count("C read"), 0U);
  for (const double beta : {1.0, -0.5, 1e-300}) {
    gemm.beta = beta;
    EXPECT_EQ(reads(account(gemm)).at("C read"), 3U * 5 * 4) << beta;
    EXPECT_EQ(writes(account(gemm)).at("C"), 3U * 5 * 4) << beta;
  }
}

TEST(GemmAccount, OutputTypeDecidesTheWrite) {
  EXPECT_EQ(writes(account(Gemm{.m = 3, .n = 5, .k = 7, .input = DType::int8})).at("C"),
            3U * 5 * 4);
  EXPECT_EQ(writes(account(Gemm{.m = 3, .n = 5, .k = 7, .input = DType::fp8_e4m3})).at("C"),
            3U * 5 * 2);
  EXPECT_EQ(
      writes(account(Gemm{.m = 3, .n = 5, .k = 7, .input = DType::int8, .output = DType::int8}))
          .at("C"),
      3U * 5);
}

TEST(GemmAccount, ABatchHasOperandsOfItsOwn) {
  const Account one = account(Gemm{.m = 3, .n = 5, .k = 7});
  const Account four = account(Gemm{.m = 3, .n = 5, .k = 7, .batch = 4});
  EXPECT_EQ(four.work->value(), 4 * one.work->value());
  EXPECT_EQ(total_traffic(four).value(), 4 * total_traffic(one).value());
}

TEST(GemmAccount, LayoutsMoveTheSameBytes) {
  Gemm gemm{.m = 3, .n = 5, .k = 7};
  const Count plain = total_traffic(account(gemm));
  gemm.transpose_a = gemm.transpose_b = true;
  EXPECT_EQ(total_traffic(account(gemm)), plain);
}

TEST(GemmAccount, AConversionReadsItsSourceAndWritesAndReadsItsBuffer) {
  Gemm gemm{.m = 3, .n = 5, .k = 8, .input = DType::bf16};
  gemm.convert_b_from = DType::fp32;
  const Account b = account(gemm);
  EXPECT_EQ(reads(b),
            (Bytes64{{"A", 3 * 8 * 2}, {"B before conversion", 8 * 5 * 4}, {"B", 8 * 5 * 2}}));
  EXPECT_EQ(writes(b), (Bytes64{{"B conversion buffer", 8 * 5 * 2}, {"C", 3 * 5 * 2}}));
  gemm.convert_b_from.reset();
  gemm.convert_a_from = DType::int4;
  const Account a = account(gemm);
  EXPECT_EQ(reads(a).at("A before conversion"), 3U * 8 / 2);
  EXPECT_EQ(writes(a).at("A conversion buffer"), 3U * 8 * 2);
  EXPECT_EQ(a.work->value(), b.work->value());
}

/// Bytes that a blocked GEMM moves, by visiting its output tiles: each reads its rows of A and its
/// columns of B.
std::uint64_t tiled_reads(std::uint64_t m, std::uint64_t n, std::uint64_t k, Tile tile) {
  std::uint64_t elements = 0;
  for (std::uint64_t i = 0; i < m; i += tile.m) {
    for (std::uint64_t j = 0; j < n; j += tile.n) {
      elements += std::min(tile.m, m - i) * k + k * std::min(tile.n, n - j);
    }
  }
  return elements * 2;
}

TEST(GemmAccount, AnInnerBoundaryIsCrossedOncePerTile) {
  for (const Tile tile : {Tile{}, Tile{64, 256}, Tile{1, 1}, Tile{100, 7}, Tile{1000, 1000}}) {
    for (const Boundary boundary : {Boundary::l1, Boundary::l2, Boundary::l3}) {
      const Account cost = account(Gemm{.m = 300, .n = 257, .k = 64}, boundary, tile);
      EXPECT_EQ(read_traffic(cost).value(), tiled_reads(300, 257, 64, tile))
          << tile.m << "x" << tile.n;
      EXPECT_EQ(writes(cost).at("C"), 300U * 257 * 2);
      EXPECT_EQ(cost.boundary, boundary);
    }
  }
}

TEST(GemmAccount, TilesDoNotChangeWhatCrossesDram) {
  const Gemm gemm{.m = 300, .n = 257, .k = 64};
  EXPECT_EQ(total_traffic(account(gemm, Boundary::dram, {16, 16})), total_traffic(account(gemm)));
  EXPECT_EQ(total_traffic(account(gemm, Boundary::link, {16, 16})), total_traffic(account(gemm)));
}

TEST(GemmAccount, AnEmptyTileIsRefused) {
  EXPECT_THROW(static_cast<void>(account(Gemm{.m = 1, .n = 1, .k = 1}, Boundary::l2, {0, 128})),
               InputError);
  EXPECT_THROW(static_cast<void>(account(Gemm{.m = 1, .n = 1, .k = 1}, Boundary::l2, {128, 0})),
               InputError);
}

TEST(ProjectionAccount, WeightsOnceAndActivationsPerRow) {
  const Account cost = account(Projection{.rows = 3, .d_in = 10, .d_out = 7});
  EXPECT_EQ(cost.work->value(), 2U * 3 * 10 * 7);
  EXPECT_EQ(reads(cost), (Bytes64{{"weights", 10 * 7 * 2}, {"input", 3 * 10 * 2}}));
  EXPECT_EQ(writes(cost), (Bytes64{{"output", 3 * 7 * 2}}));
}

TEST(ProjectionAccount, StoredWeightsTakeTheirOwnBits) {
  const Projection int4{.rows = 3, .d_in = 11, .d_out = 7, .weight = DType::int4};
  EXPECT_EQ(reads(account(int4)).at("weights"), 39U);  // 77 elements of 4 bits
  EXPECT_EQ(reads(account(int4)).at("input"), 3U * 11 * 2);
  EXPECT_EQ(account(int4).work->value(), 2U * 3 * 11 * 7);
}

TEST(ProjectionAccount, OneScalePerGroupAndOutput) {
  // int4 with a 32-bit scale and zero point per 128 weights: 4.25 bits per weight.
  const Projection grouped{.rows = 1,
                           .d_in = 4096,
                           .d_out = 14336,
                           .weight = DType::int4,
                           .scale_group = 128,
                           .scale_bits = 32};
  const Account cost = account(grouped);
  const std::uint64_t weights = 4096ULL * 14336;
  EXPECT_EQ(reads(cost).at("weights") + reads(cost).at("scales"), weights * 17 / 4 / 8);
  // A last group that is not full has a scale as well.
  Projection ragged = grouped;
  ragged.d_in = 300;
  EXPECT_EQ(reads(account(ragged)).at("scales"), 3U * 14336 * 4);
  ragged.scale_group = 0;
  EXPECT_EQ(reads(account(ragged)).count("scales"), 0U);
}

TEST(ProjectionAccount, TheOutputIsWhatTheHeaderPromises) {
  EXPECT_EQ(writes(account(Projection{.rows = 3, .d_in = 8, .d_out = 7, .activation = DType::int8}))
                .at("output"),
            3U * 7 * 4);
  EXPECT_EQ(
      writes(account(Projection{.rows = 3, .d_in = 8, .d_out = 7, .activation = DType::fp8_e4m3}))
          .at("output"),
      3U * 7 * 2);
}

TEST(ProjectionAccount, AnInnerBoundaryIsCrossedOncePerTile) {
  const Projection projection{
      .rows = 300, .d_in = 64, .d_out = 257, .weight = DType::int8, .scale_group = 32};
  const Account cost = account(projection, Boundary::l2, {128, 64});
  EXPECT_EQ(reads(cost), (Bytes64{{"weights", 3U * 64 * 257},
                                  {"scales", 3U * 2 * 257 * 2},
                                  {"input", 5U * 300 * 64 * 2}}));
  EXPECT_EQ(writes(cost), writes(account(projection)));
  EXPECT_EQ(total_traffic(account(projection, Boundary::link)), total_traffic(account(projection)));
}

TEST(StreamAccount, CountsOfStream) {
  struct Expected {
    StreamKind kind;
    std::uint64_t read_arrays, written_arrays, flop_per_element;
  };
  const Expected table[] = {{StreamKind::read, 1, 0, 0}, {StreamKind::write, 0, 1, 0},
                            {StreamKind::copy, 1, 1, 0}, {StreamKind::scale, 1, 1, 1},
                            {StreamKind::add, 2, 1, 1},  {StreamKind::triad, 2, 1, 2}};
  for (const Expected& expected : table) {
    const Account cost =
        account(Stream{.kind = expected.kind, .elements = 1000, .dtype = DType::fp64});
    EXPECT_EQ(cost.work->value(), expected.flop_per_element * 1000) << name(expected.kind);
    EXPECT_EQ(read_traffic(cost).value(), expected.read_arrays * 8000) << name(expected.kind);
    EXPECT_EQ(total_traffic(cost).value(), (expected.read_arrays + expected.written_arrays) * 8000)
        << name(expected.kind);
    EXPECT_EQ(moved_traffic(cost), total_traffic(cost));
  }
}

TEST(StreamAccount, WriteAllocateMovesButDoesNotCount) {
  const auto moved = [](StreamKind kind) {
    const Account cost = account(
        Stream{.kind = kind, .elements = 1000, .dtype = DType::fp64, .write_allocate = true});
    const Account plain = account(Stream{.kind = kind, .elements = 1000, .dtype = DType::fp64});
    EXPECT_EQ(total_traffic(cost), total_traffic(plain));
    EXPECT_EQ(intensity(cost), intensity(plain));
    return moved_traffic(cost).value();
  };
  EXPECT_EQ(moved(StreamKind::read), 8000U);
  EXPECT_EQ(moved(StreamKind::write), 2U * 8000);
  EXPECT_EQ(moved(StreamKind::copy), 3U * 8000);
  EXPECT_EQ(moved(StreamKind::triad), 4U * 8000);
}

TEST(ElementwiseAccount, ChainsEnumeratedByHand) {
  // y = relu(x): one kernel reads x and writes y.
  EXPECT_EQ(total_traffic(account(Elementwise{.elements = 100, .ops = 1})).value(), 2U * 200);
  // c = a + b: two reads, one write.
  EXPECT_EQ(total_traffic(account(Elementwise{.elements = 100, .ops = 1, .inputs = 2})).value(),
            3U * 200);
  // y = gelu(a * x + b) as three kernels: read a, x, write t; read t, b, write u; read u, write y.
  const Account unfused =
      account(Elementwise{.elements = 100, .ops = 3, .ops_per_kernel = 1, .inputs = 3});
  EXPECT_EQ(read_traffic(unfused).value(), 5U * 200);
  EXPECT_EQ(total_traffic(unfused).value(), 8U * 200);
  EXPECT_EQ(unfused.work->value(), 300U);
  EXPECT_EQ(writes(unfused), (Bytes64{{"intermediates", 400}, {"output", 200}}));
  // The same fused: read a, x, b, write y.
  const Account fused =
      account(Elementwise{.elements = 100, .ops = 3, .ops_per_kernel = 3, .inputs = 3});
  EXPECT_EQ(total_traffic(fused).value(), 4U * 200);
  EXPECT_EQ(fused.work->value(), 300U);
  EXPECT_EQ(writes(fused), (Bytes64{{"output", 200}}));
  // Five operations, two per kernel: three kernels (2 + 2 + 1), two intermediates.
  const Account pairs = account(Elementwise{.elements = 100, .ops = 5, .ops_per_kernel = 2});
  EXPECT_EQ(total_traffic(pairs).value(), (1U + 2 * 2 + 1) * 200);
  // More than there is to fuse.
  EXPECT_EQ(
      total_traffic(account(Elementwise{.elements = 100, .ops = 5, .ops_per_kernel = 99})).value(),
      2U * 200);
}

TEST(KernelAccount, AsGiven) {
  const Account cost =
      account(Kernel{.flops = Count{10}, .read_bytes = Count{4}, .write_bytes = Count{1}});
  EXPECT_EQ(cost.work->value(), 10U);
  EXPECT_EQ(read_traffic(cost).value(), 4U);
  EXPECT_EQ(total_traffic(cost).value(), 5U);
  const Account stated = account(Kernel{.intensity = flop_per_byte(7)});
  EXPECT_FALSE(stated.work);
  EXPECT_EQ(intensity(stated), flop_per_byte(7));
  EXPECT_FALSE(intensity(account(Kernel{})));
}

TEST(PeakProbeAccount, MovesNothing) {
  const Account cost = account(PeakProbe{.dtype = DType::fp32, .flops = 1000});
  EXPECT_EQ(cost.work->value(), 1000U);
  EXPECT_EQ(total_traffic(cost).value(), 0U);
  EXPECT_FALSE(intensity(cost));
}

TEST(Account, OverflowNamesTheWorkload) {
  const std::uint64_t huge = std::uint64_t{1} << 40;
  const Workload workloads[] = {
      Gemm{.m = huge, .n = huge, .k = 1}, Projection{.rows = huge, .d_in = huge, .d_out = 1},
      Stream{.kind = StreamKind::triad, .elements = ~std::uint64_t{0}},
      Elementwise{.elements = huge, .ops = huge},
      Kernel{.flops = Count{1}, .read_bytes = Count{~std::uint64_t{0}}, .write_bytes = Count{1}}};
  for (const Workload& workload : workloads) {
    const std::string sentence = test::refusal([&] { static_cast<void>(account(workload)); });
    EXPECT_TRUE(sentence.rfind(std::string(kind_name(workload)), 0) == 0) << sentence;
    EXPECT_TRUE(test::contains(sentence, "64 bits")) << sentence;
  }
}

TEST(Account, AnAccountThatWasMadeCanBeSummed) {
  // Each array fits, their sum does not.
  const Stream stream{
      .kind = StreamKind::triad, .elements = std::uint64_t{1} << 61, .dtype = DType::fp32};
  EXPECT_THROW(static_cast<void>(account(stream)), InputError);
  const Stream with_allocate{.kind = StreamKind::copy,
                             .elements = std::uint64_t{3} << 60,
                             .dtype = DType::fp16,
                             .write_allocate = true};
  EXPECT_THROW(static_cast<void>(account(with_allocate)), InputError);
}

TEST(Account, BoundariesAreFoundByTheirNames) {
  for (const Boundary boundary :
       {Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1, Boundary::link}) {
    EXPECT_EQ(find_boundary(name(boundary)), boundary);
  }
  EXPECT_EQ(name(Boundary::dram), "dram");
  EXPECT_FALSE(find_boundary("hbm"));
}

}  // namespace
}  // namespace roofline
