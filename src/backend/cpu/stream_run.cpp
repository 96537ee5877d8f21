// Streams: arrays far larger than the caches, each part touched first, passed over and checked by
// its own thread.
#include <atomic>
#include <cstring>

#include "backend/cpu/random.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"
#include "kernels/cpu/stream.hpp"

namespace roofline::cpu {
namespace {

struct Arrays {
  bool a;
  bool b;
  bool c;
  [[nodiscard]] std::uint64_t count() const {
    return std::uint64_t{a} + std::uint64_t{b} + std::uint64_t{c};
  }
};

Arrays arrays_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
      return {false, true, false};
    case StreamKind::write:
    case StreamKind::update:
      return {true, false, false};
    case StreamKind::copy:
    case StreamKind::scale:
      return {true, true, false};
    case StreamKind::add:
    case StreamKind::triad:
      break;
  }
  return {true, true, true};
}

bool moves_bits_only(StreamKind kind) {
  return kind == StreamKind::read || kind == StreamKind::write || kind == StreamKind::copy;
}

/// The factor of scale and triad, and what write writes: any number with a full mantissa.
template <class T>
constexpr T kFactor = static_cast<T>(0.8414709848078965);
constexpr std::uint64_t kPattern = 0x9d3fc2a6b1e8574bULL;

constexpr std::uint64_t kSeedB = 1;
constexpr std::uint64_t kSeedC = 2;

std::uint64_t element_bytes(DType dtype) { return storage_bits(dtype) / 8; }

/// Random bits for what has no arithmetic here, random numbers for fp32 and fp64.
Buffer random_array(Context& context, DType dtype, std::uint64_t bytes, std::uint64_t seed) {
  if (dtype == DType::fp32) {
    return context.filled_with<float>(bytes / 4,
                                      [seed](std::size_t i) { return random_fp32(seed, i); });
  }
  if (dtype == DType::fp64) {
    return context.filled_with<double>(bytes / 8,
                                       [seed](std::size_t i) { return random_fp64(seed, i); });
  }
  return context.filled(bytes, [seed](Buffer& buffer, Part part) {
    for (std::size_t at = part.begin; at < part.end; at += 8) {
      const std::uint64_t bits = random_bits(seed, at / 8);
      std::memcpy(buffer.data() + at, &bits, std::min<std::size_t>(8, part.end - at));
    }
  });
}

class StreamRun : public backend::PreparedRun {
 public:
  StreamRun(const Stream& stream, Context& context)
      : stream_(stream),
        context_(context),
        bytes_(stream.elements * element_bytes(stream.dtype)),
        kernels_(stream_kernels(context.isa(), !stream.write_allocate)) {
    const Arrays arrays = arrays_of(stream.kind);
    if (arrays.b) b_ = random_array(context, stream.dtype, bytes_, kSeedB);
    if (arrays.c) c_ = random_array(context, stream.dtype, bytes_, kSeedC);
    if (arrays.a) {
      a_ = context.filled(bytes_, [](Buffer& buffer, Part part) {
        std::memset(buffer.data() + part.begin, 0, part.size());
      });
    }
  }

  Sample time(std::uint64_t iterations) override {
    Team& team = context_.team();
    std::atomic<std::uint64_t> sum = 0;
    Sample out = conditions_.sample(iterations, [&](unsigned worker) {
      const Part part = part_of(bytes_, worker, team.size());
      std::uint64_t sums = 0;
      for (std::uint64_t i = 0; i < iterations; ++i) {
        sums += pass(part);
        team.meet();
      }
      sum += sums;
    });
    // Every pass of a timed read is checked, and so none can be left out.
    if (stream_.kind == StreamKind::read && expected_sum_ && sum != *expected_sum_ * iterations) {
      throw backend::BackendError(
          "the checksum of a timed read is wrong: memory or the kernel is at fault");
    }
    return out;
  }

