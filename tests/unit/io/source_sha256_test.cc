#include "io/source_sha256.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "io/streaming.h"
#include "program_builder.h"
#include "pteedit/source.h"

namespace pteedit::source_sha256_test {
namespace {

using test::Pattern;

PlannedFile PlanOf(size_t bytes) {
  PlannedFile plan;
  plan.Append(MakeMemorySource("memory", Pattern(bytes, 1)), {0, bytes});
  plan.AppendZeros(7);
  return plan;
}

TEST(SourceSha256, IsTheOneOfAllPieces) {
  for (const size_t bytes : {size_t{0}, size_t{100}, 3 * kStreamPieceBytes + 5}) {
    SourceSha256 hash(PlanOf(bytes).AsSource("plan"));
    std::vector<uint8_t> all = Pattern(bytes, 1);
    all.resize(bytes + 7);
    EXPECT_EQ(hash.WaitFor(bytes), bytes + 7);
    EXPECT_EQ(hash.Finish()->Hex(), Sha256Of(ByteSpan{all.data(), all.size()}).Hex()) << bytes;
  }
}

TEST(SourceSha256, FailsAsReadingDoes) {
  constexpr uint64_t kBytes = 4 * kStreamPieceBytes;
  PlannedFile plan;
  plan.Append(MakeCallbackSource("remote", kBytes,
                                 [](uint64_t offset, MutableByteSpan) -> Status {
                                   if (offset != 0) return IoError("connection lost");
                                   return {};
                                 }),
              {0, kBytes});
  SourceSha256 hash(plan.AsSource("plan"));
  EXPECT_EQ(hash.WaitFor(kBytes), kBytes) << "nobody waits forever";
  EXPECT_EQ(test::Words(hash.Finish()), "remote: connection lost");
}

TEST(SourceSha256, MayBeLeftUnfinished) {
  SourceSha256(PlanOf(20 * kStreamPieceBytes).AsSource("plan")).WaitFor(1);
  const SourceSha256 nothing_yet(PlanOf(20 * kStreamPieceBytes).AsSource("plan"), 0);
}

TEST(SourceSha256, ReadsNothingThatIsNotThereYet) {
  for (const size_t bytes : {size_t{100}, 3 * kStreamPieceBytes + 5}) {
    std::vector<uint8_t> there(bytes);
    SourceSha256 hash(MakeViewSource("view", {there.data(), there.size()}), 0);
    const std::vector<uint8_t> all = Pattern(bytes, 1);
    for (size_t done = 0; done < bytes;) {
      const size_t step = std::min(bytes - done, kStreamPieceBytes / 2);
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(done), step,
                  there.begin() + static_cast<std::ptrdiff_t>(done));
      hash.Allow(done += step);
      EXPECT_EQ(hash.WaitFor(done), done);
    }
    EXPECT_EQ(hash.Finish()->Hex(), Sha256Of(ByteSpan{all.data(), all.size()}).Hex()) << bytes;
  }
}

}  // namespace
}  // namespace pteedit::source_sha256_test
