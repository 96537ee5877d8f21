// What is computed: the operations this tool knows, each a plain value that states its shape and
// types. What it costs is in account.hpp; who runs it, and how fast, is not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "roofline/count.hpp"
#include "roofline/dtype.hpp"
#include "roofline/units.hpp"

namespace roofline {

/// What the operands of a product hold. Random significands switch as many transistors as real data
/// do; the others draw less power, so a device that is held by its power limit clocks higher.
enum class DataPattern {
  random,    ///< full significands, with both signs
  zeros,     ///< what the silicon could do if power were no limit
  ones,      ///< one and the same value
  integers,  ///< small whole numbers, as some programs fill their operands with
};

/// How long the device has been under load when a product is timed.
enum class LoadDuration {
  turns,      ///< in turns with other points, as everything is that says nothing else
  burst,      ///< after a rest: before heat and the power limit lower the clock
  sustained,  ///< once rate and clock have settled under the same load
};

/// C[m,n] = alpha * A[m,k] * B[k,n] + beta * C, `batch` times with operands of their own.
struct Gemm {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t batch = 1;
  DType input = DType::bf16;             ///< type that A and B are multiplied in
  std::optional<DType> accumulate = {};  ///< default: info(input).accumulate
  std::optional<DType> output = {};      ///< default: info(input).output
  bool transpose_a = false;              ///< A is stored [k,m]; the bytes are the same
  bool transpose_b = false;              ///< B is stored [n,k]
  double alpha = 1;
  double beta = 0;  ///< != 0 reads C
  std::optional<DType> convert_a_from =
      {};  ///< A is first converted through a buffer: read, write, read again
  std::optional<DType> convert_b_from = {};
  DataPattern data = DataPattern::random;
  LoadDuration duration = LoadDuration::turns;
  friend bool operator==(const Gemm&, const Gemm&) = default;
};

/// Where bytes are counted, and where the operands of a stream or a projection lie. A PeakProbe
/// stays in registers and crosses none of these. `link` is what joins a device to its host.
enum class Boundary { dram, l3, l2, l1, link };
[[nodiscard]] std::string_view name(Boundary boundary);
[[nodiscard]] std::optional<Boundary> find_boundary(std::string_view text);
[[nodiscard]] std::span<const Boundary> boundaries();

/// Y[rows, d_out] = X[rows, d_in] * W[d_in, d_out]: token rows meeting one weight matrix.
/// rows = 1..64 is the decode matvec. The weight is stored in `weight` and multiplied in
/// `activation`.
struct Projection {
  std::uint64_t rows = 0;
  std::uint64_t d_in = 0;
  std::uint64_t d_out = 0;
  DType activation = DType::bf16;
  std::optional<DType> weight = {};  ///< default: activation
  std::uint64_t scale_group = 0;     ///< weights along d_in that share a scale; 0 = no scales
  unsigned scale_bits = 16;          ///< scale and zero point together, per group
  std::optional<DType> output = {};  ///< default: info(activation).output
  /// Where the weights lie when a call begins: dram is cold (another copy each time), a cache level
  /// is hot (the same copy again).
  Boundary level = Boundary::dram;
  friend bool operator==(const Projection&, const Projection&) = default;
};

/// One pass over arrays of `elements` elements, in the words of STREAM; `update` is a = s * a in
/// place, the one mix that reads every line that it writes.
enum class StreamKind { read, write, copy, scale, add, triad, update };

struct Stream {
  StreamKind kind = StreamKind::triad;
  std::uint64_t elements = 0;
  DType dtype = DType::fp64;
  bool write_allocate = false;  ///< stores read their line first: moved bytes exceed counted bytes
  Boundary level = Boundary::dram;  ///< the arrays lie here, and cross the boundary of this name
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// A chain of `ops` elementwise operations over tensors of `elements` elements, `ops_per_kernel`
/// fused into each kernel. The chain reads `inputs` different tensors (each once) and writes one
/// result; every kernel but the last also writes an intermediate that the next one reads.
struct Elementwise {
  std::uint64_t elements = 0;
  std::uint64_t ops = 1;             ///< one FLOP per element each
  std::uint64_t ops_per_kernel = 1;  ///< 1 = unfused, >= ops = fully fused
  std::uint64_t inputs = 1;          ///< 1 .. ops + 1: a binary operation brings in one more
  DType dtype = DType::bf16;
  friend bool operator==(const Elementwise&, const Elementwise&) = default;
};

/// A kernel known only by its counts. `intensity` stands in where work and bytes are not known.
struct Kernel {
  std::optional<Count> flops = {};
  std::optional<Count> read_bytes = {};
  std::optional<Count> write_bytes = {};
  std::optional<Intensity> intensity = {};
  DType dtype = DType::fp32;
  std::optional<DType> accumulate = {};
  std::optional<Engine> engine = {};  ///< default: vector for fp64 and fp32, tensor for the others
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// Arithmetic on registers alone: what the compute roof of a device is measured with. No traffic.
struct PeakProbe {
  DType dtype = DType::fp32;
  std::uint64_t flops = 0;  ///< per iteration, all threads together; 0 until a backend has chosen
  friend bool operator==(const PeakProbe&, const PeakProbe&) = default;
};

/// A call that does nothing: what the overhead of every other call is measured with.
enum class LaunchPath {
  kernel,         ///< one of our own kernels with no work
  library,        ///< the smallest product a GEMM library can be asked for
  graph,          ///< an empty node of a captured graph
  library_graph,  ///< that smallest product, in a captured graph
  event,  ///< nothing at all between two events of the device's own clock: what timing costs
};

struct Launch {
  LaunchPath path = LaunchPath::kernel;
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// Which way a transfer goes.
enum class TransferDirection { to_device, to_host };
/// What the host's side of a transfer lies in: pinned pages the device reaches by itself, pageable
/// ones are copied through a buffer of the driver's first.
enum class HostMemory { pinned, pageable };

/// A copy between the host's memory and the device's, over the link that joins them.
struct Transfer {
  TransferDirection direction = TransferDirection::to_device;
  HostMemory host_memory = HostMemory::pinned;
  std::uint64_t bytes = 0;  ///< 0 until a backend has chosen
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

using Workload =
    std::variant<Gemm, Projection, Stream, Elementwise, Kernel, PeakProbe, Launch, Transfer>;

[[nodiscard]] std::string_view name(DataPattern data);
[[nodiscard]] std::optional<DataPattern> find_data_pattern(std::string_view text);
[[nodiscard]] std::span<const DataPattern> data_patterns();
[[nodiscard]] std::string_view name(LoadDuration duration);
[[nodiscard]] std::optional<LoadDuration> find_load_duration(std::string_view text);
[[nodiscard]] std::span<const LoadDuration> load_durations();
/// How long the device is to be under load; turns of what has no such field.
[[nodiscard]] LoadDuration load_duration(const Workload& workload);
[[nodiscard]] std::string_view name(StreamKind kind);
[[nodiscard]] std::optional<StreamKind> find_stream_kind(std::string_view text);
/// `read, write, copy, scale, add, triad, update`, for sentences.
[[nodiscard]] std::string stream_kind_list();
[[nodiscard]] std::string_view name(LaunchPath path);
[[nodiscard]] std::optional<LaunchPath> find_launch_path(std::string_view text);
[[nodiscard]] std::span<const LaunchPath> launch_paths();
/// `kernel, library, ...`, for sentences.
[[nodiscard]] std::string launch_path_list();
[[nodiscard]] std::string_view name(TransferDirection direction);
/// `to_device`, `h2d`; `to_host`, `d2h`.
[[nodiscard]] std::optional<TransferDirection> find_transfer_direction(std::string_view text);
[[nodiscard]] std::span<const TransferDirection> transfer_directions();
[[nodiscard]] std::string_view name(HostMemory memory);
[[nodiscard]] std::optional<HostMemory> find_host_memory(std::string_view text);
[[nodiscard]] std::span<const HostMemory> host_memories();
/// Libraries take factors in the type of the sums: why alpha or beta can't be meant, being 0 or
/// infinite there. Nothing where they can.
[[nodiscard]] std::optional<std::string> unfit_factors(const Gemm& gemm);
/// How the floor of a call of this workload is reached: through a library, or by our own kernel.
[[nodiscard]] LaunchPath launch_path(const Workload& workload);
/// What it can be called by without work: the shortest of them that a device was seen to do is the
/// least its call takes, launched one by one or replayed in a graph. Of a launch a view into it.
[[nodiscard]] std::span<const LaunchPath> empty_calls(const Workload& workload);

/// gemm, matvec, stream, elementwise, kernel, peak, launch, transfer: the words of commands and
/// reports.
[[nodiscard]] std::string_view kind_name(const Workload& workload);
/// All of them, in this order.
[[nodiscard]] std::span<const std::string_view> kind_names();
/// `gemm, matvec, ...`, for sentences.
[[nodiscard]] std::string kind_list();
/// False of what moves or waits only: a launch, a transfer.
[[nodiscard]] bool computes(const Workload& workload);
/// The type that is computed in; of a launch or a transfer, which compute nothing, fp32.
[[nodiscard]] DType compute_dtype(const Workload& workload);
[[nodiscard]] DType accumulate_dtype(const Workload& workload);
[[nodiscard]] DType output_dtype(const Workload& workload);
[[nodiscard]] Engine engine(const Workload& workload);
/// A short label that tells points of a sweep apart: `4096x4096x4096`, `T=8 4096x14336`, `triad`.
[[nodiscard]] std::string shape_label(const Workload& workload);

/// Throws InputError when the workload cannot exist: zero sizes, alpha = 0, an output type as
/// input, a type that products cannot be summed in, inputs > ops + 1, a kernel that does nothing or
/// is given twice.
void validate(const Workload& workload);

}  // namespace roofline
