#include "backend/cuda/gemm_search.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace roofline::cuda {
namespace {

struct Entry {
  std::size_t candidate;
  double first_s;                  ///< of the first pass
  std::vector<double> times = {};  ///< of the second

  [[nodiscard]] double median() const {
    if (times.empty()) return first_s;
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};

std::vector<Entry> first_pass(std::size_t candidates, const TimeCandidate& warm_and_time,
                              const AlgorithmSearch& search, SearchResult& result) {
  std::vector<Entry> out;
  double spent = 0;
  for (std::size_t i = 0; i < candidates; ++i) {
    if (!out.empty() && spent >= search.most_seconds) {
      result.cut = true;
      break;
    }
    CandidateTime one = warm_and_time(i);
    spent += one.spent_s;
    if (one.seconds) {
      out.push_back({i, *one.seconds});
    } else {
      ++result.refused;
      result.last_refusal = std::move(one.why);
    }
  }
  result.tried = out.size();
  return out;
}

/// The same order for the same seed, whatever the standard library.
void shuffle(std::vector<Entry*>& entries, std::mt19937_64& random) {
  for (std::size_t i = entries.size(); i > 1; --i)
    std::swap(entries[i - 1], entries[static_cast<std::size_t>(random() % i)]);
}

void take_turns(std::vector<Entry*> finalists, const TimeCandidate& time,
                const AlgorithmSearch& search) {
  std::mt19937_64 random(search.seed);
  double spent = 0;
  for (std::size_t round = 0; round < search.rounds; ++round) {
    if (round > 0 && spent >= search.most_seconds) return;
    shuffle(finalists, random);
    for (Entry* entry : finalists) {
      const CandidateTime one = time(entry->candidate);
      spent += one.spent_s;
      if (one.seconds) entry->times.push_back(*one.seconds);
    }
  }
}

}  // namespace

SearchResult search_algorithms(std::size_t candidates, const TimeCandidate& warm_and_time,
                               const TimeCandidate& time, const AlgorithmSearch& search) {
  SearchResult out;
  std::vector<Entry> entries = first_pass(candidates, warm_and_time, search, out);
  if (entries.empty()) return out;
  std::vector<Entry*> finalists;
  for (Entry& entry : entries) finalists.push_back(&entry);
  std::stable_sort(finalists.begin(), finalists.end(),
                   [](const Entry* a, const Entry* b) { return a->first_s < b->first_s; });
  const double limit = search.hopeless * finalists.front()->first_s;
  std::erase_if(finalists, [&](const Entry* entry) { return entry->first_s > limit; });
  if (finalists.size() > search.most_finalists) finalists.resize(search.most_finalists);
  if (finalists.size() > 1) take_turns(finalists, time, search);
  const Entry* const winner =
      *std::min_element(finalists.begin(), finalists.end(),
                        [](const Entry* a, const Entry* b) { return a->median() < b->median(); });
  out.winner = winner->candidate;
  if (entries.front().candidate == 0)
    out.first_loss = entries.front().median() / winner->median() - 1;
  return out;
}

}  // namespace roofline::cuda
