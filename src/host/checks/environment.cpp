// Environment variables and ways of running that change what libraries and kernels do.
#include <algorithm>
#include <set>

#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

constexpr const char* kNotOurs = "the variables of that machine's programs are not in its files";

const std::string* value_of(const Evidence& e, std::string_view variable) {
  const auto at = e.environment->find(variable);
  return at == e.environment->end() || at->second.empty() ? nullptr : &at->second;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

Settings set_ones(const Evidence& e, std::initializer_list<const char*> variables) {
  Settings out;
  for (const char* variable : variables) {
    if (const std::string* value = value_of(e, variable)) out.emplace_back(variable, *value);
  }
  return out;
}

std::string shown(const Settings& settings) {
  std::string out;
  for (const auto& [variable, value] : settings)
    out += (out.empty() ? "" : ", ") + variable + "=" + value;
  return out;
}

Remedy unset(const Settings& settings) {
  Remedy out{"unset"};
  for (const auto& [variable, value] : settings) out.action += " " + variable;
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// The first of a list of numbers by nesting level: `4,2`.
std::optional<std::uint64_t> first_number(const std::string& text) {
  return parse_number(std::string_view(text).substr(0, text.find(',')));
}

/// CPUs of GOMP_CPU_AFFINITY: `0 3 1-2 4-15:2`; nothing where it is malformed.
std::optional<std::size_t> cpus_named(std::string_view text) {
  std::set<std::uint64_t> out;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" ,"), text.size());
    std::string_view range = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = range.find(':');
    const auto stride = colon == std::string_view::npos ? std::optional<std::uint64_t>(1)
                                                        : parse_number(range.substr(colon + 1));
    if (!stride || *stride == 0) return std::nullopt;
    const std::vector<unsigned> cpus = parse_cpu_list(range.substr(0, colon));
    if (cpus.empty()) return std::nullopt;
    for (std::size_t i = 0; i < cpus.size(); i += *stride) out.insert(cpus[i]);
  }
  return out.size();
}

Verdict thread_counts(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings counts = set_ones(e, {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"});
  const Settings limit = set_ones(e, {"OMP_THREAD_LIMIT"});
  const std::size_t cpus = e.host.allowed_cpus.size();
  const std::size_t cores = usable_cores(e.host).size();
  if (!limit.empty()) {
    const auto most = first_number(limit.front().second);
    if (most && *most < cores)
      return {Severity::lowers, shown(limit) + ", with " + counted(cores, "core") + " allowed",
              unset(limit),
              "the OpenMP runtime refuses the threads that GEMM on all cores needs: those points "
              "are skipped"};
  }
  if (counts.empty()) return {Severity::ok, "no thread count is set"};
  const bool beyond = cpus > 0 && std::any_of(counts.begin(), counts.end(), [&](const auto& s) {
                        const auto number = first_number(s.second);
                        return number && *number > cpus;
                      });
  if (!beyond) return {Severity::note, shown(counts), unset(counts)};
  return {
      Severity::lowers, shown(counts) + ", with " + counted(cpus, "CPU") + " allowed",
      unset(counts),
      "roofline gives the libraries its own thread count, but whatever it is compared with does "
      "not: 3 threads on 2 cores gave 365 GFLOP/s instead of 499"};
}

Verdict wait_policy(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"OMP_WAIT_POLICY"});
  if (set.empty()) return {Severity::ok, "OMP_WAIT_POLICY is not set"};
  const bool passive = lower(set.front().second) == "passive";
  return {passive ? Severity::lowers : Severity::ok, shown(set), unset(set)};
}

Verdict thread_binding(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set =
      set_ones(e, {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"});
  if (set.empty()) return {Severity::ok, "no OpenMP binding is set"};
  const std::size_t cores = usable_cores(e.host).size();
  const std::string* bind = value_of(e, "OMP_PROC_BIND");
  const std::string* list = value_of(e, "GOMP_CPU_AFFINITY");
  const auto named = list != nullptr ? cpus_named(*list) : std::nullopt;
  const std::string word = bind != nullptr ? lower(*bind) : std::string();
  const bool one_place = word == "master" || word == "primary";
  if ((named && *named < cores) || (cores > 1 && one_place))
    return {Severity::spoils, shown(set) + ", with " + counted(cores, "core") + " allowed",
            unset(set)};
  return {Severity::note, shown(set), unset(set),
          "roofline pins each thread itself; OpenMP's own binding is only needed for the programs "
          "it is compared with"};
}

Verdict openblas_core(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"OPENBLAS_CORETYPE"});
  if (set.empty()) return {Severity::ok, "OpenBLAS chooses its core by the CPU"};
  const std::string core = lower(set.front().second);
  const bool avx512 = core == "skylakex" || core == "cooperlake" || core == "sapphirerapids";
  if (avx512 || !e.host.isa.avx512f)
    return {Severity::note, shown(set), unset(set),
            "the core is not OpenBLAS's own choice; the report names it"};
  return {Severity::lowers, shown(set) + ", below this CPU's AVX-512", unset(set)};
}

Verdict onednn_isa(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"});
  if (set.empty()) return {Severity::ok, "oneDNN uses what the CPU has"};
  const bool capped = std::any_of(set.begin(), set.end(), [](const auto& s) {
    const std::string word = lower(s.second);
    return word != "default" && word != "all";
  });
  return {capped ? Severity::lowers : Severity::ok, shown(set), unset(set)};
}

