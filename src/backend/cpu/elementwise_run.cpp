// Elementwise chains: alternately a multiplication and an addition, fused into passes as the
// workload says.
#include <algorithm>
#include <cmath>

#include "backend/cpu/random.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"
#include "kernels/cpu/elementwise.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kSeedInput = 31;
/// Elements that are checked together.
constexpr std::size_t kBlock = 256;

std::uint64_t passes_of(const Elementwise& e) {
  return e.ops / e.ops_per_kernel + (e.ops % e.ops_per_kernel != 0 ? 1 : 0);
}

/// Inputs, result, and as many intermediates as are alive at once.
std::uint64_t arrays_of(const Elementwise& e) {
  return e.inputs + 1 + std::min<std::uint64_t>(passes_of(e) - 1, 2);
}

/// In [0.5, 1): multiplied again and again, values shrink but the additions keep them from
/// vanishing.
double constant_of(std::uint64_t op) { return 0.75 + 0.25 * random_fp64(kSeedInput + 1000, op); }

template <class T>
class ElementwiseRun : public backend::PreparedRun {
 public:
  ElementwiseRun(const Elementwise& elementwise, Context& context)
      : e_(elementwise), context_(context), kernels_(elementwise_kernels(context.isa())) {
    const std::uint64_t set_bytes = arrays_of(e_) * copy_stride<T>(e_.elements);
    sets_ = rotation_copies(set_bytes, context.dram_bytes(), 0, context.memory_budget());
    for (std::uint64_t input = 0; input < e_.inputs; ++input) {
      const std::uint64_t seed = kSeedInput + input;
      inputs_.push_back(context_.filled_copies<T>(
          sets_, e_.elements, [seed](std::size_t i) { return value(seed, i); }));
    }
    output_ = zeros();
    for (std::uint64_t i = 0; i + 1 < passes_of(e_) && i < 2; ++i)
      intermediates_.push_back(zeros());
  }

  Sample time(std::uint64_t iterations) override {
    const std::uint64_t first = next_;
    next_ = (next_ + iterations) % sets_;
    return conditions_.sample(iterations, [&](unsigned worker) {
      for (std::uint64_t i = 0; i < iterations; ++i) run(worker, (first + i) % sets_);
    });
  }

