// GEMM through a library: operands by place, weights packed outside the timer and rotated, results
// checked on sampled entries.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "backend/cpu/random.hpp"
#include "backend/cpu/timer.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kSeedA = 11;
constexpr std::uint64_t kSeedB = 12;
constexpr std::uint64_t kSeedC = 13;
constexpr std::size_t kSampledEntries = 256;
constexpr std::uint64_t kPage = 4096;

std::optional<MatrixType> matrix_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return MatrixType::f64;
    case DType::fp32:
      return MatrixType::f32;
    case DType::bf16:
      return MatrixType::bf16;
    case DType::int8:
      return MatrixType::int8;
    case DType::int32:
      return MatrixType::int32;
    default:
      return std::nullopt;
  }
}

DType output_of(const Gemm& gemm) { return gemm.output.value_or(info(gemm.input).output); }

std::optional<GemmRequest> request_of(const Gemm& gemm) {
  const auto input = matrix_type(gemm.input);
  const auto output = matrix_type(output_of(gemm));
  if (!input || !output || *input == MatrixType::int32) return std::nullopt;
  return GemmRequest{gemm.m,           gemm.n,           gemm.k,     *input,   *output,
                     gemm.transpose_a, gemm.transpose_b, gemm.alpha, gemm.beta};
}

std::string why_not(DType dtype) {
  switch (dtype) {
    case DType::fp16:
      return "fp16 GEMM is not offered by the CPU libraries in this build (it takes avx512_fp16); "
             "use bf16";
    case DType::tf32:
      return "tf32 is a GPU type; CPUs multiply fp32 in full";
    case DType::int4:
      return "no CPU library multiplies int4; use int8, or int4 weights in a projection elsewhere";
    default:
      return std::string("CPUs have no ") + std::string(name(dtype)) +
             " arithmetic; use bf16 or int8";
  }
}

/// Sizes in byte of one product's operands, as doubles: they may exceed any integer before they are
/// refused.
struct Bytes {
  double a;
  double b;
  double c;
};
Bytes bytes_of(const Gemm& gemm) {
  const auto m = static_cast<double>(gemm.m);
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  const double in = storage_bits(gemm.input) / 8.0;
  return {m * k * in, k * n * in, m * n * storage_bits(output_of(gemm)) / 8.0};
}

/// Everything at once, with one copy of the weights in the library's layout and one as it is
/// generated.
double memory_of(const Gemm& gemm) {
  const Bytes one = bytes_of(gemm);
  return static_cast<double>(gemm.batch) * (one.a + one.b + one.c) + one.b;
}

struct Chosen {
  GemmLibrary library = GemmLibrary::onednn;
  const GemmProvider* provider = nullptr;
  std::string instead_of;  ///< why it is not the first choice
  std::string problem;
};

Chosen choose_library(DType input, GemmModules& modules) {
  const bool doubles = input == DType::fp64;
  const GemmLibrary first = doubles ? GemmLibrary::openblas : GemmLibrary::onednn;
  const GemmModule& module = modules.get(first);
  if (module.provider != nullptr || input != DType::fp32)
    return {first, module.provider, "", module.problem};
  const GemmModule& other = modules.get(GemmLibrary::openblas);
  if (other.provider == nullptr) return {first, nullptr, "", module.problem};
  return {GemmLibrary::openblas, other.provider, "oneDNN: " + module.problem, ""};
}

struct ErrorText {
  std::array<char, 512> text{};
  TextBuffer buffer() { return {text.data(), text.size()}; }
  [[nodiscard]] std::string str() const { return text.data(); }
};

struct PlanDeleter {
  const GemmProvider* provider;
  void operator()(void* plan) const { provider->destroy(plan); }
};
using PlanHandle = std::unique_ptr<void, PlanDeleter>;

Buffer random_matrix(Context& context, DType dtype, std::uint64_t n, std::uint64_t seed,
                     bool unsigned_bytes) {
  switch (dtype) {
    case DType::fp64:
      return context.filled_with<double>(n, [seed](std::size_t i) { return random_fp64(seed, i); });
    case DType::fp32:
      return context.filled_with<float>(n, [seed](std::size_t i) { return random_fp32(seed, i); });
    case DType::bf16:
      return context.filled_with<std::uint16_t>(
          n, [seed](std::size_t i) { return random_bf16(seed, i); });
    default:
      break;
  }
  if (unsigned_bytes) {
    return context.filled_with<std::uint8_t>(
        n, [seed](std::size_t i) { return random_uint7(seed, i); });
  }
  return context.filled_with<std::int8_t>(n,
                                          [seed](std::size_t i) { return random_int8(seed, i); });
}

