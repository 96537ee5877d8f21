// Elementwise chains: alternately a multiplication and an addition, fused into kernels as the
// workload says, with operands in turn.
#include <algorithm>
#include <cmath>

#include "backend/cuda/elementwise_chain.hpp"
#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeedInput = 31;

class ElementwiseRun : public GpuRun {
 public:
  ElementwiseRun(const Elementwise& e, Gpu& gpu)
      : GpuRun(gpu), e_(e), passes_(chain_passes(e)), constants_(chain_constants(e)) {}

 protected:
  void make() override {
    timer_.reset();
    arrays_ = Buffer();
    stride_ = (e_.elements * element_bytes() + 255) / 256 * 256;
    const std::uint64_t set = stride_ * chain_arrays(e_);
    sets_ = rotation_sets(set, gpu().l2_bytes(), gpu().memory_budget());
    arrays_ = Buffer(context(), sets_ * set, "fewer elements need less");
    upload_constants();
    for (std::uint64_t s = 0; s < sets_; ++s) {
      for (std::uint64_t input = 0; input < e_.inputs; ++input)
        fill(gpu(), input_at(s, input), e_.dtype, e_.elements, kSeedInput + input);
    }
    context().synchronize();
    timer_.emplace(
        gpu(), TimedWork{.enqueue = [this](std::uint64_t at) { run(at % sets_); }, .sets = sets_});
  }

  Sample measure(std::uint64_t iterations) override { return timer_->time(iterations); }

  Verification check() override {
    const std::uint64_t set = sets_ - 1;
    const std::uint64_t bytes = e_.elements * element_bytes();
    Context& c = context();
    c.driver().memset_async(output_at(set), 0xff, bytes, c.stream());  // no number
    run(set);
    backend::Comparison all;
    // All elements, or every stride-th block where the chain is so long that it would take seconds.
    constexpr std::uint64_t kBlock = 4096;
    const std::uint64_t stride = check_stride();
    const std::span<std::byte> host = gpu().staging(kBlock * 8 * (e_.inputs + 1));
    for (std::uint64_t first = 0; first < e_.elements; first += kBlock * stride) {
      const std::uint64_t n = std::min(kBlock, e_.elements - first);
      check_block(set, first, n, host, all);
    }
    return backend::verdict(all, stride == 1
                                     ? "the chain in float64, every element"
                                     : "the chain in float64, blocks of 4096 elements from end to "
                                       "end");
  }

