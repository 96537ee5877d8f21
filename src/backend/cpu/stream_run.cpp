// Streams: arrays in DRAM or in a cache, each part touched first, passed over and checked by its
// own thread.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/cache_levels.hpp"
#include "backend/cpu/random.hpp"
#include "backend/cpu/stream_arrays.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"
#include "kernels/cpu/stream.hpp"

namespace roofline::cpu {
namespace {

/// The factor of scale and triad, and what write writes: any number with a full mantissa.
template <class T>
constexpr T kFactor = static_cast<T>(0.8414709848078965);
constexpr std::uint64_t kPattern = 0x9d3fc2a6b1e8574bULL;

/// The factor of timed updates, of which there are any number on the same array: any but 1 and -1
/// would end in zeros, infinities or slow denormals.
template <class T>
constexpr T kTimedUpdate = -1;

constexpr std::uint64_t kSeedA = 3;
constexpr std::uint64_t kSeedB = 1;
constexpr std::uint64_t kSeedC = 2;

template <class T>
T random_value(std::uint64_t seed, std::uint64_t index) {
  if constexpr (sizeof(T) == 8) {
    return random_fp64(seed, index);
  } else {
    return random_fp32(seed, index);
  }
}

/// Random bits for what has no arithmetic here, random numbers for fp32 and fp64.
Buffer random_array(Context& context, DType dtype, std::uint64_t bytes, std::uint64_t seed) {
  if (dtype == DType::fp32) {
    return context.filled_with<float>(
        bytes / 4, [seed](std::size_t i) { return random_value<float>(seed, i); });
  }
  if (dtype == DType::fp64) {
    return context.filled_with<double>(
        bytes / 8, [seed](std::size_t i) { return random_value<double>(seed, i); });
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
        kernels_(stream_kernels(context.isa(), wants_non_temporal(stream))) {
    const StreamArrays arrays = arrays_of(stream.kind);
    // One that fits into twice the last level is read from there in part, and is passed over so
    // quickly that the threads do not wait for each other in between.
    const std::uint64_t kept = 2 * context.dram_bytes() / kCacheFactor;
    cached_ = stream.level != Boundary::dram || set_bytes() <= kept;
    if (arrays.b) b_ = random_array(context, stream.dtype, bytes_, kSeedB);
    if (arrays.c) c_ = random_array(context, stream.dtype, bytes_, kSeedC);
    if (stream.kind == StreamKind::update) {
      a_ = random_array(context, stream.dtype, bytes_, kSeedA);
    } else if (arrays.a) {
      a_ = context.filled(bytes_, [](Buffer& buffer, Part part) {
        std::memset(buffer.data() + part.begin, 0, part.size());
      });
    }
  }

  Sample time(std::uint64_t iterations) override {
    Team& team = context_.team();
    std::atomic<std::uint64_t> sum = 0;
    Sample out = conditions_.sample(iterations, [&](unsigned worker) {
      const Part part = part_of_worker(worker);
      std::uint64_t sums = 0;
      if (cached_) {
        sums = pass(part, iterations);
      } else {
        for (std::uint64_t i = 0; i < iterations; ++i) {
          sums += pass(part, 1);
          team.meet();
        }
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
    if (stream_.kind == StreamKind::update) {
      a_ = random_array(context_, stream_.dtype, bytes_, kSeedA);
    } else {
      team.run([&](unsigned worker) {
        const Part part = part_of_worker(worker);
        std::memset(a_.data() + part.begin, 0xff, part.size());
      });
    }
    team.run([&](unsigned worker) { pass_checked(part_of_worker(worker)); });
    context_.tamper(a_.bytes());
    std::vector<Comparison> parts(team.size());
    team.run([&](unsigned worker) { parts[worker] = check(part_of_worker(worker)); });
    Comparison all;
    for (const Comparison& part : parts) all.merge(part);
    return verdict(all, moves_bits_only(stream_.kind)
                            ? "the bytes that were to be written (all of them)"
                            : "float64, every element");
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    if (arrays_of(stream_.kind).a)
      out.push_back({"stores", std::string(kernels_.non_temporal ? "non-temporal" : "regular")});
    out.push_back({"passes_per_launch", std::string("all of a sample")});
    out.push_back({"array_byte", bytes_});
    out.push_back({"working_set_byte", set_bytes()});
    const std::string lies =
        level_of(context_.caches(), static_cast<double>(set_bytes()) / context_.threads());
    out.push_back({"level", lies.empty() ? FactValue{Unknown{"no cache sizes are known here"}}
                                         : FactValue{lies}});
    if (stream_.level == Boundary::dram && bytes_ < context_.dram_bytes())
      out.push_back({"array_below_8x_l3", true});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  /// Of all arrays together.
  [[nodiscard]] std::uint64_t set_bytes() const { return bytes_ * arrays_of(stream_.kind).count(); }

  /// In whole pages, which have one owner each; in a cache in whole lines, so that small arrays are
  /// shared evenly.
  [[nodiscard]] Part part_of_worker(unsigned worker) const {
    constexpr std::size_t kLine = 64;
    const unsigned workers = context_.threads();
    if (!cached_) return part_of(bytes_, worker, workers);
    const Part lines = pieces_of((bytes_ + kLine - 1) / kLine, worker, workers);
    return {std::min(lines.begin * kLine, bytes_), std::min(lines.end * kLine, bytes_)};
  }

  std::uint64_t pass(Part part, std::uint64_t passes) const {
    const std::size_t n = part.size();
    if (n == 0) return 0;
    switch (stream_.kind) {
      case StreamKind::read:
        return (cached_ ? kernels_.read_cached : kernels_.read)(b_.data() + part.begin, n, passes);
      case StreamKind::write:
        kernels_.write(a_.data() + part.begin, kPattern, n, passes);
        return 0;
      case StreamKind::copy:
        kernels_.copy(a_.data() + part.begin, b_.data() + part.begin, n, passes);
        return 0;
      case StreamKind::scale:
      case StreamKind::add:
      case StreamKind::triad:
      case StreamKind::update:
        break;
    }
    if (stream_.dtype == DType::fp32) {
      compute<float>(kernels_.f32, part, passes, kTimedUpdate<float>);
    } else {
      compute<double>(kernels_.f64, part, passes, kTimedUpdate<double>);
    }
    return 0;
  }

  /// As pass(), but an update by a factor whose products have to be rounded.
  void pass_checked(Part part) const {
    if (stream_.kind != StreamKind::update || part.size() == 0) {
      pass(part, 1);
    } else if (stream_.dtype == DType::fp32) {
      compute<float>(kernels_.f32, part, 1, kFactor<float>);
    } else {
      compute<double>(kernels_.f64, part, 1, kFactor<double>);
    }
  }

  template <class T>
  void compute(const ArithmeticKernels<T>& kernels, Part part, std::uint64_t passes,
               T update) const {
    T* const a = a_.as<T>() + part.begin / sizeof(T);
    const std::size_t n = part.size() / sizeof(T);
    if (stream_.kind == StreamKind::update) {
      kernels.update(a, update, n, passes);
      return;
    }
    const T* const b = b_.as<T>() + part.begin / sizeof(T);
    if (stream_.kind == StreamKind::scale) {
      kernels.scale(a, b, kFactor<T>, n, passes);
      return;
    }
    const T* const c = c_.as<T>() + part.begin / sizeof(T);
    if (stream_.kind == StreamKind::add) {
      kernels.add(a, b, c, n, passes);
    } else {
      kernels.triad(a, b, c, kFactor<T>, n, passes);
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
    const std::size_t n = part.size() / sizeof(T);
    if (stream_.kind == StreamKind::update) return check_update<T>(first, n);
    const T* const c = c_.size() == 0 ? nullptr : c_.as<T>() + first;
    return check_stream<T>(stream_.kind,
                           {a_.as<T>() + first, b_.as<T>() + first, c, kFactor<T>, first, n});
  }

  /// What was there before is generated again.
  template <class T>
  Comparison check_update(std::size_t first, std::size_t n) const {
    constexpr std::size_t kBlock = 512;
    T before[kBlock];
    Comparison out;
    for (std::size_t at = 0; at < n; at += kBlock) {
      const std::size_t count = std::min(kBlock, n - at);
      for (std::size_t i = 0; i < count; ++i) before[i] = random_value<T>(kSeedA, first + at + i);
      out.merge(check_stream<T>(StreamKind::scale, {a_.as<T>() + first + at, before, nullptr,
                                                    kFactor<T>, first + at, count}));
    }
    return out;
  }

  Verification verify_read() {
    Team& team = context_.team();
    std::atomic<std::uint64_t> got = 0;
    std::atomic<std::uint64_t> expected = 0;
    team.run([&](unsigned worker) { got += pass(part_of_worker(worker), 1); });
    context_.tamper(b_.bytes());
    team.run([&](unsigned worker) {
      const Part part = part_of_worker(worker);
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
  std::uint64_t bytes_;  ///< of each array
  const StreamKernels& kernels_;
  bool cached_ = false;
  Buffer a_;
  Buffer b_;
  Buffer c_;
  std::optional<std::uint64_t> expected_sum_;
  Conditions conditions_ = context_.conditions();
};

}  // namespace

std::unique_ptr<backend::PreparedRun> prepare_stream(const Stream& stream, Context& context) {
  return std::make_unique<StreamRun>(stream, context);
}

}  // namespace roofline::cpu