double random_element(DType dtype, std::uint64_t seed, std::uint64_t index, bool unsigned_bytes) {
  switch (dtype) {
    case DType::fp64:
      return random_fp64(seed, index);
    case DType::fp32:
      return static_cast<double>(random_fp32(seed, index));
    case DType::bf16:
      return static_cast<double>(from_bf16(random_bf16(seed, index)));
    default:
      break;
  }
  return unsigned_bytes ? random_uint7(seed, index) : random_int8(seed, index);
}

class GemmRun : public backend::PreparedRun {
 public:
  GemmRun(const Gemm& gemm, Context& context, Chosen chosen)
      : gemm_(gemm),
        context_(context),
        chosen_(std::move(chosen)),
        plan_(nullptr, {chosen_.provider}) {
    context_.library_thread().call([&] { create_plan(); });
    allocate();
  }

  ~GemmRun() override {
    context_.library_thread().call([&] { plan_.reset(); });
  }

  Sample time(std::uint64_t iterations) override {
    double took = 0;
    double cpu = 0;
    context_.library_thread().call([&] {
      conditions_.add_clock(core_clock_hz());
      const double start = wall_s();
      const double cpu_start = process_cpu_s();
      for (std::uint64_t i = 0; i < iterations; ++i) multiply_all();
      cpu = process_cpu_s() - cpu_start;
      took = wall_s() - start;
    });
    // The library's threads have no clocks of ours: the process's CPU time stands for all of them
    // together.
    const double share = took > 0 ? std::min(1.0, cpu / took / context_.threads()) : 1;
    return {second(took), iterations, share, share >= kCleanShare};
  }

