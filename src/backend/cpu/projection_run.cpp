// Projections: up to 64 rows by own kernels that stream the weights once; more rows are a GEMM.
#include <algorithm>
#include <cmath>

#include "backend/cpu/random.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"
#include "kernels/cpu/matvec.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kMostRows = 64;
constexpr std::uint64_t kSeedX = 21;
constexpr std::uint64_t kSeedW = 22;
constexpr std::uint64_t kSeedScale = 23;
constexpr std::size_t kSampledEntries = 512;
constexpr std::uint64_t kLine = 64;

DType weight_of(const Projection& p) { return p.weight.value_or(p.activation); }
DType output_of(const Projection& p) { return p.output.value_or(p.activation); }

std::optional<WeightElement> weight_element(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return WeightElement::f32;
    case DType::bf16:
      return WeightElement::bf16;
    case DType::int8:
      return WeightElement::int8;
    default:
      return std::nullopt;
  }
}

const MatvecKernel& kernel_for(const Projection& p, const Context& context) {
  const auto activation =
      p.activation == DType::bf16 ? ActivationElement::bf16 : ActivationElement::f32;
  // A pair of inputs that meet in one instruction must share their scale.
  const bool pairs = context.bf16_dot() && p.scale_group % 2 == 0;
  return matvec_kernel(weight_element(weight_of(p)).value(), activation, context.isa(), pairs);
}

Gemm as_gemm(const Projection& p) {
  Gemm out;
  out.m = p.rows;
  out.n = p.d_out;
  out.k = p.d_in;
  out.input = p.activation;
  out.output = output_of(p);
  return out;
}

/// Uniform in [0.5, 1), as bf16.
std::uint16_t random_scale(std::uint64_t index) {
  return to_bf16(0.75F + 0.25F * random_fp32(kSeedScale, index));
}

struct Layout {
  std::uint64_t d_in;  ///< filled up
  std::uint64_t strips;
  std::uint64_t d_out;   ///< filled up
  std::uint64_t groups;  ///< 0: no scales
  std::uint64_t strip_bytes;
  std::uint64_t scale_strip;  ///< scales of one strip
  std::uint64_t copy_bytes;
};

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

Layout layout_of(const Projection& p, const MatvecKernel& kernel) {
  Layout out{};
  out.d_in = round_up(p.d_in, kernel.depth_step);
  out.d_out = round_up(p.d_out, kernel.lanes);
  out.strips = out.d_out / kernel.lanes;
  out.groups = p.scale_group == 0 ? 0 : (p.d_in + p.scale_group - 1) / p.scale_group;
  out.strip_bytes = out.d_in * kernel.lanes * storage_bits(weight_of(p)) / 8;
  out.scale_strip = out.groups * kernel.lanes;
  // In whole lines, so that a copy starts as aligned as the first.
  out.copy_bytes =
      round_up(out.strips * (out.strip_bytes + out.scale_strip * sizeof(std::uint16_t)), kLine);
  return out;
}

class ProjectionRun : public backend::PreparedRun {
 public:
  ProjectionRun(const Projection& projection, Context& context)
      : p_(projection),
        context_(context),
        kernel_(kernel_for(projection, context)),
        layout_(layout_of(p_, kernel_)) {
    fill_activations();
    y_ = context.filled(p_.rows * layout_.d_out * sizeof(float), [](Buffer& buffer, Part part) {
      std::fill(buffer.data() + part.begin, buffer.data() + part.end, std::byte{0});
    });
    if (output_of(p_) == DType::bf16)
      y_bf16_ = Buffer(p_.rows * layout_.d_out * sizeof(std::uint16_t));
    copies_ = rotation_copies(layout_.copy_bytes, context.dram_bytes(), y_.size() + x_.size(),
                              context.memory_budget());
    fill_weights();
    if (widens()) wide_x_.resize(context.threads());
  }

