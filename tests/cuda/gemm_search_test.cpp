// The choice among algorithms, with times from a list.
#include "backend/cuda/gemm_search.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace roofline::cuda {
namespace {

/// Candidates that take what they are said to; negative: it doesn't run.
class Listed {
 public:
  explicit Listed(std::vector<double> seconds) : seconds_(std::move(seconds)) {}

  SearchResult search(const AlgorithmSearch& how = {}) {
    return search_algorithms(
        seconds_.size(),
        [this](std::size_t i) {
          order_.push_back(i);
          return one(i);
        },
        [this](std::size_t i) {
          ++turns_[i];
          return one(i);
        },
        how);
  }
  [[nodiscard]] const std::vector<std::size_t>& first_order() const { return order_; }
  [[nodiscard]] std::size_t turns(std::size_t i) { return turns_[i]; }

 private:
  CandidateTime one(std::size_t i) {
    if (seconds_[i] < 0) return {std::nullopt, 0, "it doesn't run"};
    return {seconds_[i], 10 * seconds_[i]};
  }
  std::vector<double> seconds_;
  std::vector<std::size_t> order_;
  std::map<std::size_t, std::size_t> turns_;
};

TEST(AlgorithmSearchTest, TheFastestWinsAndTheFirstsLossIsKnown) {
  Listed listed({1.2e-3, 1.0e-3, 1.1e-3});
  const SearchResult result = listed.search();
  EXPECT_EQ(result.winner, 1U);
  EXPECT_EQ(result.tried, 3U);
  ASSERT_TRUE(result.first_loss);
  EXPECT_NEAR(*result.first_loss, 0.2, 1e-12);
  EXPECT_EQ(listed.first_order(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(AlgorithmSearchTest, TheHopelessGetNoTurns) {
  Listed listed({1.0e-3, 1.6e-3, 1.4e-3});
  (void)listed.search();
  EXPECT_EQ(listed.turns(0), 5U);
  EXPECT_EQ(listed.turns(1), 0U);
  EXPECT_EQ(listed.turns(2), 5U);
}

TEST(AlgorithmSearchTest, AHopelessFirstStillHasItsLoss) {
  Listed listed({3.0e-3, 1.0e-3});
  const SearchResult result = listed.search();
  ASSERT_TRUE(result.first_loss);
  EXPECT_NEAR(*result.first_loss, 2.0, 1e-12);
  EXPECT_EQ(listed.turns(0), 0U);
}

TEST(AlgorithmSearchTest, WhatDoesNotRunIsCountedAndPassedOver) {
  Listed listed({-1, 2e-3, -1, 1.9e-3});
  const SearchResult result = listed.search();
  EXPECT_EQ(result.winner, 3U);
  EXPECT_EQ(result.refused, 2U);
  EXPECT_EQ(result.tried, 2U);
  EXPECT_FALSE(result.first_loss) << "the first suggestion has no time";
}

TEST(AlgorithmSearchTest, NoneIsNoWinner) {
  Listed listed({-1, -1});
  const SearchResult result = listed.search();
  EXPECT_FALSE(result.winner);
  EXPECT_EQ(result.last_refusal, "it doesn't run");
  EXPECT_FALSE(Listed({}).search().winner);
}

TEST(AlgorithmSearchTest, LongProductsAreTriedAsTimeAllows) {
  Listed listed(std::vector<double>(20, 0.03));  // 0.3 s to find out
  const SearchResult result = listed.search();
  EXPECT_TRUE(result.cut);
  EXPECT_EQ(result.tried, 4U);
  EXPECT_EQ(result.winner.has_value(), true);
}

TEST(AlgorithmSearchTest, TurnsAreMedians) {
  // The first pass flatters candidate 0, and one of its turns is slow; the median is not.
  std::vector<double> turns{1.0, 1.0, 9.0, 1.0, 1.0};
  std::size_t next = 0;
  const SearchResult result = search_algorithms(
      2,
      [](std::size_t i) {
        return CandidateTime{i == 0 ? 1.1 : 1.0, 0};
      },
      [&](std::size_t i) {
        return CandidateTime{i == 0 ? turns[next++] : 1.05, 0};
      });
  EXPECT_EQ(result.winner, 0U);
}

}  // namespace
}  // namespace roofline::cuda
