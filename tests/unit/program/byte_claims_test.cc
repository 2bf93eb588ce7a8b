#include "program/byte_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pteedit::byte_claims_test {
namespace {

std::vector<ByteClaims::Share> SharesOf(ByteClaims& claims) {
  std::vector<ByteClaims::Share> shares;
  const Status done = claims.ForEachShare([&](const ByteClaims::Share& share) {
    shares.push_back(share);
    return Status();
  });
  EXPECT_TRUE(done);
  return shares;
}

std::vector<Extent> PiecesOf(ByteClaims& claims, std::optional<size_t> claim) {
  std::vector<Extent> pieces;
  for (const ByteClaims::Share& share : SharesOf(claims)) {
    if (share.claim == claim) pieces.push_back(share.extent);
  }
  return pieces;
}

TEST(ByteClaims, AByteGoesToTheFirstClaim) {
  ByteClaims claims(100);
  claims.Claim({10, 20});
  claims.Claim({0, 50});
  claims.Claim({40, 20});
  claims.Claim({15, 5});
  EXPECT_EQ(PiecesOf(claims, 0), (std::vector<Extent>{{10, 20}}));
  EXPECT_EQ(PiecesOf(claims, 1), (std::vector<Extent>{{0, 10}, {30, 20}}));
  EXPECT_EQ(PiecesOf(claims, 2), (std::vector<Extent>{{50, 10}}));
  EXPECT_EQ(PiecesOf(claims, 3), std::vector<Extent>());
  EXPECT_EQ(PiecesOf(claims, std::nullopt), (std::vector<Extent>{{60, 40}}));
}

TEST(ByteClaims, GapsAreSplitWhereAsked) {
  ByteClaims claims(100);
  claims.Claim({0, 10});
  claims.Claim({50, 0});
  claims.SplitGapsAt(30);
  EXPECT_EQ(PiecesOf(claims, std::nullopt), (std::vector<Extent>{{10, 20}, {30, 20}, {50, 50}}));
}

TEST(ByteClaims, TheLastClaimGrowsByWhatLiesBesideIt) {
  ByteClaims claims(100);
  claims.Claim({0, 10});
  claims.Claim({30, 10});
  EXPECT_TRUE(claims.ExtendLast({40, 5}));
  EXPECT_TRUE(claims.ExtendLast({25, 5}));
  EXPECT_FALSE(claims.ExtendLast({10, 5}));
  EXPECT_EQ(PiecesOf(claims, 1), (std::vector<Extent>{{25, 20}}));
}

TEST(ByteClaims, AreAsExactBehindFourGibibytesAndAcrossThem) {
  constexpr uint64_t kBound = uint64_t{1} << 32;
  ByteClaims claims(4 * kBound);
  claims.Claim({kBound - 10, 10});
  EXPECT_TRUE(claims.ExtendLast({kBound, 20}));
  claims.Claim({kBound + 10, 2 * kBound});  // longer than that, too
  EXPECT_TRUE(claims.ExtendLast({3 * kBound + 10, 5}));
  claims.Claim({1, kBound - 1});
  EXPECT_EQ(PiecesOf(claims, 0), (std::vector<Extent>{{kBound - 10, 30}}));
  EXPECT_EQ(PiecesOf(claims, 1), (std::vector<Extent>{{kBound + 20, 2 * kBound - 5}}));
  EXPECT_EQ(PiecesOf(claims, 2), (std::vector<Extent>{{1, kBound - 11}}));
}

TEST(ByteClaims, AgreeWithPaintingByteByByte) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const uint64_t size = random() % 60;
    ByteClaims claims(size);
    std::vector<std::optional<size_t>> painted(size), shared;
    for (size_t i = 0; i < 8; ++i) {
      const uint64_t begin = random() % (size + 1);
      const Extent extent{begin, random() % (size - begin + 1)};
      claims.Claim(extent);
      for (uint64_t at = begin; at < begin + extent.size; ++at) painted[at] = painted[at].value_or(i);
    }
    for (const ByteClaims::Share& share : SharesOf(claims)) {
      EXPECT_EQ(share.extent.offset, shared.size());
      EXPECT_TRUE(!share.claim || shared.empty() || shared.back() != share.claim) << "not one piece";
      shared.insert(shared.end(), share.extent.size, share.claim);
    }
    EXPECT_EQ(shared, painted);
  }
}

}  // namespace
}  // namespace pteedit::byte_claims_test
