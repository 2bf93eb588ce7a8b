#include "pteedit/hashes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/digest.h"
#include "test_files.h"

namespace pteedit::hashes_test {
namespace {

using test::DataPath;
using test::OpenFile;

std::vector<ContentHash> Hashes(const Container& file, HashKind kind, unsigned threads = 1) {
  Result<std::vector<ContentHash>> hashes = HashContents(file, kind, threads);
  EXPECT_TRUE(hashes) << (hashes ? "" : hashes.error().message);
  return *hashes;
}

TEST(Xxh128Digest, IsWrittenAsXxhsumDoes) {
  EXPECT_EQ(Xxh128Of(ByteSpan{}).Hex(), "99aa06d3014798d86001c324468d497f");  // of the empty input, see xxHash
}

TEST(HashContents, IsTheHashOfTheBytesThemselves) {
  const Container file = OpenFile(DataPath("f03_mlp_xnn.pte"));
  const std::vector<ContentHash> hashes = Hashes(file, HashKind::kSha256);
  EXPECT_EQ(hashes.front().what(), "file");
  EXPECT_EQ(hashes.front().Hex(), Sha256Of(*file.source(), {0, file.source()->size()})->Hex());
  size_t keys = 0;
  for (const ContentHash& one : hashes) {
    if (one.what() != "key") continue;
    EXPECT_EQ(one.Hex(), one.name);  // XNNPACK names its constants by their SHA-256
    ++keys;
  }
  EXPECT_EQ(keys, file.named_data().size());
}

TEST(HashContents, NamesEveryAliasAndEverySegment) {
  const Container file = OpenFile(DataPath("f06/mixed.pte"));
  const std::vector<ContentHash> hashes = Hashes(file, HashKind::kXxh3);
  const auto count = [&](const std::string& what) {
    return std::count_if(hashes.begin(), hashes.end(), [&](const ContentHash& one) { return one.what() == what; });
  };
  EXPECT_EQ(count("segment"), static_cast<std::ptrdiff_t>(file.segments().size()));
  EXPECT_EQ(count("key"), static_cast<std::ptrdiff_t>(file.named_data().size()));
  EXPECT_EQ(count("file"), 1);
  EXPECT_GT(count("constant"), 0);
  for (const ContentHash& one : hashes) EXPECT_EQ(one.Hex().size(), 32U) << one.name;
}

TEST(HashContents, IsTheSameWithAnyNumberOfThreads) {
  const Container file = OpenFile(DataPath("f07/gpt_xnn.pte"));
  const std::vector<ContentHash> one = Hashes(file, HashKind::kXxh3), four = Hashes(file, HashKind::kXxh3, 4);
  ASSERT_EQ(one.size(), four.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].Hex(), four[i].Hex()) << one[i].name;
}

TEST(HashContents, LooksInsideABundle) {
  const Container file = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const std::vector<ContentHash> outer = Hashes(file, HashKind::kXxh3);
  const std::vector<ContentHash> inner = Hashes(*file.program(), HashKind::kXxh3);
  ASSERT_EQ(outer.size(), inner.size());
  for (size_t i = 1; i < outer.size(); ++i) EXPECT_EQ(outer[i].Hex(), inner[i].Hex()) << outer[i].name;
}

TEST(HashContents, FailsWhereTheFileCanNoLongerBeRead) {
  const std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f03_mlp_xnn.pte"));
  bool broken = false;
  const Container file =
      *Container::Open(MakeCallbackSource("gone", bytes.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
        if (broken) return IoError("cannot read");
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
        return {};
      }));
  broken = true;
  EXPECT_FALSE(HashContents(file, HashKind::kXxh3));
}

}  // namespace
}  // namespace pteedit::hashes_test
