#include "backend/cuda/gemm_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "backend/cuda/gemm_check.hpp"
#include "backend/cuda/gemm_search.hpp"
#include "backend/cuda/timing.hpp"
#include "roofline/point_id.hpp"

namespace roofline::cuda {
namespace {

/// Few products have more.
constexpr int kMostSuggestions = 64;

std::string choice_key(const Gemm& gemm, const Gpu& gpu) {
  Gemm plain = gemm;
  plain.data = DataPattern::random;
  plain.duration = LoadDuration::turns;
  return gpu.device().name + "/" + point_id(plain);
}

/// Times algorithms as the product will be: operands in turn, the host's pace hidden.
class Candidates {
 public:
  Candidates(Gpu& gpu, const GemmPlan& plan, const GemmOperands& operands,
             const std::vector<lt::HeuristicResult>& suggestions)
      : gpu_(gpu),
        launches_(suggestions.size(), 1),
        timer_(gpu, {.enqueue =
                         [&, this](std::uint64_t at) {
                           plan.enqueue(suggestions[current_].algo,
                                        operands.at(at % operands.sets()));
                         },
                     .sets = operands.sets(),
                     .replay = TimedWork::Replay::never}) {}

  CandidateTime warm_and_time(std::size_t candidate) {
    current_ = candidate;
    double warm_s = 0;
    try {
      warm_s = in_second(timer_.time(1).duration);
    } catch (const LtError& error) {
      if (!is_refusal(error.status())) throw;
      gpu_.context().synchronize();  // what was enqueued before it
      return {std::nullopt, 0, error.what()};
    }
    // Long beside the steps of the device's clock.
    constexpr double kLong_s = 200e-6;
    launches_[candidate] = static_cast<std::uint64_t>(
        std::clamp(std::ceil(kLong_s / std::max(warm_s, 1e-9)), 1.0, 64.0));
    CandidateTime out = time(candidate);
    out.spent_s += warm_s;
    return out;
  }

  CandidateTime time(std::size_t candidate) {
    current_ = candidate;
    const std::uint64_t launches = launches_[candidate];
    const double took = in_second(timer_.time(launches).duration);
    return {took / static_cast<double>(launches), took};
  }

 private:
  Gpu& gpu_;
  std::vector<std::uint64_t> launches_;  ///< of each candidate in an interval
  std::size_t current_ = 0;
  Timer timer_;
};

/// Variables that make the library compute otherwise than it was asked to, as facts.
void add_emulation(Facts& out) {
  constexpr const char* kPrefix = "CUBLAS_EMULAT";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* const value = std::strchr(*entry, '=');
    if (value == nullptr || std::strncmp(*entry, kPrefix, std::strlen(kPrefix)) != 0) continue;
    std::string key(*entry, static_cast<std::size_t>(value - *entry));
    for (char& c : key) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    out.push_back({key, std::string(value + 1)});
  }
}

}  // namespace

GemmCall::GemmCall(const Gemm& gemm, Gpu& gpu, const GemmCallSettings& settings)
    : gemm_(gemm),
      gpu_(gpu),
      operands_(gemm, gpu, settings.sets),
      plan_(gemm, gpu.context(), gpu.lt_session()) {
  choose(settings.search);
  state_facts();
}

void GemmCall::choose(bool search) {
  const bool first = !search || gpu_.shared().algo == AlgoChoice::first;
  GemmChoices& known = gpu_.shared().gemm_choices;
  const std::string key = choice_key(gemm_, gpu_) + (first ? "/first" : "");
  if (const auto found = known.find(key); found != known.end()) {
    choice_ = found->second;
    return;
  }
  const auto suggestions = plan_.suggestions(first ? 1 : kMostSuggestions);
  choice_.suggested = suggestions.size();
  choice_.first = first;
  std::size_t winner = 0;
  if (!first) {
    Candidates candidates(gpu_, plan_, operands_, suggestions);
    const SearchResult result = search_algorithms(
        suggestions.size(), [&](std::size_t i) { return candidates.warm_and_time(i); },
        [&](std::size_t i) { return candidates.time(i); });
    if (!result.winner) throw plan_.refused(result.last_refusal);
    winner = *result.winner;
    choice_.tried = result.tried;
    choice_.refused = result.refused;
    choice_.cut = result.cut;
    choice_.first_loss = result.first_loss;
  }
  choice_.algorithm = suggestions[winner];
  known.emplace(key, choice_);
}

void GemmCall::enqueue(std::uint64_t launch) {
  plan_.enqueue(choice_.algorithm.algo, operands_.at(launch % operands_.sets()));
}

Verification GemmCall::check() {
  const std::uint64_t last = operands_.sets() - 1;
  Verification out;
  for (const std::uint64_t set : {std::uint64_t{0}, last}) {
    out = check_product(gemm_, gpu_, operands_.result(set), [&] { enqueue(set); });
    if (out.state != VerificationState::verified || last == 0) break;
  }
  return out;
}

void GemmCall::state_facts() {
  const LtSession& session = gpu_.lt_session();
  Facts& out = facts_;
  out.push_back({"provider_version", cublaslt_version_text(session.library().version)});
  out.push_back({"libcublaslt", session.library().path});
  out.push_back({"compute", std::string(compute_name(plan_.problem().compute))});
  if (type_of_b(gemm_) != type_of_a(gemm_))
    out.push_back({"b_type", std::string(name(type_of_b(gemm_)))});
  if (padded_m(gemm_) != gemm_.m) out.push_back({"padded_m", padded_m(gemm_)});
  for (Fact& fact : algorithm_facts(session.api(), choice_.algorithm))
    out.push_back(std::move(fact));
  out.push_back({"workspace_limit_byte", session.workspace().bytes()});
  out.push_back({"algo_of", std::string(choice_.first ? "first" : "best")});
  if (!choice_.first) {
    out.push_back({"algo_candidates", choice_.tried});
    if (choice_.refused > 0) out.push_back({"algo_refused", choice_.refused});
    if (choice_.cut) out.push_back({"algo_search_cut", true});
    if (choice_.first_loss) out.push_back({"first_suggestion_loss", *choice_.first_loss});
  }
  add_emulation(out);
}

}  // namespace roofline::cuda
