// oneDNN's matmul behind the provider table, and the only file that knows it: fp32, bf16 and int8.
// Written for 2.x and 3.x, which differ in how a primitive is described.
#include <oneapi/dnnl/dnnl_config.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/cpu/providers/gemm_provider.hpp"
#include "backend/cpu/providers/openmp_threads.hpp"

namespace roofline::cpu {
namespace {

using dnnl::matmul;
using dnnl::memory;

/// Lives as long as the process: modules are never closed.
struct Runtime {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::uint32_t threads = 0;
};

Runtime& runtime() {
  static Runtime instance;
  return instance;
}

struct Plan {
  GemmRequest request{};
  memory::desc a_desc;
  memory::desc b_plain_desc;
  memory::desc c_desc;
  matmul::primitive_desc description;
  matmul primitive;
  std::vector<memory> weights;  ///< by slot
  memory a;
  memory c;
};

memory::data_type type_of(MatrixType type, bool is_a) {
  switch (type) {
    case MatrixType::f32:
      return memory::data_type::f32;
    case MatrixType::bf16:
      return memory::data_type::bf16;
    // Unsigned by signed: the pair that VNNI multiplies.
    case MatrixType::int8:
      return is_a ? memory::data_type::u8 : memory::data_type::s8;
    case MatrixType::int32:
      return memory::data_type::s32;
    case MatrixType::f64:
      break;
  }
  return memory::data_type::undef;
}

bool set_threads(std::uint32_t threads, const std::uint32_t* cpus, TextBuffer error) {
  runtime().threads = threads;
#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
  return set_openmp_threads(threads, cpus, error);
#else
  static_cast<void>(cpus);
  if (threads == 1 && DNNL_CPU_RUNTIME == DNNL_RUNTIME_SEQ) return true;
  put_text(error,
           "this oneDNN is not threaded by OpenMP, so its threads cannot be counted or pinned");
  return false;
#endif
}

// Bits of dnnl_cpu_isa_t that mean the same in 2.x and 3.x.
constexpr unsigned kAvx512Core = 0x20;
constexpr unsigned kAvx512Vnni = 0x40;
constexpr unsigned kAvx512Bf16 = 0x80;
#if DNNL_VERSION_MAJOR < 3
constexpr unsigned kAvx2Vnni = 0x400;
constexpr unsigned kAmx = 0x300;
#else
constexpr unsigned kAvx2Vnni = 0x8;
constexpr unsigned kAmx = 0xe00;
#endif

unsigned effective_isa() { return static_cast<unsigned>(dnnl::get_effective_cpu_isa()); }

const char* isa_name(unsigned isa) {
  if ((isa & kAmx) != 0 && (isa & kAvx512Core) != 0) return "avx512_core_amx";
  if ((isa & kAvx512Bf16) != 0) return "avx512_core_bf16";
  if ((isa & kAvx512Vnni) != 0) return "avx512_core_vnni";
  if ((isa & kAvx512Core) != 0) return "avx512_core";
  if ((isa & kAvx2Vnni) != 0) return "avx2_vnni";
  if ((isa & 0x7) == 0x7) return "avx2";
  return "below avx2";
}

void describe(const FactSink* sink) {
  const dnnl_version_t* const v = dnnl_version();
  const std::string version =
      std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
  sink->text(sink->user, "library_version", version.c_str());
#if defined(__x86_64__)
  sink->text(sink->user, "library_isa", isa_name(effective_isa()));
#endif
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
    if (const char* const forced = std::getenv(name)) {
      sink->text(sink->user, "library_isa_forced", (std::string(name) + "=" + forced).c_str());
      break;
    }
  }
  sink->text(sink->user, "library_threading",
             DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP ? "OpenMP" : "other");
  sink->number(sink->user, "library_threads", runtime().threads);
  describe_openmp(sink);
}

/// What the arithmetic is in truth where the CPU (or a cap put on the library) lacks the
/// instruction.
const char* emulation_of(MatrixType input) {
#if defined(__x86_64__)
  const unsigned isa = effective_isa();
  if (input == MatrixType::bf16 && (isa & kAvx512Bf16) == 0) {
    return "emulated: bf16 without avx512_bf16 is converted to fp32 and multiplied there";
  }
  if (input == MatrixType::int8 && (isa & (kAvx512Vnni | kAvx2Vnni)) == 0) {
    return "saturating: int8 without VNNI is multiplied by vpmaddubsw, whose 16-bit sums saturate "
           "with full 8-bit operands";
  }
#else
  static_cast<void>(input);
#endif
  return nullptr;
}

dnnl::primitive_attr attributes(const GemmRequest& request) {
  dnnl::primitive_attr attr;
  // Else an environment variable may turn fp32 into bf16 behind our back.
  attr.set_fpmath_mode(dnnl::fpmath_mode::strict);
  dnnl::post_ops after;
  if (request.alpha != 1) {
#if DNNL_VERSION_MAJOR < 3
    after.append_eltwise(1.F, dnnl::algorithm::eltwise_linear, static_cast<float>(request.alpha),
                         0.F);
#else
    after.append_eltwise(dnnl::algorithm::eltwise_linear, static_cast<float>(request.alpha), 0.F);
#endif
  }
  if (request.beta != 0) after.append_sum(static_cast<float>(request.beta));
  if (after.len() != 0) attr.set_post_ops(after);
  return attr;
}

std::unique_ptr<Plan> describe_matmul(const GemmRequest& request) {
  using Tag = memory::format_tag;
  const auto m = static_cast<memory::dim>(request.m);
  const auto n = static_cast<memory::dim>(request.n);
  const auto k = static_cast<memory::dim>(request.k);
  auto plan = std::make_unique<Plan>();
  plan->request = request;
  plan->a_desc = {{m, k}, type_of(request.input, true), request.transpose_a ? Tag::ba : Tag::ab};
  plan->b_plain_desc = {
      {k, n}, type_of(request.input, false), request.transpose_b ? Tag::ba : Tag::ab};
  plan->c_desc = {{m, n}, type_of(request.output, false), Tag::ab};
  // `any` lets the library choose a layout for the weights: 5 to 70 % faster than taking them as
  // they lie.
  const memory::desc weights({k, n}, type_of(request.input, false), Tag::any);
  const dnnl::primitive_attr attr = attributes(request);
#if DNNL_VERSION_MAJOR < 3
  plan->description = {matmul::desc(plan->a_desc, weights, plan->c_desc), attr, runtime().engine};
#else
  plan->description = {runtime().engine, plan->a_desc, weights, plan->c_desc, attr};
#endif
  return plan;
}

bool same_output(const GemmRequest& request) {
  switch (request.input) {
    case MatrixType::f32:
      return request.output == MatrixType::f32;
    case MatrixType::bf16:
      return request.output == MatrixType::bf16 || request.output == MatrixType::f32;
    case MatrixType::int8:
      return request.output == MatrixType::int32;
    default:
      return false;
  }
}

void* create(const GemmRequest* request, TextBuffer error) {
  if (!same_output(*request)) {
    put_text(error,
             "oneDNN's matmul is used for fp32 to fp32, bf16 to bf16 or fp32, and int8 to int32");
    return nullptr;
  }
  if (request->input == MatrixType::int8 && (request->alpha != 1 || request->beta != 0)) {
    put_text(error, "int8 products are measured with alpha 1 and beta 0");
    return nullptr;
  }
  try {
    return describe_matmul(*request).release();
  } catch (const dnnl::error& failure) {
    put_text(error, (std::string("oneDNN has no matmul for it with the ISA ") +
                     isa_name(effective_isa()) + " (" + failure.what() + ")")
                        .c_str());
    return nullptr;
  }
}

void describe_plan(void* opaque, const FactSink* sink) {
  auto& plan = *static_cast<Plan*>(opaque);
  sink->text(sink->user, "kernel", plan.description.impl_info_str());
  if (plan.request.input == MatrixType::int8) {
    sink->text(sink->user, "operand_types", "u8 (7 bits) by s8 into s32");
  }
  if (const char* const emulated = emulation_of(plan.request.input))
    sink->text(sink->user, "arithmetic_note", emulated);
  sink->text(sink->user, "weight_layout",
             plan.description.weights_desc() == plan.b_plain_desc ? "plain" : "packed by oneDNN");
}

std::uint64_t packed_bytes(void* opaque) {
  return static_cast<Plan*>(opaque)->description.weights_desc().get_size();
}

bool pack(void* opaque, std::uint64_t slot, const void* b, void* packed, TextBuffer error) {
  auto& plan = *static_cast<Plan*>(opaque);
  Runtime& run = runtime();
  try {
    if (!plan.primitive) plan.primitive = matmul(plan.description);
    memory plain(plan.b_plain_desc, run.engine, const_cast<void*>(b));
    memory weights(plan.description.weights_desc(), run.engine, packed);
    dnnl::reorder(plain, weights).execute(run.stream, plain, weights);
    run.stream.wait();
    if (plan.weights.size() <= slot) plan.weights.resize(slot + 1);
    plan.weights[slot] = weights;
    return true;
  } catch (const dnnl::error& failure) {
    put_text(error, failure.what());
    return false;
  }
}

/// Setting a handle is not free in every version, so it is done for a new pointer only.
void point_at(memory& where, const memory::desc& desc, void* data) {
  if (!where) {
    where = memory(desc, runtime().engine, data);
  } else if (where.get_data_handle() != data) {
    where.set_data_handle(data);
  }
}

bool run(void* opaque, const void* a, std::uint64_t slot, void* c, TextBuffer error) {
  auto& plan = *static_cast<Plan*>(opaque);
  Runtime& run = runtime();
  try {
    point_at(plan.a, plan.a_desc, const_cast<void*>(a));
    point_at(plan.c, plan.c_desc, c);
    plan.primitive.execute(
        run.stream,
        {{DNNL_ARG_SRC, plan.a}, {DNNL_ARG_WEIGHTS, plan.weights[slot]}, {DNNL_ARG_DST, plan.c}});
    run.stream.wait();
    return true;
  } catch (const dnnl::error& failure) {
    put_text(error, failure.what());
    return false;
  }
}

void destroy(void* plan) { delete static_cast<Plan*>(plan); }

constexpr GemmProvider kProvider = {kGemmProviderAbi,
                                    "oneDNN",
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
