// Which streams the CPU can run and with arrays of what size.
#include "backend/cpu/cache_levels.hpp"
#include "backend/cpu/stream_arrays.hpp"
#include "backend/cpu/workloads.hpp"
#include "backend/size_text.hpp"
#include "kernels/cpu/stream.hpp"

namespace roofline::cpu {
namespace {

std::optional<backend::Unsupported> refuse_type(const Stream& stream) {
  const std::string type(name(stream.dtype));
  if (storage_bits(stream.dtype) % 8 != 0) {
    return backend::Unsupported{
        type + " is stored in parts of a byte; use int8 to move the same kind of data"};
  }
  const bool computes = stream.dtype == DType::fp32 || stream.dtype == DType::fp64;
  if (computes || moves_bits_only(stream.kind)) return std::nullopt;
  return backend::Unsupported{
      std::string(name(stream.kind)) +
      " computes, and the CPU's stream kernels compute in fp32 and fp64 only; read, write and copy "
      "work for " +
      type};
}

/// Elements of each array, for all threads together: so many that DRAM is reached, or that the set
/// of every thread lies in the level.
std::variant<std::uint64_t, backend::Unsupported> elements_for(const Stream& stream,
                                                               const Context& context) {
  const std::uint64_t element = element_bytes(stream.dtype);
  const std::uint64_t arrays = arrays_of(stream.kind).count();
  if (stream.level == Boundary::dram) {
    const std::uint64_t bytes =
        stream_array_bytes(context.dram_bytes(), arrays, context.memory_budget());
    if (bytes == 0)
      return backend::Unsupported{"there is no memory left for even one cache line per array"};
    return bytes / element;
  }
  // Whole steps of the unrolled loops.
  constexpr std::uint64_t kStep = 1024;
  const LevelSet set = level_set(context.caches(), stream.level);
  if (set.bytes == 0) return backend::Unsupported{set.problem};
  const std::uint64_t steps = set.bytes / arrays / kStep;
  // Up, so that the set stays beyond the transition of the inner level.
  const bool exact = steps * kStep * arrays == set.bytes;
  const bool room = (steps + 1) * kStep * arrays <= set.most;
  const std::uint64_t each = (exact || !room ? steps : steps + 1) * kStep;
  if (each == 0) {
    return backend::Unsupported{"a set of " + backend::size_text(static_cast<double>(set.bytes)) +
                                " is too small for " + std::to_string(arrays) +
                                " arrays; use another level"};
  }
  return each * context.threads() / element;
}

}  // namespace

Support support_stream(const Stream& stream, const Context& context) {
  if (auto refused = refuse_type(stream)) return *refused;
  if (stream.level == Boundary::link) {
    return backend::Unsupported{
        "a CPU has no link to its own memory; use dram, l3, l2 or l1 for the level"};
  }
  Stream out = stream;
  if (out.elements == 0) {
    const auto chosen = elements_for(stream, context);
    if (const auto* refused = std::get_if<backend::Unsupported>(&chosen)) return *refused;
    out.elements = std::get<std::uint64_t>(chosen);
  } else if (stream.level == Boundary::dram) {
    // A set of stated size lies where it fits.
    const double set = static_cast<double>(stream.elements) *
                       static_cast<double>(element_bytes(stream.dtype)) *
                       static_cast<double>(arrays_of(stream.kind).count());
    const auto lies = find_boundary(level_of(context.caches(), set / context.threads()));
    out.level = lies.value_or(Boundary::dram);
  }
  const std::uint64_t bytes = element_bytes(stream.dtype) * arrays_of(stream.kind).count();
  const double needed = static_cast<double>(out.elements) * static_cast<double>(bytes);
  const auto fit = static_cast<std::uint64_t>(static_cast<double>(context.memory_budget()) /
                                              static_cast<double>(bytes));
  if (auto refused =
          too_large(context, needed, "use at most " + std::to_string(fit) + " elements")) {
    return *refused;
  }
  // A regular store reads its line first, from beyond the level it is written in: not in L1, and
  // not where the line was read anyway. Non-temporal ones are the default where there are any and
  // where they go, to DRAM.
  const bool allocates =
      arrays_of(stream.kind).a && stream.kind != StreamKind::update && out.level != Boundary::l1;
  const bool regular = out.level != Boundary::dram || stream.write_allocate ||
                       !stream_kernels(context.isa(), true).non_temporal;
  out.write_allocate = allocates && regular;
  return Workload{out};
}

}  // namespace roofline::cpu
