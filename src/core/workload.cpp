#include "roofline/workload.hpp"

#include <cmath>
#include <limits>

#include "roofline/error.hpp"
#include "roofline/overloaded.hpp"

namespace roofline {
namespace {

constexpr std::string_view kStreamNames[] = {"read", "write", "copy",  "scale",
                                             "add",  "triad", "update"};
constexpr std::string_view kDataNames[] = {"random", "zeros", "ones", "integers"};
constexpr std::string_view kDurationNames[] = {"turns", "burst", "sustained"};
constexpr std::string_view kBoundaryNames[] = {"dram", "l3", "l2", "l1", "link"};
constexpr std::string_view kLaunchNames[] = {"kernel", "library", "graph", "library_graph",
                                             "event"};
constexpr std::string_view kDirectionNames[] = {"to_device", "to_host"};
constexpr std::string_view kHostMemoryNames[] = {"pinned", "pageable"};
constexpr std::string_view kKindNames[] = {"gemm",   "matvec", "stream", "elementwise",
                                           "kernel", "peak",   "launch", "transfer"};
static_assert(std::size(kKindNames) == std::variant_size_v<Workload>);

template <class Enum, std::size_t N>
std::optional<Enum> find_in(const std::string_view (&names)[N], std::string_view text) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <std::size_t N>
std::string list_of(const std::string_view (&names)[N]) {
  std::string out;
  for (const std::string_view name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

void require_positive(std::uint64_t value, const char* what) {
  if (value == 0) throw InputError(std::string(what) + " is 0; give a positive whole number");
}

void require_input_type(DType dtype) {
  if (dtype == DType::int32) {
    throw InputError(
        "int32 is what integer products are summed in, not an input type; use int8 or int4");
  }
}

void require_finite(double value, const char* what) {
  if (!std::isfinite(value)) throw InputError(std::string(what) + " is not a finite number");
}

/// Products are summed in a type of their own kind that holds at least what went in.
void require_accumulator(DType input, std::optional<DType> accumulate) {
  if (!accumulate) return;
  const bool sums_floats = *accumulate == DType::fp16 || *accumulate == DType::bf16 ||
                           *accumulate == DType::fp32 || *accumulate == DType::fp64;
  const bool fits = info(input).integer
                        ? *accumulate == DType::int32
                        : sums_floats && storage_bits(*accumulate) >= storage_bits(input);
  if (!fits) {
    throw InputError("products of " + std::string(name(input)) + " cannot be summed in " +
                     std::string(name(*accumulate)) + "; use " +
                     std::string(name(info(input).accumulate)));
  }
}

void check(const Gemm& w) {
  require_positive(w.m, "GEMM size m");
  require_positive(w.n, "GEMM size n");
  require_positive(w.k, "GEMM size k");
  require_positive(w.batch, "GEMM batch");
  require_input_type(w.input);
  require_accumulator(w.input, w.accumulate);
  require_finite(w.alpha, "alpha");
  require_finite(w.beta, "beta");
  if (w.alpha == 0)
    throw InputError("alpha is 0, so A and B would not be multiplied; give another alpha");
}

void check(const Projection& w) {
  require_positive(w.rows, "the number of rows");
  require_positive(w.d_in, "d_in");
  require_positive(w.d_out, "d_out");
  require_input_type(w.activation);
  if (w.weight) require_input_type(*w.weight);
  if (w.scale_group > w.d_in) {
    throw InputError("the scale group (" + std::to_string(w.scale_group) +
                     ") is longer than d_in (" + std::to_string(w.d_in) +
                     "); use a group of at most d_in");
  }
  if (w.scale_group != 0 && w.scale_bits == 0) {
    throw InputError(
        "scales of 0 bits hold nothing; give the bits of scale and zero point together");
  }
  if (w.level == Boundary::link) {
    throw InputError(
        "weights on the far side of the link are not supported; use dram or a cache level");
  }
}

void check(const Stream& w) { require_positive(w.elements, "the number of stream elements"); }

void check(const Elementwise& w) {
  require_positive(w.elements, "the number of elements");
  require_positive(w.ops, "the number of operations");
  require_positive(w.ops_per_kernel, "the number of operations per kernel");
  require_positive(w.inputs, "the number of inputs");
  // Every operation past the first takes one operand from its predecessor, so a chain of n
  // operations has room for n + 1 tensors from outside at most.
  if (w.inputs - 1 > w.ops) {
    throw InputError("a chain of " + std::to_string(w.ops) + " operations reads at most " +
                     std::to_string(w.ops + 1) + " input tensors, not " + std::to_string(w.inputs));
  }
}

void check(const Kernel& w) {
  require_accumulator(w.dtype, w.accumulate);
  if (w.intensity) {
    const double stated = in_flop_per_byte(*w.intensity);
    if (!std::isfinite(stated) || stated <= 0) {
      throw InputError("the intensity of a kernel must be a finite number above 0");
    }
    if (w.flops || w.read_bytes || w.write_bytes) {
      throw InputError(
          "give a kernel either by its intensity or by its FLOP and byte counts, not by both");
    }
    return;
  }
  const bool has_bytes = w.read_bytes || w.write_bytes;
  if (!w.flops && !has_bytes) return;  // known by its achieved rate alone
  if (!w.flops) throw InputError("a kernel needs its FLOP count; or give its intensity alone");
  if (!has_bytes) {
    throw InputError("a kernel needs the bytes it reads or writes; or give its intensity alone");
  }
  const auto nothing = [](const std::optional<Count>& count) {
    return !count || count->value() == 0;
  };
  if (nothing(w.flops) && nothing(w.read_bytes) && nothing(w.write_bytes)) {
    throw InputError(
        "a kernel of no FLOP and no bytes does nothing; give at least one of its counts");
  }
}

void check(const PeakProbe& w) { require_input_type(w.dtype); }

void check(const Launch&) {}

void check(const Transfer& w) { require_positive(w.bytes, "the number of bytes of a transfer"); }

}  // namespace

std::string_view name(DataPattern data) { return kDataNames[static_cast<std::size_t>(data)]; }

std::optional<DataPattern> find_data_pattern(std::string_view text) {
  return find_in<DataPattern>(kDataNames, text);
}

std::span<const DataPattern> data_patterns() {
  static constexpr DataPattern all[] = {DataPattern::random, DataPattern::zeros, DataPattern::ones,
                                        DataPattern::integers};
  return all;
}

std::string_view name(LoadDuration duration) {
  return kDurationNames[static_cast<std::size_t>(duration)];
}

std::optional<LoadDuration> find_load_duration(std::string_view text) {
  return find_in<LoadDuration>(kDurationNames, text);
}

std::span<const LoadDuration> load_durations() {
  static constexpr LoadDuration all[] = {LoadDuration::turns, LoadDuration::burst,
                                         LoadDuration::sustained};
  return all;
}

LoadDuration load_duration(const Workload& workload) {
  const auto* const gemm = std::get_if<Gemm>(&workload);
  return gemm == nullptr ? LoadDuration::turns : gemm->duration;
}

std::string_view name(StreamKind kind) { return kStreamNames[static_cast<std::size_t>(kind)]; }

std::optional<StreamKind> find_stream_kind(std::string_view text) {
  return find_in<StreamKind>(kStreamNames, text);
}

std::string stream_kind_list() { return list_of(kStreamNames); }

std::string_view name(Boundary boundary) {
  return kBoundaryNames[static_cast<std::size_t>(boundary)];
}

std::optional<Boundary> find_boundary(std::string_view text) {
  return find_in<Boundary>(kBoundaryNames, text);
}

std::span<const Boundary> boundaries() {
  static constexpr Boundary kAll[] = {Boundary::dram, Boundary::l3, Boundary::l2, Boundary::l1,
                                      Boundary::link};
  return kAll;
}

std::span<const LaunchPath> launch_paths() {
  static constexpr LaunchPath kAll[] = {LaunchPath::kernel, LaunchPath::library, LaunchPath::graph,
                                        LaunchPath::library_graph, LaunchPath::event};
  return kAll;
}

std::string launch_path_list() { return list_of(kLaunchNames); }

std::string_view name(LaunchPath path) { return kLaunchNames[static_cast<std::size_t>(path)]; }

std::optional<LaunchPath> find_launch_path(std::string_view text) {
  return find_in<LaunchPath>(kLaunchNames, text);
}

std::string_view name(TransferDirection direction) {
  return kDirectionNames[static_cast<std::size_t>(direction)];
}

std::optional<TransferDirection> find_transfer_direction(std::string_view text) {
  if (text == "h2d") return TransferDirection::to_device;
  if (text == "d2h") return TransferDirection::to_host;
  return find_in<TransferDirection>(kDirectionNames, text);
}

std::span<const TransferDirection> transfer_directions() {
  static constexpr TransferDirection kAll[] = {TransferDirection::to_device,
                                               TransferDirection::to_host};
  return kAll;
}

std::string_view name(HostMemory memory) {
  return kHostMemoryNames[static_cast<std::size_t>(memory)];
}

std::optional<HostMemory> find_host_memory(std::string_view text) {
  return find_in<HostMemory>(kHostMemoryNames, text);
}

std::span<const HostMemory> host_memories() {
  static constexpr HostMemory kAll[] = {HostMemory::pinned, HostMemory::pageable};
  return kAll;
}

std::optional<std::string> unfit_factors(const Gemm& gemm) {
  const DType sums = accumulate_dtype(gemm);
  if (sums != DType::fp16 && sums != DType::fp32) return std::nullopt;
  const bool half = sums == DType::fp16;
  const double least = half ? 0x1p-24 : 0x1p-149;
  const double most = half ? 65504 : std::numeric_limits<float>::max();
  const auto fits = [&](double value) {
    const double size = std::fabs(value);
    return value == 0 || (size >= least && size <= most);
  };
  if (fits(gemm.alpha) && fits(gemm.beta)) return std::nullopt;
  return "alpha and beta are factors of " + std::string(name(sums)) +
         " here, in which one of them is 0 or infinite; use factors nearer to 1";
}

LaunchPath launch_path(const Workload& workload) {
  if (const auto* launch = std::get_if<Launch>(&workload)) return launch->path;
  return std::holds_alternative<Gemm>(workload) ? LaunchPath::library : LaunchPath::kernel;
}

std::span<const LaunchPath> empty_calls(const Workload& workload) {
  static constexpr LaunchPath kOfKernels[] = {LaunchPath::kernel, LaunchPath::graph};
  static constexpr LaunchPath kOfLibrary[] = {LaunchPath::library, LaunchPath::library_graph};
  if (const auto* launch = std::get_if<Launch>(&workload)) return {&launch->path, 1};
  if (launch_path(workload) == LaunchPath::library) return kOfLibrary;
  return kOfKernels;
}

std::string_view kind_name(const Workload& workload) { return kKindNames[workload.index()]; }

std::span<const std::string_view> kind_names() { return kKindNames; }

std::string kind_list() { return list_of(kKindNames); }

bool computes(const Workload& workload) {
  return !std::holds_alternative<Launch>(workload) && !std::holds_alternative<Transfer>(workload);
}

DType compute_dtype(const Workload& workload) {
  return std::visit(Overloaded{
                        [](const Gemm& w) { return w.input; },
                        [](const Projection& w) { return w.activation; },
                        [](const Launch&) { return DType::fp32; },
                        [](const Transfer&) { return DType::fp32; },
                        [](const auto& w) { return w.dtype; },
                    },
                    workload);
}

DType accumulate_dtype(const Workload& workload) {
  const DType fallback = info(compute_dtype(workload)).accumulate;
  return std::visit(Overloaded{
                        [&](const Gemm& w) { return w.accumulate.value_or(fallback); },
                        [&](const Kernel& w) { return w.accumulate.value_or(fallback); },
                        [&](const auto&) { return fallback; },
                    },
                    workload);
}

DType output_dtype(const Workload& workload) {
  const DType fallback = info(compute_dtype(workload)).output;
  return std::visit(Overloaded{
                        [&](const Gemm& w) { return w.output.value_or(fallback); },
                        [&](const Projection& w) { return w.output.value_or(fallback); },
                        [](const Launch&) { return DType::fp32; },
                        [](const Transfer&) { return DType::fp32; },
                        [](const auto& w) { return w.dtype; },
                    },
                    workload);
}

Engine engine(const Workload& workload) {
  return std::visit(Overloaded{
                        [](const Gemm&) { return Engine::tensor; },
                        [](const Projection&) { return Engine::tensor; },
                        [](const Stream&) { return Engine::vector; },
                        [](const Elementwise&) { return Engine::vector; },
                        [](const Kernel& w) {
                          const bool ordinary = w.dtype == DType::fp64 || w.dtype == DType::fp32;
                          return w.engine.value_or(ordinary ? Engine::vector : Engine::tensor);
                        },
                        // Chains of FMAs. What multiplies other types on a CPU are units that a
                        // GEMM uses as well.
                        [](const PeakProbe& w) {
                          return w.dtype == DType::fp64 ? Engine::vector : Engine::tensor;
                        },
                        [](const Launch&) { return Engine::vector; },
                        [](const Transfer&) { return Engine::vector; },
                    },
                    workload);
}

std::string shape_label(const Workload& workload) {
  const auto text = [](std::uint64_t v) { return std::to_string(v); };
  return std::visit(
      Overloaded{
          [&](const Gemm& w) {
            std::string out = text(w.m) + "x" + text(w.n) + "x" + text(w.k);
            if (w.batch > 1) out += " batch " + text(w.batch);
            if (w.transpose_a) out += " tA";
            if (w.transpose_b) out += " tB";
            if (w.beta != 0) out += " beta";
            if (w.data != DataPattern::random) out += " " + std::string(name(w.data));
            if (w.duration != LoadDuration::turns) out += " " + std::string(name(w.duration));
            return out;
          },
          [&](const Projection& w) {
            std::string out = "T=" + text(w.rows) + " " + text(w.d_in) + "x" + text(w.d_out);
            if (w.level != Boundary::dram) out += " " + std::string(name(w.level));
            return out;
          },
          [](const Stream& w) {
            std::string out(name(w.kind));
            if (w.write_allocate) out += " regular";
            if (w.level != Boundary::dram) out += " " + std::string(name(w.level));
            return out;
          },
          [&](const Elementwise& w) {
            const std::uint64_t fused = w.ops_per_kernel < w.ops ? w.ops_per_kernel : w.ops;
            return text(w.elements) + " ops " + text(w.ops) + " fused " + text(fused);
          },
          [](const Kernel&) { return std::string("kernel"); },
          [](const PeakProbe&) { return std::string("registers"); },
          [](const Launch& w) { return std::string(name(w.path)); },
          [](const Transfer& w) {
            return std::string(name(w.direction)) + " " + std::string(name(w.host_memory));
          },
      },
      workload);
}

void validate(const Workload& workload) {
  std::visit([](const auto& w) { check(w); }, workload);
}

}  // namespace roofline