  Sample time(std::uint64_t iterations) override {
    Team& team = context_.team();
    conditions_.observe(team);
    const std::uint64_t first = next_copy_;
    next_copy_ = (next_copy_ + iterations) % copies_;
    const TeamTime took = team.run([&](unsigned worker) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        multiply(worker, (first + i) % copies_);
        team.meet();
      }
    });
    return team_sample(took, iterations);
  }

  Verification verify() override {
    const Buffer& result = output_of(p_) == DType::bf16 ? y_bf16_ : y_;
    poison(result.bytes(), output_of(p_));
    context_.team().run([&](unsigned worker) { multiply(worker, next_copy_); });
    context_.tamper(result.bytes());
    Comparison all;
    for (const auto& [row, column] : sample_entries(p_.rows, p_.d_out, kSampledEntries)) {
      compare(result, row, column, all);
    }
    if (const auto hole = unwritten(result)) {
      return {VerificationState::incorrect, "output " + std::to_string(*hole) + " is no number"};
    }
    return verdict(all, "float64 (corners and sampled entries; every entry is a number)");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    out.push_back({"kernel", std::string(name(weight_of(p_))) + " weights, " + kernel_.arithmetic});
    out.push_back({"weight_layout", "strips of " + std::to_string(kernel_.lanes) +
                                        " outputs, inputs innermost by " +
                                        std::to_string(kernel_.depth_step)});
    out.push_back({"weight_copies", copies_});
    out.push_back({"weight_rotation_byte", copies_ * layout_.copy_bytes});
    if (copies_ * layout_.copy_bytes < context_.dram_bytes())
      out.push_back({"rotation_below_8x_l3", true});
    if (p_.activation == DType::bf16 && kernel_.activation == ActivationElement::f32) {
      out.push_back({"emulated", std::string("bf16 is widened to fp32 and multiplied there")});
    }
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  [[nodiscard]] bool widens() const {
    return p_.activation == DType::bf16 && kernel_.activation == ActivationElement::f32;
  }
  [[nodiscard]] std::uint16_t* scales_of(std::uint64_t copy) const {
    return reinterpret_cast<std::uint16_t*>(weights_of(copy) +
                                            layout_.strips * layout_.strip_bytes);
  }
  [[nodiscard]] std::uint64_t x_index(std::uint64_t row, std::uint64_t i) const {
    return row * p_.d_in + i;
  }

  /// Rows lie layout_.d_in apart; what fills them up is zero.
  void fill_activations() {
    const std::uint64_t stride = layout_.d_in;
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

  [[nodiscard]] std::byte* weights_of(std::uint64_t copy) const {
    return weights_.data() + copy * layout_.copy_bytes;
  }

  /// The first copy is computed, the others are copied from it; every strip is touched by the
  /// thread that reads it.
  void fill_weights() {
    weights_ = Buffer(copies_ * layout_.copy_bytes);
    context_.team().run([&](unsigned worker) {
      const Part strips = pieces_of(layout_.strips, worker, context_.threads());
      for (std::uint64_t strip = strips.begin; strip < strips.end; ++strip)
        fill_strip(strip, strips);
      for (std::uint64_t to = 1; to < copies_; ++to) {
        const auto copy = [&](std::uint64_t begin, std::uint64_t end) {
          std::copy(weights_of(0) + begin, weights_of(0) + end, weights_of(to) + begin);
        };
        copy(strips.begin * layout_.strip_bytes, strips.end * layout_.strip_bytes);
        const std::uint64_t scales = layout_.strips * layout_.strip_bytes;
        const std::uint64_t scale_bytes = layout_.scale_strip * sizeof(std::uint16_t);
        copy(scales + strips.begin * scale_bytes, scales + strips.end * scale_bytes);
      }
    });
  }

  void fill_strip(std::uint64_t strip, Part range) {
    switch (weight_of(p_)) {
      case DType::fp32:
        fill_strip_as<float>(strip, range, random_fp32);
        break;
      case DType::bf16:
        fill_strip_as<std::uint16_t>(strip, range, random_bf16);
        break;
      default:
        fill_strip_as<std::int8_t>(strip, range, random_int8);
        break;
    }
    std::uint16_t* const scales = scales_of(0);
    for (std::uint64_t at = 0; at < layout_.scale_strip; ++at) {
      const std::uint64_t output = strip * kernel_.lanes + at % kernel_.lanes;
      scales[strip * layout_.scale_strip + at] =
          random_scale(output * layout_.groups + at / kernel_.lanes);
    }
  }

  template <class T, class Value>
  void fill_strip_as(std::uint64_t strip, Part range, Value value) {
    T* const data = reinterpret_cast<T*>(weights_of(0) + range.begin * layout_.strip_bytes);
    const std::uint64_t first = range.begin * kernel_.lanes;
    for (std::uint64_t i = 0; i < layout_.d_in; ++i) {
      for (std::uint64_t lane = 0; lane < kernel_.lanes; ++lane) {
        const std::uint64_t output = strip * kernel_.lanes + lane;
        const bool inside = i < p_.d_in && output < p_.d_out;
        data[packed_index(kernel_, layout_.d_in, range.size(), i, output - first)] =
            inside ? value(kSeedW, output * p_.d_in + i) : T{0};
      }
    }
  }

  void multiply(unsigned worker, std::uint64_t copy) {
    const Part strips = pieces_of(layout_.strips, worker, context_.threads());
    if (strips.size() == 0) return;
    MatvecTask task;
    task.weights = weights_of(copy) + strips.begin * layout_.strip_bytes;
    task.strip_bytes = layout_.strip_bytes;
    task.strips = strips.size();
    if (layout_.groups != 0) {
      task.scales = scales_of(copy) + strips.begin * layout_.scale_strip;
      task.group = p_.scale_group;
    }
    task.x = widens() ? widened(worker) : static_cast<const void*>(x_.data());
    task.x_stride = layout_.d_in;
    task.rows = p_.rows;
    task.d_in = layout_.d_in;
    task.y = y_.as<float>() + strips.begin * kernel_.lanes;
    task.y_stride = layout_.d_out;
    kernel_.run(task);
    if (output_of(p_) == DType::bf16) round_outputs(strips);
  }

  /// Part of the operation, like the multiplication itself: activations arrive as bf16.
  const void* widened(unsigned worker) {
    std::vector<float>& wide = wide_x_[worker];
    const std::size_t n = p_.rows * layout_.d_in;
    wide.resize(n);
    const std::uint16_t* const x = x_.as<std::uint16_t>();
    for (std::size_t i = 0; i < n; ++i) wide[i] = from_bf16(x[i]);
    return wide.data();
  }

  void round_outputs(Part strips) {
    for (std::uint64_t row = 0; row < p_.rows; ++row) {
      const float* const from = y_.as<float>() + row * layout_.d_out;
      std::uint16_t* const to = y_bf16_.as<std::uint16_t>() + row * layout_.d_out;
      for (std::uint64_t o = strips.begin * kernel_.lanes; o < strips.end * kernel_.lanes; ++o)
        to[o] = to_bf16(from[o]);
    }
  }

  void compare(const Buffer& result, std::uint64_t row, std::uint64_t column,
               Comparison& all) const {
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < p_.d_in; ++i) {
      const double product = activation(row, i) * weight(i, column);
      sum += product;
      squares += product * product;
    }
    const std::uint64_t index = row * layout_.d_out + column;
    // Scales count as one more rounding of every product, which the bound's factor 8 covers.
    all.add(index, load_element(result.data(), output_of(p_), index), sum,
            product_bound(p_.d_in, squares, sum, DType::fp32, output_of(p_)));
  }

  [[nodiscard]] double activation(std::uint64_t row, std::uint64_t i) const {
    return static_cast<double>(p_.activation == DType::bf16
                                   ? from_bf16(random_bf16(kSeedX, x_index(row, i)))
                                   : random_fp32(kSeedX, x_index(row, i)));
  }

  /// Dequantised.
  [[nodiscard]] double weight(std::uint64_t i, std::uint64_t output) const {
    const std::uint64_t index = output * p_.d_in + i;
    double value = 0;
    switch (weight_of(p_)) {
      case DType::fp32:
        value = static_cast<double>(random_fp32(kSeedW, index));
        break;
      case DType::bf16:
        value = static_cast<double>(from_bf16(random_bf16(kSeedW, index)));
        break;
      default:
        value = random_int8(kSeedW, index);
        break;
    }
    if (layout_.groups == 0) return value;
    return value * static_cast<double>(
                       from_bf16(random_scale(output * layout_.groups + i / p_.scale_group)));
  }

  [[nodiscard]] std::optional<std::uint64_t> unwritten(const Buffer& result) const {
    const std::uint64_t bytes = storage_bits(output_of(p_)) / 8;
    for (std::uint64_t row = 0; row < p_.rows; ++row) {
      const auto hole =
          find_unwritten(result.data() + row * layout_.d_out * bytes, output_of(p_), p_.d_out);
      if (hole) return row * p_.d_out + *hole;
    }
    return std::nullopt;
  }

  Projection p_;
  Context& context_;
  const MatvecKernel& kernel_;
  Layout layout_;
  std::uint64_t copies_ = 1;
  std::uint64_t next_copy_ = 0;
  Buffer x_;
  Buffer y_;                                ///< fp32 [rows][layout_.d_out]
  Buffer y_bf16_;                           ///< rounded from y_, where the output is bf16
  Buffer weights_;                          ///< copies, each weights and then scales
  std::vector<std::vector<float>> wide_x_;  ///< by worker
  ConditionLog conditions_;
};