  Verification verify() override {
    if (gemm_.beta != 0) {
      c_ =
          random_matrix(context_, output_of(gemm_), gemm_.batch * gemm_.m * gemm_.n, kSeedC, false);
    } else {
      poison(c_.bytes(), output_of(gemm_));
    }
    context_.library_thread().call([&] { multiply_all(); });
    context_.tamper(c_.bytes());
    const std::uint64_t entries = gemm_.batch * gemm_.m * gemm_.n;
    if (const auto hole = find_unwritten(c_.data(), output_of(gemm_), entries)) {
      return {VerificationState::incorrect,
              "entry " + std::to_string(*hole) + " of the result is no number"};
    }
    Comparison all;
    for (std::uint64_t item = 0; item < gemm_.batch; ++item) all.merge(compare(item));
    return verdict(all, "float64 (corners and sampled entries; every entry is a number)");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string(chosen_.provider->library)});
    if (!chosen_.instead_of.empty()) out.push_back({"provider_instead_of", chosen_.instead_of});
    out.insert(out.end(), library_facts_.begin(), library_facts_.end());
    out.push_back({"library_threads_pinned",
                   threads_problem_.empty() ? FactValue{true} : Unknown{threads_problem_}});
    out.push_back({"weight_copies", copies_});
    out.push_back({"weight_rotation_byte", copies_ * gemm_.batch * slot_bytes_});
    if (copies_ * gemm_.batch * slot_bytes_ < context_.dram_bytes())
      out.push_back({"rotation_below_8x_l3", true});
    if (packing_s_ > 0) out.push_back({"packing_s", packing_s_});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  [[nodiscard]] std::uint64_t seed(std::uint64_t base, std::uint64_t item) const {
    return base + 16 * item;
  }

  void create_plan() {
    const GemmProvider& provider = *chosen_.provider;
    ErrorText error;
    const std::vector<std::uint32_t> cpus(context_.choice().cpus.begin(),
                                          context_.choice().cpus.end());
    if (!provider.set_threads(context_.threads(), cpus.data(), error.buffer()))
      threads_problem_ = error.str();
    const GemmRequest request = request_of(gemm_).value();
    plan_.reset(provider.create(&request, error.buffer()));
    if (!plan_) throw backend::BackendError(error.str());
    const std::uint64_t packed = provider.packed_bytes(plan_.get());
    plain_ = packed == 0;
    slot_bytes_ = plain_ ? gemm_.k * gemm_.n * storage_bits(gemm_.input) / 8 : packed;
    stride_ = (slot_bytes_ + kPage - 1) / kPage * kPage;
    library_facts_ = describe_library(provider);
    for (Fact& fact : describe_plan(provider, plan_.get()))
      library_facts_.push_back(std::move(fact));
    add_core_warning();
  }

  /// A library held below what the CPU can do measures the environment, not the machine.
  void add_core_warning() {
    for (const Fact& fact : library_facts_) {
      const auto* const isa = std::get_if<std::string>(&fact.value);
      if (fact.key != "library_isa" || isa == nullptr) continue;
      const bool wide = context_.host().isa.avx512f;
      if (wide && isa->find("avx512") == std::string::npos) {
        library_facts_.push_back({"library_below_cpu_isa", true});
        return;
      }
    }
  }

  void allocate() {
    const std::uint64_t batch = gemm_.batch;
    const auto fixed = static_cast<std::uint64_t>(memory_of(gemm_));
    copies_ =
        rotation_copies(batch * stride_, context_.dram_bytes(), fixed, context_.memory_budget());
    for (std::uint64_t item = 0; item < batch; ++item) {
      a_items_.push_back(
          random_matrix(context_, gemm_.input, gemm_.m * gemm_.k, seed(kSeedA, item), true));
    }
    const std::uint64_t c_bytes = batch * gemm_.m * gemm_.n * storage_bits(output_of(gemm_)) / 8;
    c_ = context_.filled(c_bytes, [](Buffer& buffer, Part part) {
      std::fill(buffer.data() + part.begin, buffer.data() + part.end, std::byte{0});
    });
    for (std::uint64_t item = 0; item < batch; ++item) pack(item);
  }

  /// All copies of one item's weights, in one buffer.
  void pack(std::uint64_t item) {
    const Buffer b =
        random_matrix(context_, gemm_.input, gemm_.k * gemm_.n, seed(kSeedB, item), false);
    Buffer all = plain_
                     ? context_.filled(copies_ * stride_,
                                       [&](Buffer& buffer, Part part) { repeat(b, buffer, part); })
                     : Buffer(copies_ * stride_);
    context_.library_thread().call([&] {
      ErrorText error;
      for (std::uint64_t copy = 0; copy < copies_; ++copy) {
        const double start = wall_s();
        if (!chosen_.provider->pack(plan_.get(), item * copies_ + copy, b.data(),
                                    all.data() + copy * stride_, error.buffer())) {
          throw backend::BackendError(error.str());
        }
        if (!plain_) packing_s_ = wall_s() - start;
      }
    });
    weights_.push_back(std::move(all));
  }

  /// `part` of a buffer that holds `plain` every stride_ bytes.
  void repeat(const Buffer& plain, const Buffer& buffer, Part part) const {
    for (std::size_t at = part.begin; at < part.end;) {
      const std::size_t inside = at % stride_;
      const std::size_t end = std::min(part.end, at - inside + stride_);
      const std::size_t copied =
          inside < plain.size() ? std::min(end - at, plain.size() - inside) : 0;
      std::copy_n(plain.data() + inside, copied, buffer.data() + at);
      at = end;
    }
  }

  /// On the library's thread. Item by item, as a loop over a batch would; the weights of the next
  /// call are others.
  void multiply_all() {
    const std::uint64_t copy = next_copy_;
    next_copy_ = (next_copy_ + 1) % copies_;
    const std::uint64_t c_bytes = c_.size() / gemm_.batch;
    ErrorText error;
    for (std::uint64_t item = 0; item < gemm_.batch; ++item) {
      if (!chosen_.provider->run(plan_.get(), a_items_[item].data(), item * copies_ + copy,
                                 c_.data() + item * c_bytes, error.buffer())) {
        throw backend::BackendError(error.str());
      }
    }
  }

  [[nodiscard]] Comparison compare(std::uint64_t item) const {
    const DType output = output_of(gemm_);
    const DType accumulate = info(gemm_.input).accumulate;
    Comparison out;
    for (const auto& [row, column] : sample_entries(gemm_.m, gemm_.n, kSampledEntries)) {
      // Long double holds every product and partial sum of fp64 with 11 bits to spare.
      long double sum = 0;
      double squares = 0;
      for (std::uint64_t i = 0; i < gemm_.k; ++i) {
        const std::uint64_t at_a = gemm_.transpose_a ? i * gemm_.m + row : row * gemm_.k + i;
        const std::uint64_t at_b = gemm_.transpose_b ? column * gemm_.k + i : i * gemm_.n + column;
        const double a = random_element(gemm_.input, seed(kSeedA, item), at_a, true);
        const double b = random_element(gemm_.input, seed(kSeedB, item), at_b, false);
        sum += static_cast<long double>(a) * b;
        squares += a * b * a * b;
      }
      const std::uint64_t index = (item * gemm_.m + row) * gemm_.n + column;
      const double before = gemm_.beta == 0 ? 0 : random_element(output, kSeedC, index, false);
      const auto expected =
          static_cast<double>(gemm_.alpha * sum + static_cast<long double>(gemm_.beta) * before);
      const double scaled =
          gemm_.alpha * gemm_.alpha * squares + gemm_.beta * before * gemm_.beta * before;
      out.add(index, load_element(c_.data(), output, index), expected,
              product_bound(gemm_.k, scaled, expected, accumulate, output));
    }
    return out;
  }

  Gemm gemm_;
  Context& context_;
  Chosen chosen_;
  PlanHandle plan_;
  Facts library_facts_;
  std::string threads_problem_;
  bool plain_ = false;
  std::uint64_t slot_bytes_ = 0;
  std::uint64_t stride_ = 0;  ///< slot_bytes_ in whole pages
  std::uint64_t copies_ = 1;
  std::uint64_t next_copy_ = 0;
  double packing_s_ = 0;
  std::vector<Buffer> a_items_;
  std::vector<Buffer> weights_;  ///< by item; copies lie stride_ apart
  Buffer c_;
  ConditionLog conditions_;
};

}  // namespace

