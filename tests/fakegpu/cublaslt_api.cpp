// The functions of the simulated cuBLASLt about handles, algorithms and the product itself.
#include "cublaslt_api.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cublaslt_candidates.hpp"
#include "cublaslt_numbers.hpp"
#include "cublaslt_product.hpp"

namespace fakegpu::lt {
namespace {

constexpr std::uint64_t kMagic = 0x4641'4b45'4c54'0001;  // in every algorithm of this library
constexpr std::uint64_t kWorkspaceAlignment = 256;

/// An algorithm as the caller keeps it.
struct Packed {
  std::uint64_t magic;
  std::uint64_t problem;
  Config config;
  std::uint64_t workspace_bytes;
};
static_assert(sizeof(Packed) <= sizeof(Algo));

Algo pack(const Problem& problem, const Candidate& candidate) {
  const Packed packed{.magic = kMagic,
                      .problem = problem.key(),
                      .config = candidate.config,
                      .workspace_bytes = candidate.workspace_bytes};
  Algo out{};
  std::memcpy(&out, &packed, sizeof(packed));
  return out;
}

std::optional<Packed> unpack(const Algo* algo) {
  Packed out{};
  if (algo == nullptr) return std::nullopt;
  std::memcpy(static_cast<void*>(&out), algo, sizeof(out));
  if (out.magic != kMagic) return std::nullopt;
  return out;
}

std::uint32_t alignment_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return address == 0
             ? 256
             : static_cast<std::uint32_t>(std::min<std::uintptr_t>(address & (~address + 1), 256));
}

double scalar(DataType scale, const void* value) {
  return load(scale, static_cast<const std::byte*>(value));
}

Limits limits_of(const Attributes& preference) {
  const auto alignment = [&](PreferenceAttribute which) {
    return static_cast<std::uint32_t>(preference.bits(which));
  };
  return {.most_workspace_bytes = preference.bits(PreferenceAttribute::most_workspace_bytes),
          .alignment_a = alignment(PreferenceAttribute::least_alignment_a),
          .alignment_b = alignment(PreferenceAttribute::least_alignment_b),
          .alignment_c = alignment(PreferenceAttribute::least_alignment_c),
          .alignment_d = alignment(PreferenceAttribute::least_alignment_d)};
}

Status suggest(const Problem& problem, const Limits& limits, const DeviceModel& model, int wanted,
               HeuristicResult* results, int* count) {
  const Status status = check(problem, model);
  if (status != kSuccess) return status;
  LibraryRules rules;
  driver_entry().rules(std::string(type_name(problem)).c_str(), &rules);
  if (rules.no_algorithm) return kNotSupported;
  int most = wanted;
  if (rules.most_candidates > 0) most = std::min(most, rules.most_candidates);
  for (const Candidate& candidate : candidates(problem, limits, model)) {
    if (*count == most) break;
    HeuristicResult& out = results[(*count)++];
    out = {};
    out.algo = pack(problem, candidate);
    out.workspace_bytes = candidate.workspace_bytes;
    out.state = kSuccess;
    out.waves = candidate.waves;
  }
  return *count > 0 ? kSuccess : kNotSupported;
}

struct Pointers {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  void* workspace;
  std::size_t workspace_bytes;
};

/// The algorithm that the caller wants, or without one the first that fits; nothing when it does
/// not do for this problem and these pointers.
std::optional<Candidate> chosen(const Problem& problem, const Algo* algo, const Pointers& pointers,
                                const DeviceModel& model) {
  const Limits limits{.most_workspace_bytes = pointers.workspace_bytes,
                      .alignment_a = alignment_of(pointers.a),
                      .alignment_b = alignment_of(pointers.b),
                      .alignment_c = alignment_of(pointers.c),
                      .alignment_d = alignment_of(pointers.d)};
  if (algo == nullptr) {
    const std::vector<Candidate> all = candidates(problem, limits, model);
    return all.empty() ? std::nullopt : std::optional(all.front());
  }
  const auto packed = unpack(algo);
  if (!packed || packed->problem != problem.key()) return std::nullopt;
  if (packed->workspace_bytes > pointers.workspace_bytes) return std::nullopt;
  const std::uint32_t least = packed->config.alignment;
  if (std::min(limits.alignment_a, limits.alignment_b) < least) return std::nullopt;
  const auto element = static_cast<std::uint32_t>(bytes_of(problem.d.type));
  if (std::min(limits.alignment_c, limits.alignment_d) < element) return std::nullopt;
  return candidate_of(problem, packed->config, model);
}

template <class T>
std::vector<std::byte> bytes_of_value(const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  return {begin, begin + sizeof(T)};
}

LaunchRequest request_of(const Problem& problem, const Pointers& pointers, std::uint64_t scale_a,
                         std::uint64_t scale_b, const Candidate& candidate) {
  constexpr unsigned threads = 512;  // with what each has under way: tiles are loaded well ahead
  LaunchRequest out;
  out.kernel = &product_kernel(problem);
  out.shape.grid[0] = static_cast<unsigned>(candidate.blocks);
  out.shape.block[0] = threads;
  out.sm_clocks = candidate.sm_clocks;
  out.busy_clocks = candidate.busy_clocks;
  const void* const nothing = nullptr;
  const void* const c = problem.beta == 0 ? nothing : pointers.c;  // not even read then
  const void* const workspace = candidate.workspace_bytes == 0 ? nothing : pointers.workspace;
  for (const void* const pointer : {pointers.a, pointers.b, c, nothing}) {
    out.arguments.push_back(bytes_of_value(pointer));
  }
  out.arguments[kD] = bytes_of_value(pointers.d);
  out.arguments.push_back(bytes_of_value(scale_a));
  out.arguments.push_back(bytes_of_value(scale_b));
  out.arguments.push_back(bytes_of_value(workspace));
  out.arguments.push_back(bytes_of_value(problem));
  return out;
}

}  // namespace

