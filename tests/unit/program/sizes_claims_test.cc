#include "program/sizes_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pteedit {
namespace {

TEST(ByteClaims, AByteGoesToTheFirstClaim) {
  ByteClaims claims(100);
  claims.Claim({10, 20});
  claims.Claim({0, 50});
  claims.Claim({40, 20});
  claims.Claim({15, 5});
  const ByteClaims::Shares shares = claims.Share();
  EXPECT_EQ(shares.pieces, (std::vector<std::vector<Extent>>{{{10, 20}}, {{0, 10}, {30, 20}}, {{50, 10}}, {}}));
  EXPECT_EQ(shares.gaps, (std::vector<Extent>{{60, 40}}));
}

TEST(ByteClaims, GapsAreSplitWhereAsked) {
  ByteClaims claims(100);
  claims.Claim({0, 10});
  claims.Claim({50, 0});
  claims.SplitGapsAt(30);
  EXPECT_EQ(claims.Share().gaps, (std::vector<Extent>{{10, 20}, {30, 20}, {50, 50}}));
}

TEST(ByteClaims, AgreeWithPaintingByteByByte) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const uint64_t size = random() % 60;
    ByteClaims claims(size);
    std::vector<int> owner(size, -1);
    std::vector<uint64_t> expected;
    for (int i = 0; i < 8; ++i) {
      const uint64_t begin = random() % (size + 1);
      const Extent extent{begin, random() % (size - begin + 1)};
      claims.Claim(extent);
      expected.push_back(0);
      for (uint64_t at = begin; at < begin + extent.size; ++at) {
        if (owner[at] != -1) continue;
        owner[at] = i;
        ++expected.back();
      }
    }
    const ByteClaims::Shares shares = claims.Share();
    std::vector<uint64_t> bytes;
    for (size_t claim = 0; claim < shares.pieces.size(); ++claim) {
      bytes.push_back(0);
      for (const Extent& piece : shares.pieces[claim]) {
        bytes.back() += piece.size;
        const auto first = owner.begin() + static_cast<std::ptrdiff_t>(piece.offset);
        EXPECT_EQ(std::count(first, first + static_cast<std::ptrdiff_t>(piece.size), static_cast<int>(claim)),
                  static_cast<std::ptrdiff_t>(piece.size));
      }
    }
    EXPECT_EQ(bytes, expected);
    uint64_t unclaimed = 0;
    for (const Extent gap : shares.gaps) unclaimed += gap.size;
    EXPECT_EQ(unclaimed, static_cast<uint64_t>(std::count(owner.begin(), owner.end(), -1)));
  }
}

}  // namespace
}  // namespace pteedit
