// Projections of few rows by own kernels that stream the weights once.
#include <algorithm>

#include "backend/cpu/matvec_weights.hpp"
#include "backend/cpu/operands.hpp"
#include "backend/cpu/projection_gemm.hpp"
#include "backend/cpu/random.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kSeedX = 21;
constexpr std::size_t kSampledEntries = 512;

/// Activations and results, of which there are few beside the weights, as the kernel computes them.
std::uint64_t vector_bytes(const Projection& p) {
  return p.rows * (p.d_in + p.d_out) * 2 * sizeof(float);
}

std::size_t panel_outputs(const MatvecKernel& kernel) {
  return kernel.panels ? kPanelStrips * kernel.lanes : kernel.lanes;
}

class ProjectionRun : public backend::PreparedRun {
 public:
  ProjectionRun(const Projection& projection, Context& context)
      : p_(projection),
        context_(context),
        kernel_(projection_kernel(projection, context)),
        weights_(projection, kernel_, context, vector_bytes(projection)),
        y_(context.filled_with<float>(p_.rows * weights_.d_out(),
                                      [](std::size_t) { return 0.0F; })) {
    fill_activations();
    if (rounds()) y_bf16_ = Buffer(p_.rows * weights_.d_out() * sizeof(std::uint16_t));
    if (widens()) wide_x_.resize(context.threads());
  }