Verdict onednn_math(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"});
  const bool loose = std::any_of(set.begin(), set.end(),
                                 [](const auto& s) { return lower(s.second) != "strict"; });
  if (!loose) return {Severity::ok, "oneDNN computes in the type that it is given"};
  return {Severity::spoils, shown(set), unset(set)};
}

Verdict library_output(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  Settings set = set_ones(e, {"ONEDNN_VERBOSE", "DNNL_VERBOSE", "ONEDNN_JIT_DUMP", "DNNL_JIT_DUMP",
                              "OPENBLAS_VERBOSE"});
  set.erase(std::remove_if(set.begin(), set.end(),
                           [](const auto& s) { return s.second == "0" || s.second == "none"; }),
            set.end());
  if (set.empty()) return {Severity::ok, "the libraries print nothing"};
  return {Severity::lowers, shown(set), unset(set)};
}

Verdict mkl(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(
      e, {"MKL_NUM_THREADS", "MKL_DYNAMIC", "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE"});
  if (set.empty()) return {Severity::ok, "no MKL variable is set"};
  return {Severity::note, shown(set), unset(set)};
}

Verdict preload(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"LD_PRELOAD", "LD_AUDIT"});
  if (set.empty()) return {Severity::ok, "no library is loaded before the program's own"};
  const std::string text = shown(set);
  for (const char* tool : {"vgpreload", "libasan", "libtsan", "libubsan", "libclang_rt"}) {
    if (text.find(tool) != std::string::npos)
      return {Severity::spoils,
              text,
              {"run it without valgrind or sanitizer"},
              "every instruction is translated or every access checked: figures are those of the "
              "tool, which also hides AVX-512"};
  }
  return {Severity::lowers, text, unset(set)};
}

Verdict glibc_tunables(const Evidence& e) {
  if (!e.environment) return unknown(kNotOurs);
  const Settings set = set_ones(e, {"GLIBC_TUNABLES"});
  if (set.empty()) return {Severity::ok, "GLIBC_TUNABLES is not set"};
  return {Severity::note, shown(set), unset(set)};
}

Verdict build(const Evidence& e) {
  if (!e.build) return unknown("which roofline measures on that machine is not known");
  if (!e.build->sanitizer.empty())
    return {Severity::spoils, "this roofline was built with " + e.build->sanitizer};
  if (!e.build->optimised)
    return {Severity::spoils, "this roofline was built without optimisation"};
  return {Severity::ok, "an optimised build without sanitizers"};
}

Verdict traced(const Evidence& e) {
  if (!e.conditions.traced) return unknown("/proc/self/status does not say whether it is traced");
  if (!*e.conditions.traced) return {Severity::ok, "no debugger or tracer is attached"};
  return {Severity::lowers, "a debugger or tracer is attached"};
}

constexpr Check kChecks[] = {
    {"thread_counts", "roofline gives the libraries its own thread count; other programs obey this",
     "unset OMP_NUM_THREADS", false, "", thread_counts},
    {"wait_policy",
     "OpenMP threads sleep between regions: GEMM at n = 128 fell from 447 to between 106 and 179 "
     "GFLOP/s",
     "unset OMP_WAIT_POLICY", false, "", wait_policy},
    {"thread_binding",
     "library threads share CPUs: two threads of oneDNN on one CPU gave 67 GFLOP/s instead of 507; "
     "larger machines were seen 20 times slower",
     "unset OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY KMP_AFFINITY", false, "", thread_binding},
    {"openblas_core",
     "fp64 GEMM runs kernels for an older CPU: 45 to 48 % of the AVX-512 peak instead of 76 to 81 "
     "%",
     "unset OPENBLAS_CORETYPE", false, "", openblas_core},
    {"onednn_isa",
     "GEMM runs kernels for an older CPU: fp32 at half with AVX2; bf16 at 87 GFLOP/s instead of "
     "526 "
     "without its instructions; int8 saturates without VNNI",
     "unset ONEDNN_MAX_CPU_ISA", false, "", onednn_isa},
    {"onednn_math",
     "fp32 products are computed in a narrower type: the figure and the result are not fp32's, and "
     "may lie above the fp32 roof",
     "unset ONEDNN_DEFAULT_FPMATH_MODE", false, "", onednn_math},
    {"library_output",
     "libraries print a line for each call, into the time of samples and into what a pipe reads "
     "from stdout",
     "unset ONEDNN_VERBOSE", false, "", library_output},
    {"mkl", "this roofline does not use MKL; what it is compared with may", "unset", false, "",
     mkl},
    {"preload",
     "a foreign library stands between the program and the system: an allocator or profiler may "
     "cost time and memory in every call",
     "unset LD_PRELOAD", false, "", preload},
    {"glibc_tunables", "another memcpy or allocator than the C library's choice", "unset", false,
     "", glibc_tunables},
    {"build", "kernels run at the speed of the checks, or of unoptimised code: far below any roof",
     "cmake --preset release && cmake --build --preset release", false, "", build},
    {"traced", "every system call stops for the tracer; thread starts and waits get slow",
     "run it without strace or a debugger", false, "", traced},
};

}  // namespace

std::span<const Check> checks_of_environment() { return kChecks; }

}  // namespace roofline::host
