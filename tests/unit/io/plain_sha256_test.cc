#include "io/plain_sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "io/digest.h"
#include "noise.h"

namespace pteedit::plain_sha256_test {
namespace {

TEST(PlainSha256, IsWhatTheOtherOneComputes) {
  const std::vector<uint8_t> bytes = test::Noise(10'000, 1);
  for (size_t size = 0; size < 300; ++size) {
    PlainSha256 hash;
    hash.Update({bytes.data(), size});
    EXPECT_EQ(hash.Finish(), Sha256Of(ByteSpan{bytes.data(), size}).bytes) << size;
  }
}

TEST(PlainSha256, DoesNotDependOnThePieces) {
  const std::vector<uint8_t> bytes = test::Noise(10'000, 2);
  const auto whole = Sha256Of(ByteSpan{bytes.data(), bytes.size()}).bytes;
  for (const size_t step :
       {size_t{1}, size_t{3}, size_t{55}, size_t{63}, size_t{64}, size_t{65}, size_t{127}, size_t{1000}}) {
    PlainSha256 hash;
    hash.Update({});
    for (size_t done = 0; done < bytes.size(); done += step)
      hash.Update({bytes.data() + done, std::min(step, bytes.size() - done)});
    EXPECT_EQ(hash.Finish(), whole) << step;
  }
}

}  // namespace
}  // namespace pteedit::plain_sha256_test