  Facts describe() const override {
    Facts out;
    out.push_back({"kernel", "elementwise_" + std::string(name(e_.dtype))});
    out.push_back({"kernels_per_call", std::uint64_t{passes_.size()}});
    out.push_back({"cache", std::string("cold")});
    out.push_back({"operand_sets", sets_});
    out.push_back({"rotation_byte", arrays_.bytes()});
    if (arrays_.bytes() < rotation_bytes(gpu().l2_bytes()))
      out.push_back({"rotation_below_5x_l2", true});
    out.push_back({"data", std::string("uniform random, full mantissa")});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  [[nodiscard]] std::uint64_t element_bytes() const { return storage_bits(e_.dtype) / 8; }
  [[nodiscard]] CUdeviceptr array_at(std::uint64_t set, std::uint64_t array) const {
    return arrays_.address((set * chain_arrays(e_) + array) * stride_);
  }
  [[nodiscard]] CUdeviceptr input_at(std::uint64_t set, std::uint64_t input) const {
    return array_at(set, input);
  }
  [[nodiscard]] CUdeviceptr output_at(std::uint64_t set) const { return array_at(set, e_.inputs); }
  [[nodiscard]] CUdeviceptr intermediate_at(std::uint64_t set, std::size_t pass) const {
    return array_at(set, e_.inputs + 1 + pass % 2);
  }

  /// As the kernels take them: fp64 for fp64, else fp32.
  void upload_constants() {
    if (e_.dtype == DType::fp64) {
      constants_there_ = Buffer(context(), constants_.size() * sizeof(double));
      constants_there_.copy_from(0, std::as_bytes(std::span(constants_)));
      return;
    }
    const std::vector<float> narrow(constants_.begin(), constants_.end());
    constants_there_ = Buffer(context(), narrow.size() * sizeof(float));
    constants_there_.copy_from(0, std::as_bytes(std::span(narrow)));
  }

  void run(std::uint64_t set) {
    CUdeviceptr from = input_at(set, 0);
    for (std::size_t p = 0; p < passes_.size(); ++p) {
      const CUdeviceptr to = p + 1 == passes_.size() ? output_at(set) : intermediate_at(set, p);
      switch (e_.dtype) {
        case DType::fp64:
          launch_pass<Family::elementwise_fp64, double, double>(set, passes_[p], from, to);
          break;
        case DType::fp32:
          launch_pass<Family::elementwise_fp32, float, float>(set, passes_[p], from, to);
          break;
        case DType::fp16:
          launch_pass<Family::elementwise_fp16, Half, float>(set, passes_[p], from, to);
          break;
        default:
          launch_pass<Family::elementwise_bf16, Bf16, float>(set, passes_[p], from, to);
          break;
      }
      from = to;
    }
  }

  template <Family family, class T, class C>
  void launch_pass(std::uint64_t set, const ChainPass& pass, CUdeviceptr from, CUdeviceptr to) {
    const auto pointer = [](CUdeviceptr address) { return reinterpret_cast<const T*>(address); };
    const T* inputs[4] = {pointer(from)};
    for (std::uint64_t i = 0; i < pass.new_inputs; ++i)
      inputs[i + 1] = pointer(input_at(set, pass.begin + i + 1));
    constexpr unsigned kBlock = 256;
    constexpr auto kPerThread = static_cast<unsigned>(std::size_t{4} * 16 / sizeof(T));
    const Grid grid{.x = blocks_for(gpu(), e_.elements, kBlock, kPerThread, 8), .block = kBlock};
    launch<family>(context(), kernel_named("elementwise_" + std::string(name(e_.dtype))), grid,
                   reinterpret_cast<T*>(to), inputs[0], inputs[1], inputs[2], inputs[3],
                   static_cast<u32>(1 + pass.new_inputs), static_cast<u32>(pass.begin),
                   static_cast<u32>(pass.end - pass.begin),
                   constants_there_.as<const C>(pass.begin * sizeof(C)), e_.elements);
  }

  [[nodiscard]] std::uint64_t check_stride() const {
    constexpr double kMostSteps = 1e8;
    const double steps = static_cast<double>(e_.elements) * static_cast<double>(e_.ops);
    return static_cast<std::uint64_t>(steps / kMostSteps) + 1;
  }

  void check_block(std::uint64_t set, std::uint64_t first, std::uint64_t n,
                   std::span<std::byte> host, backend::Comparison& all) {
    Context& c = context();
    const std::uint64_t bytes = n * element_bytes();
    for (std::uint64_t array = 0; array <= e_.inputs; ++array) {
      c.driver().copy_to_host_async(host.data() + array * bytes,
                                    array_at(set, array) + first * element_bytes(), bytes,
                                    c.stream());
    }
    c.synchronize();
    for (std::uint64_t i = 0; i < n; ++i) {
      const ChainValue wanted = chain_reference(e_, passes_, constants_, [&](std::uint64_t input) {
        return element(host.data() + input * bytes, e_.dtype, i);
      });
      all.add(first + i, element(host.data() + e_.inputs * bytes, e_.dtype, i), wanted.value,
              wanted.bound);
    }
    if (first != 0) return;
    // Operands that a kernel has spoilt would prove nothing.
    for (std::uint64_t input = 0; input < e_.inputs; ++input) {
      for (std::uint64_t i = 0; i < n; ++i) {
        all.add(i, element(host.data() + input * bytes, e_.dtype, i),
                reference(e_.dtype, kSeedInput + input, i), 0);
      }
    }
  }

  Elementwise e_;
  std::vector<ChainPass> passes_;
  std::vector<double> constants_;
  std::uint64_t stride_ = 0;
  std::uint64_t sets_ = 1;
  Buffer arrays_;  ///< of each set: inputs, output, intermediates
  Buffer constants_there_;
  std::optional<Timer> timer_;
};

}  // namespace

Support support_elementwise(const Elementwise& elementwise, Gpu& gpu) {
  const std::string type(name(elementwise.dtype));
  if (find_kernel("elementwise_" + type) == nullptr) {
    return backend::Unsupported{
        "the GPU's elementwise kernels compute in fp64, fp32, fp16 and bf16, not " + type};
  }
  if (elementwise.ops > kMostChainOps) {
    return backend::Unsupported{"a chain of " + std::to_string(elementwise.ops) +
                                " operations is too long; use at most " +
                                std::to_string(kMostChainOps)};
  }
  if (most_new_inputs(elementwise) > 3) {
    return backend::Unsupported{
        "a kernel takes at most 4 tensors, and one of this chain would take " +
        std::to_string(1 + most_new_inputs(elementwise)) +
        "; fuse at most 3 operations, or read fewer inputs"};
  }
  Elementwise out = elementwise;
  const std::uint64_t element_bytes = storage_bits(out.dtype) / 8;
  if (out.elements == 0) {
    out.elements = elements_of(dram_set_bytes(gpu.sizes()), chain_arrays(out), element_bytes);
    if (out.elements == 0)
      return backend::Unsupported{"there is no memory left on " + gpu.device().id +
                                  " for even a page per array"};
  }
  const std::uint64_t each = chain_arrays(out) * element_bytes;
  if (auto refused =
          too_large(gpu, static_cast<double>(out.elements) * static_cast<double>(each),
                    "use at most " + std::to_string(gpu.memory_budget() / each) + " elements")) {
    return *refused;
  }
  return Workload{out};
}

Run prepare_elementwise(const Elementwise& elementwise, Gpu& gpu) {
  auto run = std::make_unique<ElementwiseRun>(elementwise, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
