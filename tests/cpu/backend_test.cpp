#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "backend/cpu/cpu_backend.hpp"
#include "isas.hpp"
#include "roofline/account.hpp"
#include "roofline/error.hpp"

namespace roofline::cpu {
namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

const FactValue* find(const Facts& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

std::string text(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  const auto* const held = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  return held != nullptr ? *held : std::string();
}

bool flag(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  return value != nullptr && *value == FactValue{true};
}

/// Little memory, so that nothing is rotated over hundreds of megabytes.
CpuOptions small(std::uint64_t mebibytes = 24) {
  CpuOptions out;
  out.memory_cap = mebibytes << 20;
  return out;
}

/// One thread on one code path, for many small workloads: several would mostly wait for each other.
CpuOptions alone(Isa isa) {
  CpuOptions out = small(3);
  out.threads = 1;
  out.isa_cap = isa;
  return out;
}

class Cpu {
 public:
  explicit Cpu(CpuOptions options = small()) : backend_(make_cpu_backend(std::move(options))) {}

  backend::Backend& operator*() { return *backend_; }
  [[nodiscard]] backend::Device device() { return backend_->devices().front(); }
  [[nodiscard]] std::string refusal(const Workload& workload) {
    const auto answer = backend_->supports(workload, device());
    const auto* const refused = std::get_if<backend::Unsupported>(&answer);
    return refused != nullptr ? refused->reason : std::string();
  }
  [[nodiscard]] Workload completed(const Workload& workload) {
    return std::get<Workload>(backend_->supports(workload, device()));
  }
  [[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload) {
    return backend_->prepare(completed(workload), device());
  }
  /// Prepares, verifies and times; returns the facts.
  Facts check(const Workload& workload) {
    const auto run = prepare(workload);
    const Verification verification = run->verify();
    EXPECT_EQ(verification.state, VerificationState::verified) << verification.detail;
    const Sample sample = run->time(2);
    EXPECT_EQ(sample.iterations, 2U);
    EXPECT_GT(in_second(sample.duration), 0);
    EXPECT_TRUE(sample.cpu_share.has_value());
    if (sample.cpu_share) {
      EXPECT_GE(*sample.cpu_share, 0);
      EXPECT_LE(*sample.cpu_share, 1);
      EXPECT_EQ(sample.clean, *sample.cpu_share >= 0.985);
    }
    return run->facts();
  }

 private:
  std::unique_ptr<backend::Backend> backend_;
};

std::vector<StreamKind> kinds() {
  return {StreamKind::read,  StreamKind::write, StreamKind::copy,
          StreamKind::scale, StreamKind::add,   StreamKind::triad};
}

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
          EXPECT_TRUE(flag(facts, "array_below_8x_l3"));
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
  const Stream copy{StreamKind::copy, 1000, DType::fp32};
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
      const Facts facts = cpu.check(probe);
      EXPECT_FALSE(text(facts, "kernel").empty());
      EXPECT_NE(find(facts, "of_ideal"), nullptr);
      EXPECT_FALSE(flag(facts, "above_ideal"));
    }
    EXPECT_NE(cpu.refusal(PeakProbe{DType::fp16}).find("fp16"), std::string::npos);
    EXPECT_NE(cpu.refusal(PeakProbe{DType::tf32}).find("tf32"), std::string::npos);
    EXPECT_NE(cpu.refusal(PeakProbe{DType::fp8_e4m3}).find("fp8"), std::string::npos);
  }
}

Gemm gemm_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, DType input) {
  Gemm out;
  out.m = m;
  out.n = n;
  out.k = k;
  out.input = input;
  return out;
}

class GemmTypes : public testing::TestWithParam<DType> {};

TEST_P(GemmTypes, AwkwardShapesAreRight) {
  Cpu cpu(alone(isas_here().back()));
  const std::uint64_t shapes[][3] = {{1, 1, 1},     {7, 13, 5},    {64, 64, 64},
                                     {65, 33, 129}, {1, 100, 300}, {130, 257, 100}};
  for (const auto& [m, n, k] : shapes) {
    const Gemm gemm = gemm_of(m, n, k, GetParam());
    if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
    const Facts facts = cpu.check(gemm);
    EXPECT_EQ(text(facts, "provider"), GetParam() == DType::fp64 ? "OpenBLAS" : "oneDNN");
    EXPECT_FALSE(text(facts, "library_threading").empty());
  }
}

TEST_P(GemmTypes, TransposedOperandsAndBatches) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(33, 47, 29, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      gemm.transpose_a = a;
      gemm.transpose_b = b;
      cpu.check(gemm);
    }
  }
  gemm.batch = 3;
  cpu.check(gemm);
}

TEST_P(GemmTypes, AlphaAndBeta) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(20, 30, 40, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  gemm.alpha = 0.75;
  gemm.beta = -0.5;
  if (GetParam() == DType::int8) {
    EXPECT_NE(cpu.refusal(gemm).find("alpha 1"), std::string::npos);
    return;
  }
  cpu.check(gemm);
  gemm.alpha = 1;
  cpu.check(gemm);
}

