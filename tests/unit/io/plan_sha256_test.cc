#include "io/plan_sha256.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "io/streaming.h"
#include "program_builder.h"
#include "pteedit/source.h"

namespace pteedit::plan_sha256_test {
namespace {

using test::Pattern;

PlannedFile PlanOf(size_t bytes) {
  PlannedFile plan;
  plan.Append(MakeMemorySource("memory", Pattern(bytes, 1)), {0, bytes});
  plan.AppendZeros(7);
  return plan;
}

TEST(PlanSha256, IsTheOneOfAllPieces) {
  for (const size_t bytes : {size_t{0}, size_t{100}, 3 * kStreamPieceBytes + 5}) {
    PlanSha256 hash(PlanOf(bytes));
    std::vector<uint8_t> all = Pattern(bytes, 1);
    all.resize(bytes + 7);
    EXPECT_EQ(hash.WaitFor(bytes), bytes + 7);
    EXPECT_EQ(hash.Finish()->Hex(), Sha256Of(ByteSpan{all.data(), all.size()}).Hex()) << bytes;
  }
}

TEST(PlanSha256, FailsAsReadingDoes) {
  constexpr uint64_t kBytes = 4 * kStreamPieceBytes;
  PlannedFile plan;
  plan.Append(MakeCallbackSource("remote", kBytes,
                                 [](uint64_t offset, MutableByteSpan) -> Status {
                                   if (offset != 0) return IoError("connection lost");
                                   return {};
                                 }),
              {0, kBytes});
  PlanSha256 hash(plan);
  EXPECT_EQ(hash.WaitFor(kBytes), kBytes) << "nobody waits forever";
  EXPECT_EQ(test::Words(hash.Finish()), "remote: connection lost");
}

TEST(PlanSha256, MayBeLeftUnfinished) { PlanSha256(PlanOf(20 * kStreamPieceBytes)).WaitFor(1); }

}  // namespace
}  // namespace pteedit::plan_sha256_test