Support support_gemm(const Gemm& gemm, Context& context) {
  const auto request = request_of(gemm);
  if (!matrix_type(gemm.input)) return backend::Unsupported{why_not(gemm.input)};
  if (!request) {
    return backend::Unsupported{"the CPU libraries do not write " +
                                std::string(name(output_of(gemm))) + " results"};
  }
  if (gemm.accumulate && *gemm.accumulate != info(gemm.input).accumulate) {
    return backend::Unsupported{"the CPU sums " + std::string(name(gemm.input)) + " products in " +
                                std::string(name(info(gemm.input).accumulate)) + " only"};
  }
  if (gemm.convert_a_from || gemm.convert_b_from) {
    return backend::Unsupported{
        "operands converted through a buffer are not measured on the CPU; leave the conversion "
        "out"};
  }
  const double element = storage_bits(gemm.input) / 8.0;
  const double output = storage_bits(output_of(gemm)) / 8.0;
  const std::uint64_t n =
      largest_within(static_cast<double>(context.memory_budget()),
                     [&](double size) { return size * size * (3 * element + output); });
  if (auto refused = too_large(context, memory_of(gemm),
                               "the largest square that fits is n = " + std::to_string(n))) {
    return *refused;
  }
  const Chosen chosen = choose_library(gemm.input, context.modules());
  if (chosen.provider == nullptr) return backend::Unsupported{chosen.problem};
  ErrorText error;
  bool possible = false;
  context.library_thread().call([&] {
    const PlanHandle plan(chosen.provider->create(&*request, error.buffer()), {chosen.provider});
    possible = plan != nullptr;
  });
  if (!possible) return backend::Unsupported{error.str()};
  return Workload{gemm};
}

std::unique_ptr<backend::PreparedRun> prepare_gemm(const Gemm& gemm, Context& context) {
  Chosen chosen = choose_library(gemm.input, context.modules());
  if (chosen.provider == nullptr) throw backend::BackendError(chosen.problem);
  return std::make_unique<GemmRun>(gemm, context, std::move(chosen));
}

}  // namespace roofline::cpu