  Verification verify() override {
    const std::uint64_t set = next_;
    Team& team = context_.team();
    poison(result(set), e_.dtype);
    team.run([&](unsigned worker) { run(worker, set); });
    context_.tamper(result(set));
    std::vector<Comparison> parts(team.size());
    team.run([&](unsigned worker) { parts[worker] = check(worker, set); });
    Comparison all;
    for (const Comparison& part : parts) all.merge(part);
    return verdict(all, check_stride() == 1
                            ? "the chain in float64, every element"
                            : "the chain in float64, blocks of 256 elements from end to end");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    out.push_back({"stores", std::string(kernels_.non_temporal ? "non-temporal" : "regular")});
    const std::uint64_t bytes = sets_ * arrays_of(e_) * e_.elements * sizeof(T);
    out.push_back({"operand_sets", sets_});
    out.push_back({"rotation_byte", bytes});
    if (bytes < context_.dram_bytes()) out.push_back({"rotation_below_8x_l3", true});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  [[nodiscard]] std::span<std::byte> result(std::uint64_t set) const {
    return {reinterpret_cast<std::byte*>(of_set(output_, set)), e_.elements * sizeof(T)};
  }

  Buffer zeros() {
    return context_.filled_copies<T>(sets_, e_.elements, [](std::size_t) { return T{0}; });
  }

  /// The array of one set.
  [[nodiscard]] T* of_set(const Buffer& buffer, std::uint64_t set) const {
    return reinterpret_cast<T*>(buffer.data() + set * copy_stride<T>(e_.elements));
  }

  static T value(std::uint64_t seed, std::uint64_t index) {
    if constexpr (sizeof(T) == 8) {
      return random_fp64(seed, index);
    } else {
      return random_fp32(seed, index);
    }
  }

  /// Operation `op` of the chain for a thread whose part starts at element `first`. The first ones
  /// bring in the other inputs.
  [[nodiscard]] ElementStep<T> step(std::uint64_t set, std::uint64_t op, std::size_t first) const {
    const bool multiplies = op % 2 == 0;
    ElementStep<T> out;
    if (op + 1 < e_.inputs) {
      out.op = multiplies ? ElementOp::multiply_tensor : ElementOp::add_tensor;
      out.tensor = of_set(inputs_[op + 1], set) + first;
    } else {
      out.op = multiplies ? ElementOp::multiply_constant : ElementOp::add_constant;
      out.constant = static_cast<T>(constant_of(op));
    }
    return out;
  }

  void run(unsigned worker, std::uint64_t set) {
    const Part part = part_of(e_.elements * sizeof(T), worker, context_.threads());
    const std::size_t first = part.begin / sizeof(T);
    const T* from = of_set(inputs_[0], set) + first;
    std::vector<ElementStep<T>> steps;
    for (std::uint64_t pass = 0; pass < passes_of(e_); ++pass) {
      const std::uint64_t begin = pass * e_.ops_per_kernel;
      const std::uint64_t end = std::min(e_.ops, begin + e_.ops_per_kernel);
      steps.clear();
      for (std::uint64_t op = begin; op < end; ++op) steps.push_back(step(set, op, first));
      const bool last = end == e_.ops;
      T* const to = of_set(last ? output_ : intermediates_[pass % 2], set) + first;
      if constexpr (sizeof(T) == 8) {
        kernels_.f64(to, from, steps, part.size() / sizeof(T));
      } else {
        kernels_.f32(to, from, steps, part.size() / sizeof(T));
      }
      from = to;
      // Passes are kernels of their own: the next starts when all threads are through.
      context_.team().meet();
    }
  }

  /// All elements, or every stride-th block of them where the chain is so long that checking would
  /// take seconds.
  [[nodiscard]] Comparison check(unsigned worker, std::uint64_t set) const {
    const Part part = part_of(e_.elements * sizeof(T), worker, context_.threads());
    std::vector<ElementStep<T>> steps;
    for (std::uint64_t op = 0; op < e_.ops; ++op) steps.push_back(step(set, op, 0));
    Comparison out;
    const std::size_t end = part.end / sizeof(T);
    for (std::size_t first = part.begin / sizeof(T); first < end;
         first += kBlock * check_stride()) {
      check_block(set, steps, first, std::min(kBlock, end - first), out);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t check_stride() const {
    constexpr double kMostSteps = 5e8;
    const double steps = static_cast<double>(e_.elements) * static_cast<double>(e_.ops);
    return static_cast<std::uint64_t>(steps / kMostSteps) + 1;
  }

  void check_block(std::uint64_t set, const std::vector<ElementStep<T>>& steps, std::size_t first,
                   std::size_t n, Comparison& out) const {
    // The reference rounds as well, in float64; that matters where the chain is float64 itself.
    constexpr double u = sizeof(T) == 8 ? 0x1p-52 : 0x1p-24;
    double expected[kBlock];
    double error[kBlock] = {};
    for (std::size_t i = 0; i < n; ++i)
      expected[i] = static_cast<double>(of_set(inputs_[0], set)[first + i]);
    for (const ElementStep<T>& s : steps) {
      const bool multiplies =
          s.op == ElementOp::multiply_constant || s.op == ElementOp::multiply_tensor;
      for (std::size_t i = 0; i < n; ++i) {
        const auto operand =
            static_cast<double>(s.tensor == nullptr ? s.constant : s.tensor[first + i]);
        expected[i] = multiplies ? expected[i] * operand : expected[i] + operand;
        if (multiplies) error[i] *= std::fabs(operand);
        error[i] += 1.01 * u * (std::fabs(expected[i]) + error[i]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      out.add(first + i, static_cast<double>(of_set(output_, set)[first + i]), expected[i],
              error[i]);
    }
  }

  Elementwise e_;
  Context& context_;
  const ElementwiseKernels& kernels_;
  std::uint64_t sets_ = 1;  ///< of operands, used in turn
  std::vector<Buffer> inputs_;
  Buffer output_;
  std::vector<Buffer> intermediates_;  ///< at most two, used in turn
  std::uint64_t next_ = 0;
  Conditions conditions_ = context_.conditions();
};

}  // namespace

Support support_elementwise(const Elementwise& elementwise, const Context& context) {
  if (elementwise.dtype != DType::fp32 && elementwise.dtype != DType::fp64) {
    return backend::Unsupported{"the CPU's elementwise kernels compute in fp32 and fp64, not " +
                                std::string(name(elementwise.dtype))};
  }
  if (elementwise.ops > 1'000'000) {
    return backend::Unsupported{"a chain of " + std::to_string(elementwise.ops) +
                                " operations is too long; use at most 1000000"};
  }
  Elementwise out = elementwise;
  const std::uint64_t element = storage_bits(out.dtype) / 8;
  if (out.elements == 0) {
    out.elements =
        stream_array_bytes(context.dram_bytes(), arrays_of(out), context.memory_budget()) / element;
    if (out.elements == 0)
      return backend::Unsupported{"there is no memory left for even one cache line per array"};
  }
  const auto per_element = static_cast<double>(arrays_of(out) * element);
  const auto fit =
      static_cast<std::uint64_t>(static_cast<double>(context.memory_budget()) / per_element);
  if (auto refused = too_large(context, static_cast<double>(out.elements) * per_element,
                               "use at most " + std::to_string(fit) + " elements")) {
    return *refused;
  }
  return Workload{out};
}

std::unique_ptr<backend::PreparedRun> prepare_elementwise(const Elementwise& elementwise,
                                                          Context& context) {
  if (elementwise.dtype == DType::fp64)
    return std::make_unique<ElementwiseRun<double>>(elementwise, context);
  return std::make_unique<ElementwiseRun<float>>(elementwise, context);
}

}  // namespace roofline::cpu
