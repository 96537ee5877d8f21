#include "cpu_under_test.hpp"

namespace roofline::cpu {
namespace {

TEST(CpuBackend, OneDeviceThatSaysWhatItIs) {
  Cpu cpu;
  const auto devices = (*cpu).devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].id, "cpu");
  EXPECT_FALSE(devices[0].name.empty());
  for (const char* key :
       {"cpu_model", "isa", "physical_cores", "threads", "cpus", "isa_path", "kernel"}) {
    EXPECT_NE(find(devices[0].facts, key), nullptr) << key;
  }
}

TEST(CpuBackend, StreamsOfAwkwardLengthsAreRight) {
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    for (const StreamKind kind : kinds()) {
      for (const DType dtype : {DType::fp32, DType::fp64}) {
        for (const std::uint64_t elements : {1U, 7U, 63U, 64U, 65U, 100003U}) {
          SCOPED_TRACE(std::string(name(kind)) + " " + std::string(name(dtype)) + " " +
                       std::to_string(elements));
          const Facts facts = cpu.check(Stream{kind, elements, dtype});
          EXPECT_EQ(text(facts, "isa_path"), name(isa));
          EXPECT_NE(text(facts, "level"), "dram");
        }
      }
    }
  }
}

TEST(CpuBackend, ThreadsShareALongStream) {
  for (const StreamKind kind : kinds()) Cpu().check(Stream{kind, 100003, DType::fp32});
}

TEST(CpuBackend, ThreadsShareAMatrixAndAChain) {
  Projection p;
  p.rows = 3;
  p.d_in = 100;
  p.d_out = 333;
  p.activation = DType::bf16;
  p.weight = DType::int8;
  p.scale_group = 32;
  Cpu cpu(small(2));
  cpu.check(p);
  cpu.check(Elementwise{
      .elements = 20011, .ops = 5, .ops_per_kernel = 2, .inputs = 3, .dtype = DType::fp32});
}

TEST(CpuBackend, NarrowTypesMoveButDoNotCompute) {
  Cpu cpu;
  for (const DType dtype : {DType::bf16, DType::int8, DType::fp8_e4m3}) {
    for (const StreamKind kind : {StreamKind::read, StreamKind::write, StreamKind::copy}) {
      cpu.check(Stream{kind, 1001, dtype});
    }
    EXPECT_NE(cpu.refusal(Stream{StreamKind::triad, 1001, dtype}).find("fp32 and fp64"),
              std::string::npos);
  }
  EXPECT_FALSE(cpu.refusal(Stream{StreamKind::read, 1001, DType::int4}).empty());
}

TEST(CpuBackend, StreamSizesAreChosenToReachDram) {
  Cpu cpu{CpuOptions{}};
  const auto facts = cpu.device().facts;
  const auto wanted = std::get<std::uint64_t>(*find(facts, "dram_array_byte"));
  const auto* const cache = std::get_if<std::uint64_t>(find(facts, "last_level_cache_total_byte"));
  if (cache != nullptr) {
    EXPECT_GE(wanted, 8 * *cache);
  }
  const auto stream = std::get<Stream>(cpu.completed(Stream{StreamKind::triad, 0, DType::fp64}));
  EXPECT_GT(stream.elements, 0U);
  EXPECT_LE(stream.elements * 8, wanted);
  // Asking again changes nothing.
  EXPECT_EQ(cpu.completed(stream), Workload{stream});
}

