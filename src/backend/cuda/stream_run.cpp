// Streams: arrays in DRAM or in L2, filled on the device, passed over by the kernel that is the
// fastest there, and checked on the host to the last element.
#include <algorithm>
#include <cstring>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"
#include "backend/cuda/stream_tuning.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeedA = 3;
constexpr u64 kSeedB = 1;
constexpr u64 kSeedC = 2;

/// As backend::word_sum(), a word at a time: arrays have billions of bytes.
u64 sum_of_words(std::span<const std::byte> bytes) {
  const std::size_t whole = bytes.size() / sizeof(u64) * sizeof(u64);
  u64 sum = backend::word_sum(bytes.data() + whole, bytes.size() - whole);
  for (std::size_t at = 0; at < whole; at += sizeof(u64)) {
    u64 word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  return sum;
}

/// A set in L2 of this backend's own size shows what L2 gives: it's passed over within a launch.
/// One of a stated size is a small kernel, and its launch counts.
u32 passes_per_launch(const Stream& stream, Gpu& gpu) {
  if (stream.level != Boundary::l2 || stream.elements != own_elements(stream, gpu.sizes()))
    return 1;
  constexpr double kLongLaunch_s = 150e-6;
  constexpr double kL2OverDram = 3;
  const double rate = std::max(0.2e12, gpu.sizes().bandwidth_byte_per_s) * kL2OverDram;
  const double passes = kLongLaunch_s * rate / static_cast<double>(set_bytes(stream));
  return static_cast<u32>(std::clamp(passes, 8.0, 4096.0));
}

class StreamRun : public GpuRun {
 public:
  StreamRun(const Stream& stream, Gpu& gpu)
      : GpuRun(gpu),
        stream_(stream),
        bytes_(array_bytes(stream)),
        most_passes_(passes_per_launch(stream, gpu)) {}

 protected:
  void make() override {
    timer_.reset();
    data_ = {};
    wiped_for_ = 0;
    const StreamArrays arrays = arrays_of(stream_.kind);
    const std::string fits = "arrays of half the size need half of it";
    if (arrays.a) data_.a = Buffer(context(), bytes_, fits);
    if (arrays.b) data_.b = filled(kSeedB, fits);
    if (arrays.c) data_.c = filled(kSeedC, fits);
    if (stream_.kind == StreamKind::read)
      data_.sums = Buffer(context(), most_blocks(gpu(), stream_) * sizeof(u64));
    if (stream_.kind == StreamKind::update)
      fill(gpu(), data_.a.address(), type(), elements(), kSeedA);
    context().synchronize();
    tuned_ = tuned_stream(gpu(), stream_, data_);
    // One for each block of the shape that was chosen.
    if (stream_.kind == StreamKind::read)
      data_.sums = Buffer(context(), std::uint64_t{tuned_.grid.x} * sizeof(u64));
    timer_.emplace(gpu(),
                   TimedWork{.enqueue = [this](std::uint64_t) { enqueue(passes_, timed_factor()); },
                             .replay = most_passes_ > 1 ? TimedWork::Replay::never
                                                        : TimedWork::Replay::automatic});
  }

  Sample measure(std::uint64_t iterations) override {
    // Launches of equally many passes, which may come to a few more than were asked for.
    const std::uint64_t launches = (iterations + most_passes_ - 1) / most_passes_;
    passes_ = static_cast<u32>((iterations + launches - 1) / launches);
    if (stream_.kind != StreamKind::read) return launched(launches);
    // Intervals of equally many passes leave the same sums: the first of them starts without any,
    // and not every one has to be looked at.
    if (passes_ != wiped_for_) {
      data_.sums.set(0xff);
      wiped_for_ = passes_;
      unchecked_ = kUnchecked;
    }
    Sample out = launched(launches);
    if (expected_sum_ && ++unchecked_ > kUnchecked) {
      check_timed_sum();
      unchecked_ = 0;
    }
    return out;
  }

  Verification check() override {
    backend::Comparison inputs;
    if (data_.b.bytes() > 0) inputs.merge(check_filled(gpu(), data_.b, type(), elements(), kSeedB));
    if (data_.c.bytes() > 0) inputs.merge(check_filled(gpu(), data_.c, type(), elements(), kSeedC));
    if (inputs.wrong != 0)
      return backend::verdict(inputs, "the random generator (operands, on the host)");
    return stream_.kind == StreamKind::read ? check_read() : check_written();
  }

  Facts describe() const override {
    Facts out;
    out.push_back({"kernel", std::string(tuned_.kernel->name)});
    out.push_back({"block", std::uint64_t{tuned_.grid.block}});
    out.push_back({"grid", std::uint64_t{tuned_.grid.x}});
    if (most_passes_ > 1) out.push_back({"passes_per_launch", std::uint64_t{most_passes_}});
    out.push_back({"array_byte", bytes_});
    out.push_back({"working_set_byte", set_bytes(stream_)});
    out.push_back({"level", level_of(set_bytes(stream_), gpu().l2_bytes())});
    if (stream_.level == Boundary::dram && set_bytes(stream_) < 8 * gpu().l2_bytes())
      out.push_back({"working_set_below_8x_l2", true});
    out.push_back({"data", std::string("uniform random, full mantissa")});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  /// Of the kernel, and how many elements of it.
  [[nodiscard]] DType type() const { return kernel_type(stream_); }
  [[nodiscard]] std::uint64_t elements() const { return bytes_ / (storage_bits(type()) / 8); }

  Buffer filled(u64 seed, const std::string& fits) {
    Buffer out(context(), bytes_, fits);
    fill(gpu(), out.address(), type(), elements(), seed);
    return out;
  }

  Sample launched(std::uint64_t launches) {
    Sample out = timer_->time(launches);
    out.iterations = launches * passes_;
    return out;
  }

  [[nodiscard]] double timed_factor() const {
    return stream_.kind == StreamKind::update ? kTimedUpdateFactor : kStreamFactor;
  }

  void enqueue(u32 passes, double factor) {
    launch_stream(context(), *tuned_.kernel, tuned_.grid, data_,
                  {type(), elements(), factor, passes});
  }

  [[nodiscard]] u64 sum_of_blocks() const {
    std::vector<u64> sums(tuned_.grid.x);
    data_.sums.copy_to(0, std::as_writable_bytes(std::span(sums)));
    u64 sum = 0;
    for (const u64 block : sums) sum += block;
    return sum;
  }

  /// The last launch of an interval left its sums.
  void check_timed_sum() const {
    if (sum_of_blocks() == *expected_sum_ * passes_) return;
    throw backend::BackendError(
        "the checksum of a timed read is wrong: the GPU's memory or the kernel is at fault");
  }

  Verification check_read() {
    u64 expected = 0;
    each_slice(gpu(), {&data_.b}, bytes_,
               [&](std::uint64_t, const Slices& slices) { expected += sum_of_words(slices[0]); });
    data_.sums.set(0xff);
    enqueue(1, timed_factor());
    const u64 got = sum_of_blocks();
    expected_sum_ = expected;
    const std::string detail =
        "the sum of all 64-bit words modulo 2^64 against the same sum on the host";
    if (got != expected) return {VerificationState::incorrect, detail + ": they differ"};
    return {VerificationState::verified, detail + "; equal, as after timed intervals"};
  }

  Verification check_written() {
    const bool update = stream_.kind == StreamKind::update;
    // What an update found, beside what it left.
    const Buffer before = update ? filled(kSeedA, "") : Buffer();
    if (update) {
      fill(gpu(), data_.a.address(), type(), elements(), kSeedA);
    } else {
      data_.a.set(0xff);  // no number
    }
    enqueue(1, kStreamFactor);
    backend::Comparison all;
    if (update) all.merge(check_filled(gpu(), before, type(), elements(), kSeedA));
    const Buffer& b = update ? before : data_.b;
    each_slice(gpu(), {&data_.a, &b, &data_.c}, bytes_,
               [&](std::uint64_t offset, const Slices& slices) {
                 all.merge(type() == DType::fp64 ? compare<double>(offset, slices)
                                                 : compare<float>(offset, slices));
               });
    return backend::verdict(all, moves_bits_only(stream_.kind)
                                     ? "the bytes that were to be written (all of them)"
                                     : "float64, every element");
  }

  template <class T>
  backend::Comparison compare(std::uint64_t offset, const Slices& slices) const {
    const std::size_t bytes = slices[0].size();
    if (stream_.kind == StreamKind::copy)
      return backend::check_bytes(slices[0].data(), slices[1].data(), bytes, offset);
    if (stream_.kind == StreamKind::write) {
      std::vector<T> expected(bytes / sizeof(T), static_cast<T>(kStreamFactor));
      return backend::check_bytes(slices[0].data(), std::as_bytes(std::span(expected)).data(),
                                  bytes, offset);
    }
    const auto values = [](std::span<const std::byte> slice) {
      return reinterpret_cast<const T*>(slice.data());
    };
    const StreamKind kind = stream_.kind == StreamKind::update ? StreamKind::scale : stream_.kind;
    return backend::check_stream<T>(
        kind, {values(slices[0]), values(slices[1]), values(slices[2]),
               static_cast<T>(kStreamFactor), offset / sizeof(T), bytes / sizeof(T)});
  }

  Stream stream_;
  std::uint64_t bytes_;  ///< of each array
  u32 most_passes_;      ///< of a launch
  u32 passes_ = 1;       ///< of the launches of an interval
  u32 wiped_for_ = 0;    ///< passes of the interval before which the sums were last wiped out
  StreamData data_;
  TunedStream tuned_;
  std::optional<Timer> timer_;
  std::optional<u64> expected_sum_;
  static constexpr std::uint64_t kUnchecked = 15;
  std::uint64_t unchecked_ = 0;  ///< intervals since sums were last looked at
};

}  // namespace

Run prepare_stream(const Stream& stream, Gpu& gpu) {
  auto run = std::make_unique<StreamRun>(stream, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
