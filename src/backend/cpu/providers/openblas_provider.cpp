// OpenBLAS behind the provider table, and the only file that knows it: fp64, and fp32 where oneDNN
// is missing.
#include <cblas.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/providers/gemm_provider.hpp"
#include "backend/cpu/providers/openmp_threads.hpp"

namespace roofline::cpu {
namespace {

constexpr int kOpenMp = 2;  // openblas_get_parallel(): 0 one thread, 1 its own threads, 2 OpenMP

struct Plan {
  GemmRequest request{};
  std::vector<const void*> slots;
};

bool set_threads(std::uint32_t threads, const std::uint32_t* cpus, TextBuffer error) {
  openblas_set_num_threads(static_cast<int>(threads));
  if (openblas_get_parallel() == kOpenMp) return set_openmp_threads(threads, cpus, error);
  if (openblas_get_parallel() == 0 && threads > 1) {
    put_text(error,
             "this OpenBLAS was built for one thread; install libopenblas-openmp-dev, or use "
             "--threads 1");
    return false;
  }
  // Its own threads: counted, but not ours to pin.
  return true;
}

/// The widest ISA that the kernels of a core name use (OpenBLAS's TargetList.txt); null: not in the
/// table.
const char* isa_of(const std::string& core) {
  for (const char* name : {"SkylakeX", "Cooperlake", "SapphireRapids"}) {
    if (core == name) return "avx512";
  }
  for (const char* name : {"Haswell", "Zen", "Excavator"}) {
    if (core == name) return "avx2";
  }
  for (const char* name : {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"}) {
    if (core == name) return "avx";
  }
  for (const char* name :
       {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Barcelona"}) {
    if (core == name) return "sse";
  }
  return nullptr;
}

void describe(const FactSink* sink) {
  const std::string config = openblas_get_config();
  sink->text(sink->user, "library_config", config.c_str());
  // "OpenBLAS 0.3.21 NO_AFFINITY ..."
  const std::string name = "OpenBLAS ";
  if (config.compare(0, name.size(), name) == 0) {
    const std::string version =
        config.substr(name.size(), config.find(' ', name.size()) - name.size());
    sink->text(sink->user, "library_version", version.c_str());
  }
  const std::string core = openblas_get_corename();
  sink->text(sink->user, "library_core", core.c_str());
  if (const char* const isa = isa_of(core)) sink->text(sink->user, "library_isa", isa);
  // Read by the library when it is loaded; overriding it here would measure what the user does not
  // run.
  if (const char* const forced = std::getenv("OPENBLAS_CORETYPE")) {
    sink->text(sink->user, "library_core_forced",
               (std::string("OPENBLAS_CORETYPE=") + forced).c_str());
  }
  sink->text(sink->user, "library_threading",
             openblas_get_parallel() == kOpenMp ? "OpenMP"
             : openblas_get_parallel() == 1     ? "own threads"
                                                : "none");
  sink->number(sink->user, "library_threads",
               static_cast<std::uint64_t>(openblas_get_num_threads()));
  if (openblas_get_parallel() == kOpenMp) describe_openmp(sink);
  if (openblas_get_parallel() == 1) {
    sink->text(sink->user, "library_note",
               "threads of its own beside the OpenMP pool of another library cost either 30 to 40 "
               "%; install libopenblas0-openmp");
  }
}

void* create(const GemmRequest* request, TextBuffer error) {
  const bool known = (request->input == MatrixType::f64 || request->input == MatrixType::f32) &&
                     request->output == request->input;
  if (!known) {
    put_text(error, "OpenBLAS multiplies fp64 and fp32 into the same type only");
    return nullptr;
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<blasint>::max());
  if (request->m > kMost || request->n > kMost || request->k > kMost) {
    put_text(error, "a dimension exceeds the 32-bit integers of this OpenBLAS");
    return nullptr;
  }
  auto plan = std::make_unique<Plan>();
  plan->request = *request;
  return plan.release();
}

void describe_plan(void* /*plan*/, const FactSink* sink) {
  sink->text(sink->user, "weight_layout", "plain");
}

std::uint64_t packed_bytes(void* /*plan*/) { return 0; }

bool pack(void* opaque, std::uint64_t slot, const void* /*b*/, void* packed, TextBuffer /*error*/) {
  auto& plan = *static_cast<Plan*>(opaque);
  if (plan.slots.size() <= slot) plan.slots.resize(slot + 1);
  plan.slots[slot] = packed;
  return true;
}

bool run(void* opaque, const void* a, std::uint64_t slot, void* c, TextBuffer /*error*/) {
  const auto& plan = *static_cast<Plan*>(opaque);
  const GemmRequest& r = plan.request;
  const auto m = static_cast<blasint>(r.m);
  const auto n = static_cast<blasint>(r.n);
  const auto k = static_cast<blasint>(r.k);
  const CBLAS_TRANSPOSE ta = r.transpose_a ? CblasTrans : CblasNoTrans;
  const CBLAS_TRANSPOSE tb = r.transpose_b ? CblasTrans : CblasNoTrans;
  const blasint lda = r.transpose_a ? m : k;
  const blasint ldb = r.transpose_b ? k : n;
  const void* const b = plan.slots[slot];
  if (r.input == MatrixType::f64) {
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, r.alpha, static_cast<const double*>(a), lda,
                static_cast<const double*>(b), ldb, r.beta, static_cast<double*>(c), n);
  } else {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, static_cast<float>(r.alpha),
                static_cast<const float*>(a), lda, static_cast<const float*>(b), ldb,
                static_cast<float>(r.beta), static_cast<float*>(c), n);
  }
  return true;
}

void destroy(void* plan) { delete static_cast<Plan*>(plan); }

constexpr GemmProvider kProvider = {kGemmProviderAbi,
                                    "OpenBLAS",
                                    set_threads,
                                    openmp_cpu_seconds,
                                    describe,
                                    create,
                                    describe_plan,
                                    packed_bytes,
                                    pack,
                                    run,
                                    destroy};

}  // namespace
}  // namespace roofline::cpu

extern "C" __attribute__((visibility("default"))) const roofline::cpu::GemmProvider*
roofline_gemm_provider() {
  return &roofline::cpu::kProvider;
}