TEST_P(GemmTypes, AWrongEntryIsFound) {
  CpuOptions options = alone(isas_here().back());
  options.tamper = [](std::span<std::byte> result) {
    result[result.size() - 1] ^= std::byte{0x40};
  };
  Cpu cpu(options);
  const Gemm gemm = gemm_of(90, 80, 70, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  EXPECT_EQ(cpu.prepare(gemm)->verify().state, VerificationState::incorrect);
}

INSTANTIATE_TEST_SUITE_P(CpuBackend, GemmTypes,
                         testing::Values(DType::fp64, DType::fp32, DType::bf16, DType::int8),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST(CpuBackend, ThreadsShareAProduct) {
  if (kThreadSanitizer) GTEST_SKIP() << "it can't see how OpenMP's threads wait for each other";
  Cpu cpu(small(2));
  for (const DType dtype : {DType::fp64, DType::fp32}) {
    const Gemm gemm = gemm_of(101, 103, 107, dtype);
    if (!cpu.refusal(gemm).empty()) continue;
    const Facts facts = cpu.check(gemm);
    EXPECT_EQ(*find(facts, "library_threads"), *find(facts, "threads"));
    EXPECT_TRUE(flag(facts, "library_threads_pinned"));
  }
}

TEST(CpuBackend, Bf16ProductsMayStayInFp32) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(50, 60, 70, DType::bf16);
  gemm.output = DType::fp32;
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  cpu.check(gemm);
}

TEST(CpuBackend, GemmsThatNoCpuDoesAreRefusedWithTheReason) {
  Cpu cpu;
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::fp16)).find("fp16"), std::string::npos);
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::tf32)).find("tf32"), std::string::npos);
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::fp8_e4m3)).find("fp8_e4m3"), std::string::npos);
  Gemm half_sums = gemm_of(8, 8, 8, DType::bf16);
  half_sums.accumulate = DType::fp16;
  EXPECT_NE(cpu.refusal(half_sums).find("fp32 only"), std::string::npos);
  Gemm converted = gemm_of(8, 8, 8, DType::bf16);
  converted.convert_a_from = DType::fp32;
  EXPECT_FALSE(cpu.refusal(converted).empty());
}

TEST(CpuBackend, SizesBeyondMemoryAreRefusedWithWhatWouldFit) {
  Cpu cpu(small(300));
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  EXPECT_NE(cpu.refusal(gemm_of(1'000'000, 1'000'000, 1'000'000, DType::fp32)).find("n = 4434"),
            std::string::npos)
      << cpu.refusal(gemm_of(1'000'000, 1'000'000, 1'000'000, DType::fp32));
  EXPECT_FALSE(cpu.refusal(gemm_of(kHuge, kHuge, kHuge, DType::fp64)).empty());
  // 300 MiB in three arrays of 8 bytes.
  EXPECT_NE(cpu.refusal(Stream{StreamKind::add, kHuge, DType::fp64}).find("13107200 elements"),
            std::string::npos);
  Elementwise long_chain;
  long_chain.dtype = DType::fp32;
  long_chain.elements = kHuge;
  EXPECT_NE(cpu.refusal(long_chain).find("elements"), std::string::npos);
  Projection wide;
  wide.rows = 1;
  wide.d_in = kHuge;
  wide.d_out = kHuge;
  EXPECT_NE(cpu.refusal(wide).find("largest square matrix"), std::string::npos);
}

TEST(CpuBackend, MissingModulesAreAReasonWithAPackage) {
  CpuOptions options = small();
  options.module_directory = "/nowhere";
  Cpu cpu(options);
  const std::string doubles = cpu.refusal(gemm_of(8, 8, 8, DType::fp64));
  EXPECT_NE(doubles.find("/nowhere/roofline_openblas.so"), std::string::npos) << doubles;
  EXPECT_NE(doubles.find("libopenblas0-openmp"), std::string::npos);
  const std::string halves = cpu.refusal(gemm_of(8, 8, 8, DType::bf16));
  EXPECT_NE(halves.find("/nowhere/roofline_onednn.so"), std::string::npos) << halves;
  EXPECT_NE(halves.find("libdnnl"), std::string::npos);
  // What needs no library is not touched by it.
  cpu.check(Stream{StreamKind::triad, 1000, DType::fp32});
}

TEST(CpuBackend, Fp32FallsBackToOpenBlas) {
  const fs::path module = fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
                          "lib/roofline/roofline_openblas.so";
  if (!fs::exists(module)) GTEST_SKIP() << "OpenBLAS is not in this build";
  const fs::path folder =
      fs::temp_directory_path() / ("roofline_modules_" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::create_symlink(module, folder / "roofline_openblas.so");
  CpuOptions options = alone(isas_here().back());
  options.module_directory = folder;
  Cpu cpu(options);
  const Facts facts = cpu.check(gemm_of(31, 17, 23, DType::fp32));
  EXPECT_EQ(text(facts, "provider"), "OpenBLAS");
  EXPECT_NE(text(facts, "provider_instead_of").find("oneDNN"), std::string::npos);
  EXPECT_FALSE(text(facts, "library_core").empty());
  fs::remove_all(folder);
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
  for (const StreamKind kind : kinds()) workloads.push_back(Stream{kind, 5000, DType::fp32});
  for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16, DType::int8})
    workloads.push_back(PeakProbe{dtype});
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