TEST(CpuBackend, ElementwiseSizesAreChosenAsStreamsAre) {
  Cpu cpu;
  const Workload chain = cpu.completed(Elementwise{.elements = 0, .ops = 4, .dtype = DType::fp32});
  EXPECT_GT(std::get<Elementwise>(chain).elements, 100'000U);
  EXPECT_LE(account(chain).traffic.front().bytes.value(), std::uint64_t{24} << 20);
}

TEST(CpuBackend, StreamSizesAreCutToTheMemoryAndSaySo) {
  Cpu cpu(small(3));
  const auto stream = std::get<Stream>(cpu.completed(Stream{StreamKind::triad, 0, DType::fp64}));
  EXPECT_EQ(stream.elements * 8, 1U << 20);
  EXPECT_TRUE(flag(cpu.check(stream), "array_below_8x_l3"));
}

TEST(CpuBackend, WriteAllocateFollowsTheStores) {
  // Of open size: as many as reach DRAM, where there are two kinds of stores to choose from.
  const Stream copy{StreamKind::copy, 0, DType::fp32};
  Stream regular = copy;
  regular.write_allocate = true;
  CpuOptions portable = small();
  portable.isa_cap = Isa::portable;
  Cpu scalar(portable);
  EXPECT_TRUE(std::get<Stream>(scalar.completed(copy)).write_allocate);
  EXPECT_EQ(text(scalar.check(copy), "stores"), "regular");
  Cpu cpu;
  EXPECT_EQ(text(cpu.check(regular), "stores"), "regular");
  EXPECT_FALSE(std::get<Stream>(cpu.completed(Stream{StreamKind::read, 1000, DType::fp32, true}))
                   .write_allocate);
  if (isas_here().size() == 1) return;
  EXPECT_FALSE(std::get<Stream>(cpu.completed(copy)).write_allocate);
  EXPECT_EQ(text(cpu.check(copy), "stores"), "non-temporal");
}

TEST(CpuBackend, AStreamOfStatedSizeLiesWhereItFits) {
  Cpu cpu;
  const auto level = [&](std::uint64_t elements) {
    return std::get<Stream>(cpu.completed(Stream{StreamKind::read, elements, DType::fp64})).level;
  };
  // Every CPU that this runs on has a first level of more than 8 KiB for a thread.
  EXPECT_EQ(level(512), Boundary::l1);
}

TEST(CpuBackend, PeaksOfEveryTypeOrTheReason) {
  for (const Isa isa : isas_here()) {
    CpuOptions options = small();
    options.isa_cap = isa;
    Cpu cpu(options);
    for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16, DType::int8}) {
      SCOPED_TRACE(std::string(name(isa)) + " " + std::string(name(dtype)));
      const PeakProbe probe{dtype};
      if (const std::string refused = cpu.refusal(probe); !refused.empty()) {
        EXPECT_NE(refused.find("this CPU"), std::string::npos);
        continue;
      }
      EXPECT_GT(std::get<PeakProbe>(cpu.completed(probe)).flops, 0U);
      EXPECT_FALSE(text(cpu.check(probe), "kernel").empty());
      // One sample may have read a disturbed clock; a chain that was dropped would raise them all.
      const auto run = cpu.prepare(probe);
      for (int sample = 0; sample < 12; ++sample) (void)run->time(20);
      const Facts facts = run->facts();
      EXPECT_NE(find(facts, "of_ideal"), nullptr);
      EXPECT_FALSE(flag(facts, "above_ideal"));
    }
    EXPECT_NE(cpu.refusal(PeakProbe{DType::fp16}).find("fp16"), std::string::npos);
    EXPECT_NE(cpu.refusal(PeakProbe{DType::tf32}).find("tf32"), std::string::npos);
    EXPECT_NE(cpu.refusal(PeakProbe{DType::fp8_e4m3}).find("fp8"), std::string::npos);
  }
}

struct Mix {
  DType activation;
  DType weight;
  std::uint64_t group;
};

TEST(CpuBackend, ProjectionsOfEveryMixAreRight) {
  const Mix mixes[] = {{DType::fp32, DType::fp32, 0},  {DType::bf16, DType::bf16, 0},
                       {DType::bf16, DType::int8, 0},  {DType::bf16, DType::int8, 32},
                       {DType::bf16, DType::int8, 33}, {DType::fp32, DType::int8, 64},
                       {DType::fp32, DType::bf16, 0}};
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    for (const Mix& mix : mixes) {
      for (const std::uint64_t rows : {1U, 3U, 8U, 33U, 64U}) {
        Projection p;
        p.rows = rows;
        p.d_in = 129;
        p.d_out = 203;
        p.activation = mix.activation;
        p.weight = mix.weight;
        p.scale_group = mix.group;
        SCOPED_TRACE(std::string(name(isa)) + " " + std::string(name(mix.weight)) + " by " +
                     std::string(name(mix.activation)) + " rows " + std::to_string(rows));
        cpu.check(p);
      }
    }
  }
}

TEST(CpuBackend, WeightsRotateOverTheMemoryThereIs) {
  Cpu cpu(small(8));
  Projection p;
  p.rows = 1;
  p.d_in = 512;
  p.d_out = 512;
  p.activation = DType::fp32;
  const Facts facts = cpu.check(p);
  EXPECT_GE(std::get<std::uint64_t>(*find(facts, "weight_copies")), 6U);
  EXPECT_TRUE(flag(facts, "rotation_below_8x_l3"));
}

TEST(CpuBackend, ManyRowsAreAGemm) {
  Cpu cpu(alone(isas_here().back()));
  Projection p;
  p.rows = 100;
  p.d_in = 64;
  p.d_out = 96;
  p.activation = DType::fp32;
  if (const std::string refused = cpu.refusal(p); !refused.empty()) GTEST_SKIP() << refused;
  EXPECT_NE(text(cpu.check(p), "provider"), "roofline");
  p.weight = DType::int8;
  EXPECT_NE(cpu.refusal(p).find("at most 64 rows"), std::string::npos);
}

