#include "backend/cpu/context.hpp"

#include "backend/size_text.hpp"

#include <algorithm>
#include <limits>

namespace roofline::cpu {
namespace {

Isa widest(const host::IsaFeatures& f, std::optional<Isa> cap) {
  Isa isa = Isa::portable;
  if (f.avx2 && f.fma) isa = Isa::avx2;
  if (isa == Isa::avx2 && f.avx512f && f.avx512bw && f.avx512dq && f.avx512vl) isa = Isa::avx512;
  return cap ? std::min(isa, *cap) : isa;
}

std::optional<std::uint64_t> last_level_bytes(const host::Host& host,
                                              const std::vector<unsigned>& cpus) {
  const auto use = host::last_level_used(host.topology, cpus);
  return use ? std::optional{use->bytes_total} : std::nullopt;
}

ThreadChoice choose(const host::Host& host, unsigned requested) {
  std::vector<unsigned> spare;
  const std::vector<unsigned> cores = host::usable_cores(host, &spare);
  ThreadChoice choice = choose_threads(requested, cores, spare, host.limits.cpus);
  // A machine that lists nothing still runs this program on some CPU.
  if (choice.cpus.empty()) choice.cpus.push_back(0);
  return choice;
}

}  // namespace

Context::Context(CpuOptions options)
    : options_(std::move(options)),
      host_(host::read_host()),
      isa_(widest(host_.isa, options_.isa_cap)),
      choice_(choose(host_, options_.threads)),
      dram_bytes_(cpu::dram_bytes(last_level_bytes(host_, choice_.cpus))),
      caches_(cache_shares(host_.topology, choice_.cpus)),
      modules_(options_.module_directory, options_.isa_cap) {}

std::uint64_t Context::memory_budget() const {
  constexpr double kShare = 0.7;
  const auto left = host::memory_left();
  const std::uint64_t budget = left
                                   ? static_cast<std::uint64_t>(kShare * static_cast<double>(*left))
                                   : std::numeric_limits<std::uint64_t>::max();
  return options_.memory_cap == 0 ? budget : std::min(budget, options_.memory_cap);
}

Team& Context::team() {
  if (!team_) team_ = std::make_unique<Team>(choice_.cpus);
  return *team_;
}

LibraryThread& Context::library_thread() {
  if (!library_thread_) library_thread_ = std::make_unique<LibraryThread>();
  return *library_thread_;
}

Facts Context::thread_facts() {
  Facts out;
  out.push_back({"isa_path", std::string(name(isa_))});
  if (options_.isa_cap) out.push_back({"isa_cap", std::string(name(*options_.isa_cap))});
  out.push_back({"threads", std::uint64_t{threads()}});
  std::vector<unsigned> sorted = choice_.cpus;
  std::sort(sorted.begin(), sorted.end());
  out.push_back({"cpus", host::format_cpu_list(sorted)});
  if (team_) out.push_back({"pinned", team_->pinned()});
  if (!choice_.limited_by.empty()) out.push_back({"threads_limited_by", choice_.limited_by});
  if (choice_.shares_cores) out.push_back({"threads_share_cores", true});
  return out;
}

std::optional<backend::Unsupported> too_large(const Context& context, double needed,
                                              const std::string& what_fits) {
  const auto budget = static_cast<double>(context.memory_budget());
  if (needed <= budget) return std::nullopt;
  return backend::Unsupported{"it takes " + backend::size_text(needed) + " of memory, and " +
                              backend::size_text(budget) +
                              " may be used (70 % of what is available); " + what_fits};
}

}  // namespace roofline::cpu