Status plain(const char* function, const std::function<Status()>& body) {
  if (driver_entry().present()) {
    LibraryCall call;
    driver_entry().call(function, &call);
    if (call.status != 0) return call.status;
  }
  const std::lock_guard lock(objects().mutex);
  return body();
}

Status with_device(const char* function, Handle handle,
                   const std::function<Status(const LibraryCall&)>& body) {
  if (!driver_entry().present()) return kNotInitialized;
  LibraryCall call;
  driver_entry().call(function, &call);
  if (call.status != 0) return call.status;
  const std::lock_guard lock(objects().mutex);
  const HandleState* const state = objects().handles.find(handle);
  // A handle is for the device that was current when it was made.
  if (state == nullptr || call.model == nullptr || state->context != call.context) {
    return kNotInitialized;
  }
  return body(call);
}

}  // namespace fakegpu::lt

using namespace fakegpu::lt;  // NOLINT(google-build-using-namespace): what follows is its API

FAKEGPU_CUBLASLT Status cublasLtCreate(Handle* out) {
  if (!driver_entry().present()) return kNotInitialized;
  fakegpu::LibraryCall call;
  driver_entry().call("cublasLtCreate", &call);
  if (call.status != 0) return call.status;
  if (out == nullptr) return kInvalidValue;
  if (call.model == nullptr) return kNotInitialized;
  const std::lock_guard lock(objects().mutex);
  *out = objects().handles.add(HandleState{call.context});
  return kSuccess;
}