TEST(CpuBackend, ProjectionsThatItCannotDoAreRefused) {
  Cpu cpu;
  Projection p;
  p.rows = 1;
  p.d_in = 64;
  p.d_out = 64;
  p.activation = DType::fp16;
  EXPECT_NE(cpu.refusal(p).find("fp16"), std::string::npos);
  p.activation = DType::bf16;
  p.weight = DType::int4;
  EXPECT_NE(cpu.refusal(p).find("int4"), std::string::npos);
  p.weight = DType::int8;
  p.scale_group = 32;
  p.scale_bits = 32;
  EXPECT_NE(cpu.refusal(p).find("scale_bits 16"), std::string::npos);
}

TEST(CpuBackend, WhatOnlyADeviceBesideTheHostHasIsRefusedWithTheReason) {
  Cpu cpu(small(1));
  EXPECT_NE(cpu.refusal(Transfer{}).find("the CPU is the host"), std::string::npos);
  EXPECT_NE(cpu.refusal(Transfer{.bytes = 4096}).find("link"), std::string::npos);
  EXPECT_NE(cpu.refusal(Launch{LaunchPath::event}).find("events"), std::string::npos);
  EXPECT_NE(cpu.refusal(Launch{LaunchPath::graph}).find("graphs"), std::string::npos);
  for (const std::uint64_t rows : {1U, 100U}) {
    const Projection hot{.rows = rows, .d_in = 64, .d_out = 64, .level = Boundary::l2};
    EXPECT_NE(cpu.refusal(hot).find("l2"), std::string::npos);
  }
}

TEST(CpuBackend, ElementwiseChainsFusedAndNot) {
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    for (const DType dtype : {DType::fp32, DType::fp64}) {
      for (const std::uint64_t elements : {1U, 65U, 20011U}) {
        for (const std::uint64_t fused : {1U, 2U, 3U, 7U}) {
          for (const std::uint64_t inputs : {1U, 3U, 8U}) {
            Elementwise e;
            e.elements = elements;
            e.ops = 7;
            e.ops_per_kernel = fused;
            e.inputs = inputs;
            e.dtype = dtype;
            cpu.check(e);
          }
        }
      }
    }
    Elementwise narrow;
    narrow.elements = 10;
    narrow.dtype = DType::bf16;
    EXPECT_NE(cpu.refusal(narrow).find("bf16"), std::string::npos);
  }
}

TEST(CpuBackend, ASpoiledResultIsNeverVerified) {
  Elementwise chain;
  chain.elements = 5000;
  chain.dtype = DType::fp32;
  Projection matvec;
  matvec.rows = 1;
  matvec.d_in = 100;
  matvec.d_out = 100;
  matvec.activation = DType::fp32;
  std::vector<Workload> workloads{chain, matvec};
  for (const StreamKind kind : kinds()) workloads.emplace_back(Stream{kind, 5000, DType::fp32});
  for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16, DType::int8})
    workloads.emplace_back(PeakProbe{dtype});
  CpuOptions options = small();
  options.tamper = [](std::span<std::byte> result) { result[3] ^= std::byte{0x40}; };
  Cpu cpu(options);
  for (const Workload& workload : workloads) {
    if (!cpu.refusal(workload).empty()) continue;
    const Verification verification = cpu.prepare(workload)->verify();
    EXPECT_EQ(verification.state, VerificationState::incorrect)
        << kind_name(workload) << " " << shape_label(workload) << ": " << verification.detail;
  }
}

TEST(CpuBackend, OneThreadWhenAskedFor) {
  CpuOptions options = small();
  options.threads = 1;
  Cpu cpu(options);
  const Facts facts = cpu.check(Stream{StreamKind::copy, 10000, DType::fp64});
  EXPECT_EQ(std::get<std::uint64_t>(*find(facts, "threads")), 1U);
  EXPECT_TRUE(flag(facts, "pinned"));
}

TEST(CpuBackend, MoreThreadsThanCpusAreCutAndSaySo) {
  CpuOptions options = small();
  options.threads = 4096;
  Cpu cpu(options);
  const auto facts = cpu.device().facts;
  EXPECT_LT(std::get<std::uint64_t>(*find(facts, "threads")), 4096U);
  EXPECT_FALSE(text(facts, "threads_limited_by").empty());
}

TEST(CpuBackend, BareKernelsHaveNoCode) {
  Cpu cpu;
  Kernel kernel;
  kernel.flops = Count{10};
  kernel.read_bytes = Count{10};
  EXPECT_NE(cpu.refusal(kernel).find("explain"), std::string::npos);
}

TEST(CpuBackend, MalformedWorkloadsAreInputErrors) {
  Cpu cpu;
  EXPECT_THROW(static_cast<void>(cpu.refusal(gemm_of(0, 8, 8, DType::fp32))), InputError);
}

}  // namespace
}  // namespace roofline::cpu