  Sample time(std::uint64_t iterations) override {
    const std::uint64_t first = next_copy_;
    next_copy_ = (next_copy_ + iterations) % weights_.copies();
    return conditions_.sample(iterations, [&](unsigned worker) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        multiply(worker, (first + i) % weights_.copies());
        context_.team().meet();
      }
    });
  }

  /// With the first copy of the weights and with the last.
  Verification verify() override {
    const Buffer& result = rounds() ? y_bf16_ : y_;
    Comparison all;
    for (const std::uint64_t copy : {std::uint64_t{0}, weights_.copies() - 1}) {
      poison(result.bytes(), projection_output(p_));
      context_.team().run([&](unsigned worker) { multiply(worker, copy); });
      context_.tamper(result.bytes());
      if (const auto hole = unwritten(result)) {
        return {VerificationState::incorrect, "output " + std::to_string(*hole) + " is no number"};
      }
      for (const auto& [row, column] : sample_entries(p_.rows, p_.d_out, kSampledEntries)) {
        compare(result, row, column, all);
      }
    }
    return verdict(all, "float64 (corners and sampled entries; every entry is a number)");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    out.push_back(
        {"kernel", std::string(name(projection_weight(p_))) + " weights, " + kernel_.arithmetic});
    out.push_back({"weight_layout", "panels of " + std::to_string(panel_outputs(kernel_)) +
                                        " outputs, inputs innermost by " +
                                        std::to_string(kernel_.depth_step)});
    out.push_back({"weight_copies", weights_.copies()});
    out.push_back({"weight_rotation_byte", weights_.copies() * weights_.copy_bytes()});
    if (weights_.copies() * weights_.copy_bytes() < context_.dram_bytes())
      out.push_back({"rotation_below_8x_l3", true});
    if (p_.activation == DType::bf16 && kernel_.activation == ActivationElement::f32) {
      out.push_back({"arithmetic_note",
                     std::string("emulated: bf16 is widened to fp32 and multiplied there")});
    }
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  [[nodiscard]] bool widens() const {
    return p_.activation == DType::bf16 && kernel_.activation == ActivationElement::f32;
  }
  [[nodiscard]] bool rounds() const { return projection_output(p_) == DType::bf16; }
  [[nodiscard]] OperandSource source_x() const { return {p_.activation, kSeedX}; }
  [[nodiscard]] std::uint64_t x_index(std::uint64_t row, std::uint64_t i) const {
    return row * p_.d_in + i;
  }

  /// Rows lie weights_.d_in() apart; what fills them up is zero.
  void fill_activations() {
    const std::uint64_t stride = weights_.d_in();
    const auto place = [&](std::size_t at, auto&& value, auto zero) {
      return at % stride < p_.d_in ? value(x_index(at / stride, at % stride)) : zero;
    };
    if (p_.activation == DType::bf16) {
      x_ = context_.filled_with<std::uint16_t>(p_.rows * stride, [&](std::size_t at) {
        return place(
            at, [](std::uint64_t i) { return random_bf16(kSeedX, i); }, std::uint16_t{0});
      });
    } else {
      x_ = context_.filled_with<float>(p_.rows * stride, [&](std::size_t at) {
        return place(
            at, [](std::uint64_t i) { return random_fp32(kSeedX, i); }, 0.0F);
      });
    }
  }

  void multiply(unsigned worker, std::uint64_t copy) {
    const Part strips = weights_.strips_of(worker);
    if (strips.size() == 0) return;
    MatvecTask task = weights_.task(strips, copy);
    task.x = widens() ? widened(worker) : static_cast<const void*>(x_.data());
    task.x_stride = weights_.d_in();
    task.y = y_.as<float>() + strips.begin * kernel_.lanes;
    task.y_stride = weights_.d_out();
    kernel_.run(task);
    if (rounds()) round_outputs(strips);
  }

  /// Part of the operation, like the multiplication itself: activations arrive as bf16.
  const void* widened(unsigned worker) {
    std::vector<float>& wide = wide_x_[worker];
    const std::size_t n = p_.rows * weights_.d_in();
    wide.resize(n);
    const std::uint16_t* const x = x_.as<std::uint16_t>();
    for (std::size_t i = 0; i < n; ++i) wide[i] = from_bf16(x[i]);
    return wide.data();
  }

  void round_outputs(Part strips) {
    for (std::uint64_t row = 0; row < p_.rows; ++row) {
      const float* const from = y_.as<float>() + row * weights_.d_out();
      std::uint16_t* const to = y_bf16_.as<std::uint16_t>() + row * weights_.d_out();
      for (std::uint64_t o = strips.begin * kernel_.lanes; o < strips.end * kernel_.lanes; ++o)
        to[o] = to_bf16(from[o]);
    }
  }

  void compare(const Buffer& result, std::uint64_t row, std::uint64_t column,
               Comparison& all) const {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < p_.d_in; ++i) {
      const double product =
          operand_element(source_x(), x_index(row, i)) * weights_.value(i, column);
      sum += product;
      squares += product * product;
    }
    const std::uint64_t index = row * weights_.d_out() + column;
    // Scales count as one more rounding of every product, which the bound's factor 8 covers.
    all.add(index, load_element(result.data(), projection_output(p_), index), sum,
            product_bound(p_.d_in, squares, sum, DType::fp32, projection_output(p_)));
  }

  [[nodiscard]] std::optional<std::uint64_t> unwritten(const Buffer& result) const {
    const std::uint64_t bytes = storage_bits(projection_output(p_)) / 8;
    for (std::uint64_t row = 0; row < p_.rows; ++row) {
      const auto hole = find_unwritten(result.data() + row * weights_.d_out() * bytes,
                                       projection_output(p_), p_.d_out);
      if (hole) return row * p_.d_out + *hole;
    }
    return std::nullopt;
  }

  Projection p_;
  Context& context_;
  const MatvecKernel& kernel_;
  MatvecWeights weights_;
  std::uint64_t next_copy_ = 0;
  Buffer x_;
  Buffer y_;                                ///< fp32 [rows][weights_.d_out()]
  Buffer y_bf16_;                           ///< rounded from y_, where the output is bf16
  std::vector<std::vector<float>> wide_x_;  ///< by worker
  Conditions conditions_ = context_.conditions();
};

}  // namespace

std::unique_ptr<backend::PreparedRun> prepare_projection(const Projection& projection,
                                                         Context& context) {
  if (projection.rows > kMostRows) return prepare_gemm(as_gemm(projection), context);
  return std::make_unique<ProjectionRun>(projection, context);
}

}  // namespace roofline::cpu
