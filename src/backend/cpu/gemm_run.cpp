// GEMM through a library: operands by place, weights packed outside the timer and rotated, results
// checked on sampled entries.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "backend/cpu/gemm_library.hpp"
#include "backend/cpu/operands.hpp"
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

class GemmRun : public backend::PreparedRun {
 public:
  GemmRun(const Gemm& gemm, Context& context, GemmChoice chosen, std::uint64_t weight_bytes)
      : gemm_(gemm),
        rotation_bytes_(weight_bytes),
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
    return conditions_.sample(iterations, context_.library_thread(),
                              {
                                  .run =
                                      [&] {
                                        for (std::uint64_t i = 0; i < iterations; ++i)
                                          multiply_all();
                                      },
                                  .cpu_s = [&] { return cpu_seconds(); },
                                  .pinned = threads_problem_.empty(),
                                  .sleeps = threads_sleep(),
                              });
  }

  Verification verify() override {
    if (gemm_.beta != 0) {
      c_ = operand_array(context_, source_c(), 0, entries());
    } else {
      poison(c_.bytes(), gemm_output(gemm_));
    }
    context_.library_thread().call([&] { multiply_all(); });
    context_.tamper(c_.bytes());
    if (const auto hole = find_unwritten(c_.data(), gemm_output(gemm_), entries())) {
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
    out.push_back({"data_pattern", std::string(name(gemm_.data))});
    out.push_back({"weight_copies", copies_});
    out.push_back({"weight_rotation_byte", copies_ * gemm_.batch * slot_bytes_});
    if (rotation_bytes_ != 0 && copies_ * gemm_.batch * slot_bytes_ < rotation_bytes_)
      out.push_back({"rotation_below_8x_l3", true});
    if (packing_s_ > 0) out.push_back({"packing_s", packing_s_});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  [[nodiscard]] OperandSource source_a() const { return {gemm_.input, kSeedA, true, gemm_.data}; }
  [[nodiscard]] OperandSource source_b() const { return {gemm_.input, kSeedB, false, gemm_.data}; }
  [[nodiscard]] OperandSource source_c() const {
    return {gemm_output(gemm_), kSeedC, false, gemm_.data};
  }
  [[nodiscard]] std::uint64_t entries() const { return gemm_.batch * gemm_.m * gemm_.n; }

  /// Of the library's threads; of the process, in equal parts, where it does not tell.
  [[nodiscard]] std::vector<double> cpu_seconds() const {
    const unsigned threads = context_.threads();
    std::vector<double> out(threads);
    const std::uint32_t told = chosen_.provider->cpu_seconds(out.data(), threads);
    if (told == 0) std::fill(out.begin(), out.end(), process_cpu_s() / threads);
    return out;
  }

  /// Waiting threads sleep by default only after milliseconds; told to sleep at once, they use less
  /// than their CPU without anybody having taken it.
  static bool threads_sleep() {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && (policy[0] == 'p' || policy[0] == 'P');
  }

  void create_plan() {
    const GemmProvider& provider = *chosen_.provider;
    ErrorText error;
    const std::vector<std::uint32_t> cpus(context_.choice().cpus.begin(),
                                          context_.choice().cpus.end());
    if (!provider.set_threads(context_.threads(), cpus.data(), error.buffer()))
      threads_problem_ = error.str();
    const GemmRequest request = gemm_request(gemm_).value();
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

  /// A library held below what the CPU can do measures the environment, not the machine; one that
  /// does not heed a cap measures what was not asked for.
  void add_core_warning() {
    for (const Fact& fact : library_facts_) {
      const auto* const isa = std::get_if<std::string>(&fact.value);
      if (fact.key != "library_isa" || isa == nullptr) continue;
      const auto& cap = context_.options().isa_cap;
      if (cap && above_cap(*isa, *cap)) {
        library_facts_.push_back({"library_above_isa_cap", true});
      } else if (!cap && context_.host().isa.avx512f && !isa->starts_with("avx512")) {
        library_facts_.push_back({"library_below_cpu_isa", true});
      }
      return;
    }
  }

  void allocate() {
    const std::uint64_t batch = gemm_.batch;
    const auto fixed = static_cast<std::uint64_t>(gemm_memory(gemm_));
    copies_ = rotation_copies(batch * stride_, rotation_bytes_, fixed, context_.memory_budget());
    a_ = operand_array(context_, source_a(), 0, batch * gemm_.m * gemm_.k);
    const std::uint64_t c_bytes = entries() * storage_bits(gemm_output(gemm_)) / 8;
    c_ = context_.filled(c_bytes, [](Buffer& buffer, Part part) {
      std::fill(buffer.data() + part.begin, buffer.data() + part.end, std::byte{0});
    });
    weights_ = Buffer(batch * copies_ * stride_);
    for (std::uint64_t item = 0; item < batch; ++item) pack(item);
  }

  /// Operand number `slot` of the plan: all copies of the first item's weights, then of the
  /// second's.
  [[nodiscard]] std::byte* weights_of(std::uint64_t slot) const {
    return weights_.data() + slot * stride_;
  }

  void pack(std::uint64_t item) {
    const std::uint64_t n = gemm_.k * gemm_.n;
    const Buffer b = operand_array(context_, source_b(), item * n, n);
    if (plain_) copy_plain(b, item);
    context_.library_thread().call([&] {
      ErrorText error;
      for (std::uint64_t slot = item * copies_; slot < (item + 1) * copies_; ++slot) {
        const double start = wall_s();
        if (!chosen_.provider->pack(plan_.get(), slot, b.data(), weights_of(slot),
                                    error.buffer())) {
          throw backend::BackendError(error.str());
        }
        if (!plain_) packing_s_ = wall_s() - start;
      }
    });
  }

  /// A library without a layout of its own: every thread copies, and touches first, its part.
  void copy_plain(const Buffer& b, std::uint64_t item) {
    Team& team = context_.team();
    team.run([&](unsigned worker) {
      const Part part = part_of(b.size(), worker, team.size());
      for (std::uint64_t slot = item * copies_; slot < (item + 1) * copies_; ++slot) {
        std::copy(b.data() + part.begin, b.data() + part.end, weights_of(slot) + part.begin);
      }
    });
  }

  /// On the library's thread. Item by item, as a loop over a batch would; the weights of the next
  /// call are others.
  void multiply_all() {
    const std::uint64_t copy = next_copy_;
    next_copy_ = (next_copy_ + 1) % copies_;
    const std::uint64_t a_bytes = a_.size() / gemm_.batch;
    const std::uint64_t c_bytes = c_.size() / gemm_.batch;
    ErrorText error;
    for (std::uint64_t item = 0; item < gemm_.batch; ++item) {
      if (!chosen_.provider->run(plan_.get(), a_.data() + item * a_bytes, item * copies_ + copy,
                                 c_.data() + item * c_bytes, error.buffer())) {
        throw backend::BackendError(error.str());
      }
    }
  }

  [[nodiscard]] Comparison compare(std::uint64_t item) const {
    const DType output = gemm_output(gemm_);
    const DType accumulate = info(gemm_.input).accumulate;
    Comparison out;
    for (const auto& [row, column] : sample_entries(gemm_.m, gemm_.n, kSampledEntries)) {
      // Long double holds every product and partial sum of fp64 with 11 bits to spare.
      long double sum = 0;
      double squares = 0;
      for (std::uint64_t i = 0; i < gemm_.k; ++i) {
        const std::uint64_t at_a = gemm_.transpose_a ? i * gemm_.m + row : row * gemm_.k + i;
        const std::uint64_t at_b = gemm_.transpose_b ? column * gemm_.k + i : i * gemm_.n + column;
        const double a = operand_element(source_a(), item * gemm_.m * gemm_.k + at_a);
        const double b = operand_element(source_b(), item * gemm_.k * gemm_.n + at_b);
        sum += static_cast<long double>(a) * b;
        squares += a * b * a * b;
      }
      const std::uint64_t index = (item * gemm_.m + row) * gemm_.n + column;
      const double before = gemm_.beta == 0 ? 0 : operand_element(source_c(), index);
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
  std::uint64_t rotation_bytes_;  ///< of weight copies, as memory allows
  Context& context_;
  GemmChoice chosen_;
  PlanHandle plan_;
  Facts library_facts_;
  std::string threads_problem_;
  bool plain_ = false;
  std::uint64_t slot_bytes_ = 0;
  std::uint64_t stride_ = 0;  ///< slot_bytes_ in whole pages
  std::uint64_t copies_ = 1;
  std::uint64_t next_copy_ = 0;
  double packing_s_ = 0;
  Buffer a_;        ///< of all items of the batch
  Buffer weights_;  ///< operands of the plan, stride_ apart
  Buffer c_;
  Conditions conditions_ = context_.conditions();
};

GemmChoice library_for(const Gemm& gemm, Context& context) {
  GemmChoice chosen = choose_gemm_library(gemm.input, context.modules());
  if (chosen.provider == nullptr) throw backend::BackendError(chosen.problem);
  return chosen;
}

}  // namespace

std::unique_ptr<backend::PreparedRun> prepare_gemm(const Gemm& gemm, Context& context) {
  return std::make_unique<GemmRun>(gemm, context, library_for(gemm, context), context.dram_bytes());
}

std::unique_ptr<backend::PreparedRun> prepare_gemm_in_cache(const Gemm& gemm, Context& context) {
  return std::make_unique<GemmRun>(gemm, context, library_for(gemm, context), 0);
}

}  // namespace roofline::cpu
