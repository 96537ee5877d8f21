// Every kind of point over a simulated GPU whose kernels really compute: results are verified, and
// times are those that the simulated device takes, without the host's.
#include "over_fake.hpp"
#include "roofline/account.hpp"

namespace roofline::cuda {
namespace {

class Runs : public OverFake {};

constexpr double kA100 = 2.039e12;  ///< byte/s

TEST_F(Runs, StreamsOfEveryMix) {
  const auto gpu = backend();
  for (const DType dtype : {DType::fp32, DType::fp64}) {
    for (const StreamKind kind :
         {StreamKind::read, StreamKind::write, StreamKind::copy, StreamKind::scale, StreamKind::add,
          StreamKind::triad, StreamKind::update}) {
      Point point(*gpu, Stream{.kind = kind, .dtype = dtype});
      EXPECT_TRUE(verified(point.run().verify())) << name(kind);
      const double rate = point.bytes_per_second();
      EXPECT_GT(rate, 0.5 * kA100) << name(kind);
      EXPECT_LT(rate, 1.02 * kA100) << name(kind);
      const Facts facts = point.run().facts();
      EXPECT_EQ(fact_of(facts, "level"), FactValue{std::string("dram")}) << name(kind);
      const FactValue kernel = fact_of(facts, "kernel");
      ASSERT_TRUE(std::holds_alternative<std::string>(kernel));
      EXPECT_TRUE(std::get<std::string>(kernel).starts_with("stream_" + std::string(name(kind))));
    }
  }
}

TEST_F(Runs, StreamsOfAwkwardSizesAndTypes) {
  const auto gpu = backend();
  for (const std::uint64_t elements : {1U, 3U, 1001U, 100'003U}) {
    for (const StreamKind kind : {StreamKind::read, StreamKind::triad, StreamKind::update}) {
      Point point(*gpu, Stream{.kind = kind, .elements = elements, .dtype = DType::fp32});
      EXPECT_TRUE(verified(point.run().verify())) << name(kind) << " of " << elements;
      EXPECT_GT(in_second(point.run().time(3).duration), 0);
    }
  }
  Point copy(*gpu, Stream{.kind = StreamKind::copy, .elements = 4096, .dtype = DType::bf16});
  EXPECT_TRUE(verified(copy.run().verify()));
  EXPECT_NE(
      refused(*gpu, Stream{.kind = StreamKind::triad, .elements = 4096, .dtype = DType::bf16}), "");
  EXPECT_NE(refused(*gpu, Stream{.kind = StreamKind::copy, .elements = 3, .dtype = DType::bf16}),
            "");
}

TEST_F(Runs, AStreamInL2IsFasterThanDram) {
  // All SMs, and a set that occupies them.
  use("device a100-80gb l2=8MiB memory=200MiB\n");
  const auto gpu = backend();
  Point point(*gpu, Stream{.kind = StreamKind::read, .dtype = DType::fp64, .level = Boundary::l2});
  EXPECT_TRUE(verified(point.run().verify()));
  EXPECT_GT(point.bytes_per_second(), 1.2 * kA100);
  EXPECT_EQ(fact_of(point.run().facts(), "level"), FactValue{std::string("l2")});
  // A small stream of a stated size lies there as well, and says so.
  Point small(*gpu, Stream{.kind = StreamKind::read, .elements = 10'000, .dtype = DType::fp64});
  EXPECT_EQ(std::get<Stream>(small.workload()).level, Boundary::l2);
}

TEST_F(Runs, MatvecOfEveryWeight) {
  const auto gpu = backend();
  for (const DType weight : {DType::bf16, DType::fp16, DType::int8, DType::int4}) {
    for (const std::uint64_t rows : {1U, 3U, 16U, 33U}) {
      const bool scaled = weight == DType::int8 || weight == DType::int4;
      Projection p{.rows = rows, .d_in = 1024, .d_out = 512};
      p.activation = scaled ? DType::bf16 : weight;
      p.weight = weight;
      p.scale_group = scaled ? 128 : 0;
      Point point(*gpu, p);
      EXPECT_TRUE(verified(point.run().verify())) << name(weight) << " x " << rows;
      EXPECT_GT(in_second(point.run().time(10).duration), 0);
      const Facts facts = point.run().facts();
      EXPECT_EQ(fact_of(facts, "cache"), FactValue{std::string("cold")});
      EXPECT_GE(std::get<std::uint64_t>(fact_of(facts, "weight_rotation_byte")),
                std::uint64_t{5} << 18U);
    }
  }
}

TEST_F(Runs, MatvecOfAwkwardShapes) {
  const auto gpu = backend();
  for (const auto& [d_in, d_out] : {std::pair{1U, 1U}, {130U, 7U}, {1000U, 33U}, {4098U, 5U}}) {
    for (const DType weight : {DType::bf16, DType::int8}) {
      Projection p{.rows = 5, .d_in = d_in, .d_out = d_out};
      p.weight = weight;
      p.scale_group = weight == DType::int8 ? std::min<std::uint64_t>(128, d_in) : 0;
      Point point(*gpu, p);
      EXPECT_TRUE(verified(point.run().verify())) << d_in << "x" << d_out << " " << name(weight);
    }
  }
}

TEST_F(Runs, HotWeightsStayInL2) {
  const auto gpu = backend();
  const Projection cold{.rows = 1, .d_in = 512, .d_out = 100};
  Projection hot = cold;
  hot.level = Boundary::l2;
  Point warm(*gpu, hot);
  EXPECT_TRUE(verified(warm.run().verify()));
  EXPECT_EQ(fact_of(warm.run().facts(), "cache"), FactValue{std::string("hot")});
  EXPECT_EQ(fact_of(warm.run().facts(), "weight_copies"), FactValue{std::uint64_t{1}});
  hot.d_out = 4096;  // more than the L2 holds
  EXPECT_NE(refused(*gpu, hot).find("L2"), std::string::npos);
}

TEST_F(Runs, MatvecRefusesWhatItsKernelsCannotDo) {
  const auto gpu = backend();
  Projection p{.rows = 1, .d_in = 256, .d_out = 256, .activation = DType::fp32};
  EXPECT_NE(refused(*gpu, p).find("bf16 or fp16"), std::string::npos);
  p.activation = DType::bf16;
  p.weight = DType::int8;
  EXPECT_NE(refused(*gpu, p).find("--scale-group 128"), std::string::npos);
  p.weight = DType::int4;
  p.scale_group = 128;
  p.d_in = 257;
  EXPECT_NE(refused(*gpu, p).find("even"), std::string::npos);
  p = {.rows = 1, .d_in = 65'536, .d_out = 65'536};
  EXPECT_NE(refused(*gpu, p).find("largest square matrix"), std::string::npos);
}

TEST_F(Runs, ElementwiseFusedAndNot) {
  const auto gpu = backend();
  for (const DType dtype : {DType::fp64, DType::fp32, DType::fp16, DType::bf16}) {
    for (const auto& [ops, fused, inputs] :
         {std::tuple{1U, 1U, 2U}, {4U, 4U, 1U}, {4U, 1U, 3U}, {7U, 3U, 4U}}) {
      Point point(*gpu, Elementwise{.elements = 50'001,
                                    .ops = ops,
                                    .ops_per_kernel = fused,
                                    .inputs = inputs,
                                    .dtype = dtype});
      EXPECT_TRUE(verified(point.run().verify())) << name(dtype) << " " << ops << "/" << fused;
      EXPECT_GT(in_second(point.run().time(5).duration), 0);
    }
  }
  EXPECT_NE(refused(*gpu, Elementwise{.elements = 10, .ops = 8, .ops_per_kernel = 8, .inputs = 6}),
            "");
}

TEST_F(Runs, Launches) {
  use(std::string(kSmallA100) +
      "cost kernel 2us\ncost node 1us\ncost event 0.5us\ncost launch 9us\n");
  const auto gpu = backend();
  Point kernel(*gpu, Launch{.path = LaunchPath::kernel});
  EXPECT_TRUE(verified(kernel.run().verify()));
  EXPECT_NEAR(kernel.seconds(), 2e-6, 0.3e-6);  // not the host's 9 us
  Point graph(*gpu, Launch{.path = LaunchPath::graph});
  EXPECT_TRUE(verified(graph.run().verify()));
  EXPECT_NEAR(graph.seconds(), 1e-6, 0.3e-6);
  Point event(*gpu, Launch{.path = LaunchPath::event});
  EXPECT_TRUE(verified(event.run().verify()));
  EXPECT_LT(event.seconds(), 1.5e-6);
  Point library(*gpu, Launch{.path = LaunchPath::library});
  EXPECT_TRUE(verified(library.run().verify()));
  EXPECT_GT(library.seconds(), kernel.seconds());
  EXPECT_LT(library.seconds(), 6e-6);
  EXPECT_EQ(fact_of(library.run().facts(), "provider"), FactValue{std::string("cuBLASLt")});
  Point replayed(*gpu, Launch{.path = LaunchPath::library_graph});
  EXPECT_TRUE(verified(replayed.run().verify()));
  EXPECT_LT(replayed.seconds(), library.seconds());
  // A small product is timed in graphs as well: an empty call is no more than a part of it.
  Point small(*gpu, Gemm{.m = 64, .n = 64, .k = 64, .input = DType::bf16});
  EXPECT_LE(replayed.seconds(), 1.05 * small.seconds());
}

TEST_F(Runs, Transfers) {
  const auto gpu = backend();
  double pinned = 0;
  for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable}) {
    for (const TransferDirection direction :
         {TransferDirection::to_device, TransferDirection::to_host}) {
      Point point(*gpu, Transfer{.direction = direction,
                                 .host_memory = memory,
                                 .bytes = std::uint64_t{8} << 20U});
      EXPECT_TRUE(verified(point.run().verify())) << name(direction);
      const double rate = point.bytes_per_second();
      if (memory == HostMemory::pinned) {
        EXPECT_NEAR(rate, 25e9, 5e9) << name(direction);
        pinned = rate;
      } else {
        EXPECT_LT(rate, 0.7 * pinned) << name(direction);
      }
    }
  }
  Point own(*gpu, Transfer{});
  EXPECT_GT(std::get<Transfer>(own.workload()).bytes, 0U);
}

TEST_F(Runs, Peaks) {
  const auto gpu = backend();
  for (const DType dtype : {DType::fp32, DType::fp64}) {
    Point point(*gpu, PeakProbe{.dtype = dtype});
    EXPECT_TRUE(verified(point.run().verify())) << name(dtype);
    // 8 SMs at 1410 MHz, with 128 and 64 FLOP per clock.
    const double rated = 8 * 1410e6 * (dtype == DType::fp64 ? 64 : 128);
    const double rate =
        static_cast<double>(std::get<PeakProbe>(point.workload()).flops) / point.seconds();
    EXPECT_GT(rate, 0.8 * rated) << name(dtype);
    EXPECT_LT(rate, 1.05 * rated) << name(dtype);
  }
  EXPECT_NE(refused(*gpu, PeakProbe{.dtype = DType::bf16}).find("matrix units"), std::string::npos);
}

TEST_F(Runs, EverySampleHasTheClockOfTheDevice) {
  use("device a100-80gb l2=256KiB memory=40MiB sms=8 clock=1234MHz\n");
  const auto gpu = backend();
  Point point(*gpu, Stream{.kind = StreamKind::read, .dtype = DType::fp64});
  (void)point.seconds();
  const Sample sample = point.run().time(10);
  ASSERT_TRUE(sample.clock);
  EXPECT_NEAR(in_hertz(*sample.clock), 1234e6, 1234e6 * 0.02);
}

TEST_F(Runs, TheHostsPaceIsNotMeasured) {
  // 80 us of the device, launched one by one; 2 us, replayed from graphs.
  for (const std::uint64_t elements : {1'000'000U, 20'000U}) {
    const auto seconds = [&](const std::string& launch_cost) {
      use("device a100-80gb l2=256KiB memory=40MiB sms=8 bandwidth=100GB/s\n"
          "cost launch " +
          launch_cost + "\ncost graph_launch " + launch_cost + "\n");
      const auto gpu = backend();
      Point point(*gpu, Stream{.kind = StreamKind::read, .elements = elements});
      return point.seconds();
    };
    EXPECT_NEAR(seconds("60us") / seconds("1us"), 1, 0.02) << elements;
  }
}

TEST_F(Runs, AnOlderDriverMeasuresToo) {
  use("driver 13.0\n" + std::string(kSmallA100));
  const auto gpu = make_cuda_backend(
      {FAKEGPU_FOLDER "/old/libcuda.so.1", FAKEGPU_FOLDER "/old/libnvidia-ml.so.1"});
  Point point(*gpu, Stream{.kind = StreamKind::triad, .elements = 5000});
  EXPECT_TRUE(verified(point.run().verify()));
  EXPECT_GT(in_second(point.run().time(4).duration), 0);
}

}  // namespace
}  // namespace roofline::cuda