std::optional<backend::Unsupported> refuse_types(const Projection& p) {
  if (p.activation != DType::fp32 && p.activation != DType::bf16) {
    return backend::Unsupported{
        "the CPU's matvec takes activations in fp32 or bf16, not " +
        std::string(name(p.activation)) +
        (p.activation == DType::int8 ? "; int8 weights meet bf16 or fp32 activations" : "")};
  }
  if (!weight_element(weight_of(p))) {
    return backend::Unsupported{"the CPU's matvec takes weights in fp32, bf16 or int8, not " +
                                std::string(name(weight_of(p)))};
  }
  if (output_of(p) != DType::fp32 && output_of(p) != DType::bf16) {
    return backend::Unsupported{"the CPU's matvec writes fp32 or bf16, not " +
                                std::string(name(output_of(p)))};
  }
  if (p.scale_group != 0 && p.scale_bits != 16) {
    return backend::Unsupported{"the CPU's matvec takes bf16 scales (scale_bits 16), not " +
                                std::to_string(p.scale_bits) + " bits"};
  }
  return std::nullopt;
}

}  // namespace

Support support_projection(const Projection& projection, Context& context) {
  if (projection.rows > kMostRows) {
    const bool plain =
        weight_of(projection) == projection.activation && projection.scale_group == 0;
    if (!plain) {
      return backend::Unsupported{
          "more than " + std::to_string(kMostRows) +
          " rows are multiplied by a GEMM library, which takes no weights of another type than "
          "the activations; use at most " +
          std::to_string(kMostRows) + " rows"};
    }
    auto answer = support_gemm(as_gemm(projection), context);
    if (const auto* refused = std::get_if<backend::Unsupported>(&answer)) return *refused;
    return Workload{projection};
  }
  if (auto refused = refuse_types(projection)) return *refused;
  const double weights =
      static_cast<double>(projection.d_in) * static_cast<double>(projection.d_out);
  const double bytes =
      storage_bits(weight_of(projection)) / 8.0 + (projection.scale_group == 0 ? 0.0 : 2.0);
  const double rows = static_cast<double>(projection.rows) *
                      static_cast<double>(projection.d_in + projection.d_out) * 8;
  const std::uint64_t n = largest_within(static_cast<double>(context.memory_budget()),
                                         [&](double size) { return size * size * bytes; });
  if (auto refused =
          too_large(context, weights * bytes + rows,
                    "the largest square matrix that fits has " + std::to_string(n) + " rows")) {
    return *refused;
  }
  return Workload{projection};
}

std::unique_ptr<backend::PreparedRun> prepare_projection(const Projection& projection,
                                                         Context& context) {
  if (projection.rows > kMostRows) return prepare_gemm(as_gemm(projection), context);
  return std::make_unique<ProjectionRun>(projection, context);
}

}  // namespace roofline::cpu
