// Projections. Of few rows: the kernels that read every weight once, with operands in turn. Of
// more: the product that they are, through the GEMM library.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/matvec_operands.hpp"
#include "backend/cuda/results.hpp"
#include "backend/size_text.hpp"

namespace roofline::cuda {
namespace {

class ProjectionRun : public GpuRun {
 public:
  ProjectionRun(const Projection& p, Gpu& gpu) : GpuRun(gpu), p_(p) {}

 protected:
  void make() override {
    timer_.reset();
    operands_ = {};
    sets_ = matvec_sets(p_, gpu());
    operands_ = MatvecOperands(p_, gpu(), sets_);
    plan();
    timer_.emplace(gpu(), TimedWork{.enqueue = [this](std::uint64_t at) { multiply(at % sets_); },
                                    .sets = sets_});
  }

  Sample measure(std::uint64_t iterations) override { return timer_->time(iterations); }

  /// With the first set of weights and with the last.
  Verification check() override {
    backend::Comparison all;
    for (const std::uint64_t set : {std::uint64_t{0}, sets_ - 1}) {
      operands_.outputs().set(0xff);  // no number
      multiply(set);
      std::vector<std::byte> y(operands_.outputs().bytes());
      operands_.outputs().copy_to(0, y);
      for (std::uint64_t i = 0; i < p_.rows * p_.d_out; ++i) {
        if (!std::isfinite(element(y.data(), p_.activation, i)))
          return {VerificationState::incorrect, "output " + std::to_string(i) + " is no number"};
      }
      compare(y, all);
      if (sets_ == 1) break;
    }
    return backend::verdict(all, "float64 (corners and sampled entries; every entry is a number)");
  }

