#include "pteedit/package/create.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "file_contents.h"
#include "noise.h"

namespace pteedit::create_test {
namespace {

using test::TemporaryFolder;

constexpr size_t kBytes = 3'000'000;

// One file that compresses, one that does not.
ReleasePlan TwoFiles() {
  ReleasePlan plan;
  plan.members.push_back({MakeMemorySource("text", std::vector<uint8_t>(kBytes, 'x')), "txt", false, "text"});
  plan.members.push_back({MakeMemorySource("noise", test::Noise(kBytes, 1)), "bin", false, "noise"});
  return plan;
}

class WriteReleaseTest : public testing::Test {
 protected:
  Result<Manifest> Write(std::function<bool(uint64_t, uint64_t)> progress) const {
    ReleaseOptions options;
    options.compress_level = 1;
    options.threads = 2;
    options.progress = std::move(progress);
    return WriteRelease(TwoFiles(), folder_ / "out", {}, options);
  }

  const TemporaryFolder folder_;
};

TEST_F(WriteReleaseTest, TellsOfCopyingAndCompressingTogether) {
  std::vector<std::pair<uint64_t, uint64_t>> told;
  const auto manifest = Write([&](uint64_t done, uint64_t total) {
    told.emplace_back(done, total);
    return true;
  });
  ASSERT_TRUE(manifest);
  for (size_t i = 1; i < told.size(); ++i) EXPECT_LE(told[i - 1].first, told[i].first);
  EXPECT_EQ(told.back(), (std::pair<uint64_t, uint64_t>(4 * kBytes, 4 * kBytes)));
  size_t compressed = 0;
  for (const ReleaseFile& file : manifest->files) {
    EXPECT_EQ(file.compressed.has_value(), file.name == "text");
    if (file.compressed) ++compressed;
  }
  EXPECT_EQ(compressed, 1U);
}

TEST_F(WriteReleaseTest, StoppedAtAnyTimeItLeavesNothing) {
  for (const uint64_t limit : {uint64_t{0}, uint64_t{kBytes}, uint64_t{4 * kBytes - 1}}) {
    const auto stopped = Write([&](uint64_t done, uint64_t) { return done < limit; });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().message, "stopped; nothing was written");
    EXPECT_EQ(folder_.Names(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace pteedit::create_test