  Verification verify() override {
    if (stream_.kind == StreamKind::read) return verify_read();
    Team& team = context_.team();
    team.run([&](unsigned worker) {
      const Part part = part_of(bytes_, worker, team.size());
      std::memset(a_.data() + part.begin, 0xff, part.size());
    });
    team.run([&](unsigned worker) { pass(part_of(bytes_, worker, team.size())); });
    context_.tamper(a_.bytes());
    std::vector<Comparison> parts(team.size());
    team.run([&](unsigned worker) { parts[worker] = check(part_of(bytes_, worker, team.size())); });
    Comparison all;
    for (const Comparison& part : parts) all.merge(part);
    return verdict(all, moves_bits_only(stream_.kind)
                            ? "the bytes that were to be written (all of them)"
                            : "float64, every element");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    const bool stores = arrays_of(stream_.kind).a;
    if (stores)
      out.push_back({"stores", std::string(kernels_.non_temporal ? "non-temporal" : "regular")});
    out.push_back({"array_byte", bytes_});
    const bool small = bytes_ < context_.dram_bytes();
    if (small) out.push_back({"array_below_8x_l3", true});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  std::uint64_t pass(Part part) const {
    const std::size_t n = part.size();
    if (n == 0) return 0;
    switch (stream_.kind) {
      case StreamKind::read:
        return kernels_.read(b_.data() + part.begin, n);
      case StreamKind::write:
        kernels_.write(a_.data() + part.begin, kPattern, n);
        return 0;
      case StreamKind::copy:
        kernels_.copy(a_.data() + part.begin, b_.data() + part.begin, n);
        return 0;
      case StreamKind::scale:
      case StreamKind::add:
      case StreamKind::triad:
      case StreamKind::update:
        break;
    }
    if (stream_.dtype == DType::fp32) {
      compute<float>(kernels_.f32, part);
    } else {
      compute<double>(kernels_.f64, part);
    }
    return 0;
  }

  template <class T>
  void compute(const ArithmeticKernels<T>& kernels, Part part) const {
    T* const a = a_.as<T>() + part.begin / sizeof(T);
    const T* const b = b_.as<T>() + part.begin / sizeof(T);
    const std::size_t n = part.size() / sizeof(T);
    if (stream_.kind == StreamKind::scale) {
      kernels.scale(a, b, kFactor<T>, n);
      return;
    }
    const T* const c = c_.as<T>() + part.begin / sizeof(T);
    if (stream_.kind == StreamKind::add) {
      kernels.add(a, b, c, n);
    } else {
      kernels.triad(a, b, c, kFactor<T>, n);
    }
  }

  Comparison check(Part part) const {
    const std::byte* const got = a_.data() + part.begin;
    if (stream_.kind == StreamKind::write)
      return check_pattern(got, kPattern, part.size(), part.begin);
    if (stream_.kind == StreamKind::copy) {
      return check_bytes(got, b_.data() + part.begin, part.size(), part.begin);
    }
    return stream_.dtype == DType::fp32 ? check_elements<float>(part)
                                        : check_elements<double>(part);
  }

  template <class T>
  Comparison check_elements(Part part) const {
    const std::size_t first = part.begin / sizeof(T);
    const T* const c = c_.size() == 0 ? nullptr : c_.as<T>() + first;
    return check_stream<T>(stream_.kind, {a_.as<T>() + first, b_.as<T>() + first, c, kFactor<T>,
                                          first, part.size() / sizeof(T)});
  }

  Verification verify_read() {
    Team& team = context_.team();
    std::atomic<std::uint64_t> got = 0;
    std::atomic<std::uint64_t> expected = 0;
    team.run([&](unsigned worker) { got += pass(part_of(bytes_, worker, team.size())); });
    context_.tamper(b_.bytes());
    team.run([&](unsigned worker) {
      const Part part = part_of(bytes_, worker, team.size());
      expected += word_sum(b_.data() + part.begin, part.size());
    });
    expected_sum_ = expected;
    const std::string detail =
        "the sum of all 64-bit words modulo 2^64 against the same sum byte by byte";
    if (got != expected) return {VerificationState::incorrect, detail + ": they differ"};
    return {VerificationState::verified, detail + "; equal, as in every timed pass"};
  }

  Stream stream_;
  Context& context_;
  std::uint64_t bytes_;
  const StreamKernels& kernels_;
  Buffer a_;
  Buffer b_;
  Buffer c_;
  std::optional<std::uint64_t> expected_sum_;
  Conditions conditions_ = context_.conditions();
};

}  // namespace

Support support_stream(const Stream& stream, const Context& context) {
  if (stream.kind == StreamKind::update || stream.level != Boundary::dram)
    return backend::Unsupported{"not built yet"};
  const std::string type(name(stream.dtype));
  if (storage_bits(stream.dtype) % 8 != 0) {
    return backend::Unsupported{
        type + " is stored in parts of a byte; use int8 to move the same kind of data"};
  }
  const bool computes = stream.dtype == DType::fp32 || stream.dtype == DType::fp64;
  if (!computes && !moves_bits_only(stream.kind)) {
    return backend::Unsupported{std::string(name(stream.kind)) +
                                " computes, and the CPU's stream kernels compute in fp32 and fp64 "
                                "only; read, write and copy "
                                "work for " +
                                type};
  }
  Stream out = stream;
  const std::uint64_t element = element_bytes(stream.dtype);
  const std::uint64_t arrays = arrays_of(stream.kind).count();
  if (out.elements == 0) {
    out.elements =
        stream_array_bytes(context.dram_bytes(), arrays, context.memory_budget()) / element;
    if (out.elements == 0)
      return backend::Unsupported{"there is no memory left for even one cache line per array"};
  }
  const double needed = static_cast<double>(out.elements) * static_cast<double>(element * arrays);
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(context.memory_budget()) /
                                              static_cast<double>(element * arrays));
  if (auto refused =
          too_large(context, needed, "use at most " + std::to_string(fit) + " elements")) {
    return *refused;
  }
  // Non-temporal stores read no line first. Asked for outright, regular stores are used; where
  // there are no others, they are as well.
  const bool stores = arrays_of(stream.kind).a;
  out.write_allocate =
      stores && (stream.write_allocate || !stream_kernels(context.isa(), true).non_temporal);
  return Workload{out};
}

std::unique_ptr<backend::PreparedRun> prepare_stream(const Stream& stream, Context& context) {
  return std::make_unique<StreamRun>(stream, context);
}

}  // namespace roofline::cpu