  Facts describe() const override {
    Facts out;
    if (parts_.empty()) return out;
    const MatvecLaunch& shape = parts_.front().shape;
    out.push_back({"kernel", std::string(parts_.front().product->name)});
    out.push_back({"weight_layout", std::string("row-major, one row of D_IN per output")});
    out.push_back({"block", std::uint64_t{shape.block}});
    out.push_back({"grid", std::uint64_t{shape.grid_x}});
    out.push_back({"splits", std::uint64_t{shape.splits}});
    if (parts_.size() > 1) out.push_back({"weight_passes", std::uint64_t{parts_.size()}});
    const std::uint64_t bytes = sets_ * matvec_bytes(p_).set;
    out.push_back({"cache", std::string(p_.level == Boundary::dram ? "cold" : "hot")});
    out.push_back({"weight_copies", sets_});
    out.push_back({"weight_rotation_byte", bytes});
    if (p_.level == Boundary::dram && bytes < rotation_bytes(gpu().l2_bytes()))
      out.push_back({"rotation_below_5x_l2", true});
    out.push_back({"data", std::string("uniform random, full mantissa")});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  /// Rows of one launch.
  struct Part {
    std::uint64_t row = 0;
    std::uint64_t rows = 0;
    MatvecLaunch shape;
    const KernelEntry* product = nullptr;
    const KernelEntry* reduce = nullptr;
  };

  void plan() {
    const std::string activation(name(p_.activation));
    const std::string stem = "matvec_" + std::string(name(weight_type(p_))) + "_" + activation;
    parts_.clear();
    for (std::uint64_t row = 0; row < p_.rows; row += kRowsOfLaunch) {
      const std::uint64_t rows = std::min(kRowsOfLaunch, p_.rows - row);
      const MatvecLaunch shape = matvec_launch_for(p_, rows, gpu());
      parts_.push_back({row, rows, shape,
                        &kernel_named(stem + "_r" + std::to_string(shape.most_rows)),
                        &kernel_named("matvec_reduce_" + activation)});
    }
  }

  void multiply(std::uint64_t set) {
    for (const Part& part : parts_) {
      if (p_.activation == DType::bf16) {
        launch_part<Family::matvec_bf16, Family::matvec_reduce_bf16, Bf16>(set, part);
      } else {
        launch_part<Family::matvec_fp16, Family::matvec_reduce_fp16, Half>(set, part);
      }
    }
  }

  template <Family product, Family reduce, class A>
  void launch_part(std::uint64_t set, const Part& part) {
    const MatvecLaunch& shape = part.shape;
    A* const y = operands_.outputs().as<A>(part.row * p_.d_out * sizeof(A));
    const A* const x = operands_.activations().as<A>(part.row * p_.d_in * sizeof(A));
    launch<product>(
        context(), *part.product, {shape.grid_x, shape.splits, shape.block, shape.shared_bytes}, y,
        operands_.weights(set), operands_.scales(set), x, static_cast<u32>(part.rows),
        static_cast<u32>(p_.d_in), static_cast<u32>(p_.d_out), operands_.partial(), shape.splits);
    if (shape.splits <= 1) return;
    launch<reduce>(context(), *part.reduce, {.x = shape.reduce_grid, .block = shape.reduce_block},
                   y, operands_.partial(), static_cast<u32>(part.rows * p_.d_out), shape.splits);
  }

  void compare(const std::vector<std::byte>& y, backend::Comparison& all) const {
    // The generator takes some nanoseconds for each weight of an entry.
    constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 21U;
    const std::size_t entries = std::clamp<std::uint64_t>(kMostWeights / p_.d_in, 32, 512);
    for (const auto& [row, column] : backend::sample_entries(p_.rows, p_.d_out, entries)) {
      double sum = 0;
      double squares = 0;
      for (std::uint64_t i = 0; i < p_.d_in; ++i) {
        const double product = reference_activation(p_, row, i) * reference_weight(p_, column, i);
        sum += product;
        squares += product * product;
      }
      const std::uint64_t index = row * p_.d_out + column;
      // Scales are one more rounding of each product, which the bound's factor of 8 covers.
      all.add(index, element(y.data(), p_.activation, index), sum,
              backend::product_bound(p_.d_in, squares, sum, DType::fp32, p_.activation));
    }
  }

  Projection p_;
  std::uint64_t sets_ = 1;
  MatvecOperands operands_;
  std::vector<Part> parts_;
  std::optional<Timer> timer_;
};

constexpr std::uint64_t kMostRows = 64;

/// Weights are stored as rows of D_IN, one for each output: B transposed.
Gemm product_of(const Projection& p) {
  return {.m = p.rows,
          .n = p.d_out,
          .k = p.d_in,
          .input = p.activation,
          .output = p.output,
          .transpose_b = true};
}

Support support_product(const Projection& p, Gpu& gpu) {
  if (weight_type(p) != p.activation || p.scale_group != 0) {
    return backend::Unsupported{
        "more than " + std::to_string(kMostRows) +
        " rows are multiplied by the GEMM library, with weights in the type of the activations (" +
        std::string(name(p.activation)) + ") only; use at most " + std::to_string(kMostRows) +
        " rows, or leave out --weights"};
  }
  if (p.level != Boundary::dram) {
    return backend::Unsupported{"more than " + std::to_string(kMostRows) +
                                " rows are measured with cold weights only; use --level dram"};
  }
  Support answer = support_gemm(product_of(p), gpu);
  if (std::holds_alternative<backend::Unsupported>(answer)) return answer;
  return Workload{p};
}

std::optional<backend::Unsupported> refuse(const Projection& p, Gpu& gpu) {
  constexpr std::uint64_t kMostSize = std::numeric_limits<u32>::max();
  const std::string activation(name(p.activation));
  const DType weight = weight_type(p);
  if (p.activation != DType::bf16 && p.activation != DType::fp16) {
    return backend::Unsupported{"the GPU's matvec takes activations in bf16 or fp16, not " +
                                activation};
  }
  if (weight != p.activation && !has_scales(p)) {
    return backend::Unsupported{"the GPU's matvec takes weights in " + activation +
                                ", int8 or int4 with activations in " + activation + ", not " +
                                std::string(name(weight))};
  }
  if (p.output.value_or(p.activation) != p.activation) {
    return backend::Unsupported{
        "the GPU's matvec writes its outputs in the type of its "
        "activations (" +
        activation + "), not " + std::string(name(*p.output))};
  }
  const std::uint64_t group = std::min(kScaleGroup, p.d_in);
  if (has_scales(p) && (p.scale_group != group || p.scale_bits != 16)) {
    return backend::Unsupported{
        "the GPU's " + std::string(name(weight)) + " weights have a scale of 16 bits for each " +
        std::to_string(group) + " along D_IN; use --scale-group " + std::to_string(group)};
  }
  if (!has_scales(p) && p.scale_group != 0)
    return backend::Unsupported{"weights in " + activation + " have no scales on a GPU"};
  if (weight == DType::int4 && p.d_in % 2 != 0)
    return backend::Unsupported{"two int4 weights share a byte, so D_IN must be even; it is " +
                                std::to_string(p.d_in)};
  if (p.d_in > kMostSize || p.d_out > kMostSize / kMostRows)
    return backend::Unsupported{"D_IN or D_OUT is beyond what the kernels count in 32 bits"};
  if (p.level != Boundary::dram && p.level != Boundary::l2) {
    return backend::Unsupported{"weights lie in dram (cold) or l2 (hot) on a GPU, not in " +
                                std::string(name(p.level))};
  }
  if (p.level == Boundary::l2 && level_of(matvec_bytes(p).set, gpu.l2_bytes()) != "l2") {
    return backend::Unsupported{
        "its weights take " + backend::size_text(static_cast<double>(matvec_bytes(p).set)) +
        ", more than half of the " + backend::size_text(static_cast<double>(gpu.l2_bytes())) +
        " of L2, so they can't stay there; measure them cold (--level dram)"};
  }
  return std::nullopt;
}

}  // namespace

Support support_projection(const Projection& projection, Gpu& gpu) {
  if (projection.rows > kMostRows) return support_product(projection, gpu);
  if (auto refused = refuse(projection, gpu)) return *refused;
  const MatvecBytes bytes = matvec_bytes(projection);
  const double needed =
      static_cast<double>(bytes.set) + static_cast<double>(bytes.activations + bytes.outputs);
  const double each =
      needed / (static_cast<double>(projection.d_in) * static_cast<double>(projection.d_out));
  const double side = std::floor(std::sqrt(static_cast<double>(gpu.memory_budget()) / each));
  if (auto refused = too_large(gpu, needed,
                               "the largest square matrix that fits has about " +
                                   std::to_string(static_cast<std::uint64_t>(side)) + " rows")) {
    return *refused;
  }
  return Workload{projection};
}

Run prepare_projection(const Projection& projection, Gpu& gpu) {
  if (projection.rows > kMostRows) return prepare_gemm(product_of(projection), gpu);
  auto run = std::make_unique<ProjectionRun>(projection, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
