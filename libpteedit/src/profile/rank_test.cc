#include "profile/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace pteedit {
namespace {

constexpr size_t kMostExact = 20;  // samples of both whose arrangements are counted

struct Ranks {
  std::vector<uint64_t> doubled;  // of all samples; twice the mean rank of those that are equal
  uint64_t of_larger = 0;         // their sum
  double ties = 0;                // sum of t^3 - t over groups of t equal ones
};

Ranks RanksOf(const std::vector<double>& smaller, const std::vector<double>& larger) {
  std::vector<std::pair<double, bool>> all;
  for (const double sample : smaller) all.emplace_back(sample, false);
  for (const double sample : larger) all.emplace_back(sample, true);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (size_t first = 0; first < all.size();) {
    size_t end = first;
    while (end < all.size() && all[end].first == all[first].first) ++end;
    const uint64_t doubled = first + 1 + end;
    const auto equal = static_cast<double>(end - first);
    ranks.ties += equal * equal * equal - equal;
    for (; first < end; ++first) {
      ranks.doubled.push_back(doubled);
      if (all[first].second) ranks.of_larger += doubled;
    }
  }
  return ranks;
}

// Of all ways to choose `count` of the ranks, the share whose sum is as large or larger.
double ExactShare(const Ranks& ranks, size_t count) {
  uint64_t most = 0;
  for (const uint64_t rank : ranks.doubled) most += rank;
  std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1));  // by how many are chosen, and sum
  ways[0][0] = 1;
  for (const uint64_t rank : ranks.doubled) {
    for (size_t chosen = count; chosen-- > 0;) {
      for (uint64_t sum = 0; sum + rank <= most; ++sum) ways[chosen + 1][sum + rank] += ways[chosen][sum];
    }
  }
  double all = 0, extreme = 0;
  for (uint64_t sum = 0; sum <= most; ++sum) {
    all += ways[count][sum];
    if (sum >= ranks.of_larger) extreme += ways[count][sum];
  }
  return extreme / all;
}

double NormalShare(const Ranks& ranks, double smaller, double larger) {
  const double all = smaller + larger;
  const double mean = larger * (all + 1) / 2;
  const double variance = smaller * larger / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  if (variance <= 0) return 1;  // all samples are equal
  const double sum = static_cast<double>(ranks.of_larger) / 2;
  return std::erfc((sum - mean - 0.5) / std::sqrt(2 * variance)) / 2;
}

}  // namespace

double RankTest(const std::vector<double>& smaller, const std::vector<double>& larger) {
  if (smaller.empty() || larger.empty()) return 1;
  const Ranks ranks = RanksOf(smaller, larger);
  if (ranks.doubled.size() <= kMostExact) return ExactShare(ranks, larger.size());
  return NormalShare(ranks, static_cast<double>(smaller.size()), static_cast<double>(larger.size()));
}

double LeastRankTest(size_t smaller, size_t larger) {
  double ways = 1;
  for (size_t i = 1; i <= std::min(smaller, larger); ++i)
    ways *= static_cast<double>(std::max(smaller, larger) + i) / static_cast<double>(i);
  return 1 / ways;
}

}  // namespace pteedit