FAKEGPU_CUBLASLT Status cublasLtDestroy(Handle handle) {
  return plain("cublasLtDestroy",
               [&] { return objects().handles.erase(handle) ? kSuccess : kNotInitialized; });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulAlgoGetHeuristic(Handle handle, MatmulDesc descriptor,
                                                       MatrixLayout a, MatrixLayout b,
                                                       MatrixLayout c, MatrixLayout d,
                                                       Preference preference, int wanted,
                                                       HeuristicResult* results, int* count) {
  if (count != nullptr) *count = 0;
  return with_device(
      "cublasLtMatmulAlgoGetHeuristic", handle, [&](const fakegpu::LibraryCall& call) -> Status {
        const auto problem = problem_of({descriptor, a, b, c, d});
        const Attributes* const preferred = objects().preferences.find(preference);
        const bool usable = problem && preferred != nullptr && results != nullptr;
        if (!usable || count == nullptr || wanted < 1) return kInvalidValue;
        return suggest(*problem, limits_of(*preferred), *call.model, wanted, results, count);
      });
}

FAKEGPU_CUBLASLT Status cublasLtMatmulAlgoConfigGetAttribute(const Algo* algo,
                                                             ConfigAttribute which, void* out,
                                                             std::size_t bytes,
                                                             std::size_t* written) {
  return plain("cublasLtMatmulAlgoConfigGetAttribute", [&]() -> Status {
    const auto packed = unpack(algo);
    if (!packed) return kInvalidValue;
    const Config& config = packed->config;
    const AttributeRow rows[] = {{0, 4, static_cast<std::uint64_t>(config.id)},
                                 {1, 4, config.tile},
                                 {2, 4, static_cast<std::uint64_t>(config.split_k)},
                                 {3, 4, config.reduction},
                                 {4, 4, config.swizzle},
                                 {5, 4, 0},
                                 {6, 4, config.stages},
                                 {7, 2, 0},
                                 {8, 2, config.cluster}};
    return Attributes(rows).get(static_cast<int>(which), out, bytes, written);
  });
}

FAKEGPU_CUBLASLT Status cublasLtMatmul(Handle handle, MatmulDesc descriptor, const void* alpha,
                                       const void* a, MatrixLayout layout_a, const void* b,
                                       MatrixLayout layout_b, const void* beta, const void* c,
                                       MatrixLayout layout_c, void* d, MatrixLayout layout_d,
                                       const Algo* algo, void* workspace,
                                       std::size_t workspace_bytes, CUstream stream) {
  return with_device("cublasLtMatmul", handle, [&](const fakegpu::LibraryCall& call) -> Status {
    auto problem = problem_of({descriptor, layout_a, layout_b, layout_c, layout_d});
    if (!problem || alpha == nullptr || beta == nullptr) return kInvalidValue;
    if (a == nullptr || b == nullptr || d == nullptr) return kInvalidValue;
    const Status status = check(*problem, *call.model);
    if (status != kSuccess) return status;
    problem->alpha = scalar(problem->scale, alpha);
    problem->beta = scalar(problem->scale, beta);
    if (problem->beta != 0 && c == nullptr) return kInvalidValue;
    const bool in_place = problem->beta != 0 && c == d;
    if (in_place && problem->c.ld != problem->d.ld) return kInvalidValue;
    if (workspace == nullptr) workspace_bytes = 0;
    if (workspace_bytes > 0 && alignment_of(workspace) < kWorkspaceAlignment) return kInvalidValue;
    const Pointers pointers{a, b, problem->beta == 0 ? nullptr : c, d, workspace, workspace_bytes};
    const auto candidate = chosen(*problem, algo, pointers, *call.model);
    if (!candidate) return algo == nullptr ? kNotSupported : kInvalidValue;
    problem->workspace_bytes = candidate->workspace_bytes;
    const Attributes& scales = *objects().descriptors.find(descriptor);
    fakegpu::LaunchRequest request =
        request_of(*problem, pointers, scales.bits(DescAttribute::a_scale_pointer),
                   scales.bits(DescAttribute::b_scale_pointer), *candidate);
    request.wrong = call.corrupt;
    return driver_entry().submit(stream, &request) == CUDA_SUCCESS ? kSuccess : kExecutionFailed;
  });
}
