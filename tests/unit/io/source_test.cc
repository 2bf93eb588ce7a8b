#include "pteedit/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <numeric>

#include "file_contents.h"
#include "test_files.h"

namespace pteedit::source_test {
namespace {

using test::BytesOf;
using test::Words;

std::vector<uint8_t> Counting(size_t size) {
  std::vector<uint8_t> bytes(size);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

Status ReadAt(const Source& source, uint64_t offset, size_t size) {
  std::vector<uint8_t> bytes(size);
  return source.Read(offset, {bytes.data(), bytes.size()});
}

TEST(Source, MemoryCallbackAndFileReadTheSame) {
  const std::vector<uint8_t> bytes = Counting(100);
  const test::TemporaryFolder folder;
  test::WriteBytes(folder / "file", bytes);
  const auto callback = [&](uint64_t offset, MutableByteSpan out) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
    return Status();
  };
  for (const std::shared_ptr<const Source>& source :
       {MakeMemorySource("s", bytes), MakeViewSource("s", {bytes.data(), bytes.size()}),
        MakeCallbackSource("s", bytes.size(), callback), *OpenFileSource(folder / "file")}) {
    EXPECT_EQ(source->size(), 100U);
    EXPECT_EQ(BytesOf(*source, {0, 100}), bytes);
    EXPECT_EQ(BytesOf(*source, {98, 2}), (std::vector<uint8_t>{98, 99}));
    EXPECT_TRUE(ReadAt(*source, 100, 0));
  }
}

TEST(Source, MemoryRefusesToReadPastItsEnd) {
  const auto source = MakeMemorySource("model.pte", Counting(10));
  EXPECT_EQ(Words(ReadAt(*source, 4, 7)), "model.pte: cannot read 7 bytes at 0x4: the source has 10 bytes");
  EXPECT_EQ(ReadAt(*source, ~uint64_t{0}, 2).error().code, ErrorCode::kIo);
}

TEST(Source, CallbackIsNeverAskedForMoreThanItHas) {
  const auto source = MakeCallbackSource("remote.pte", 10, [](uint64_t, MutableByteSpan) -> Status {
    ADD_FAILURE() << "was called";
    return {};
  });
  EXPECT_EQ(Words(ReadAt(*source, 9, 2)), "remote.pte: cannot read 2 bytes at 0x9: the source has 10 bytes");
}

TEST(Source, CallbackErrorNamesTheSource) {
  const auto source = MakeCallbackSource(
      "remote.pte", 10, [](uint64_t, MutableByteSpan) -> Status { return IoError("connection lost"); });
  EXPECT_EQ(Words(ReadAt(*source, 0, 1)), "remote.pte: connection lost");
}

TEST(Source, WindowReadsAPartUnderTheSameName) {
  const auto window = MakeWindowSource(MakeMemorySource("model.bpte", Counting(100)), {10, 5});
  ASSERT_TRUE(window);
  EXPECT_EQ((*window)->name(), "model.bpte");
  EXPECT_EQ((*window)->size(), 5U);
  EXPECT_EQ(BytesOf(**window, {1, 4}), (std::vector<uint8_t>{11, 12, 13, 14}));
  EXPECT_EQ(Words(ReadAt(**window, 1, 5)), "model.bpte: cannot read 5 bytes at 0x1: the source has 5 bytes");
}

TEST(Source, WindowMustLieInsideItsSource) {
  const auto whole = MakeMemorySource("model.bpte", Counting(100));
  const auto window = MakeWindowSource(whole, {96, 5});
  EXPECT_EQ(Words(window), "window of 5 bytes at 0x60 leaves the source (100 bytes)");
  EXPECT_EQ(window.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(MakeWindowSource(whole, {1, ~uint64_t{0}}));
}

TEST(Source, OnlyWhatASourceOwnsIsReadWhereItLies) {
  const std::vector<uint8_t> callers = Counting(100);
  EXPECT_EQ(MakeViewSource("view", {callers.data(), callers.size()})->InMemory({0, 1}), nullptr) << "may change";
  std::shared_ptr<const uint8_t[]> part;
  {
    const auto source = MakeMemorySource("owned", Counting(100));
    EXPECT_EQ(source->InMemory({90, 11}), nullptr);
    const auto window = *MakeWindowSource(MakeHashedSource(source, {}), {10, 50});
    EXPECT_EQ(window->InMemory({5, 1}).get(), source->InMemory({15, 1}).get());
    EXPECT_EQ(window->InMemory({45, 6}), nullptr) << "behind its end";
    part = window->InMemory({5, 2});
  }
  EXPECT_EQ(part[1], 16) << "stays without its source";
}

TEST(Source, WindowOfAFileKnowsItsPlaceInTheFile) {
  const test::TemporaryFolder folder;
  test::WriteBytes(folder / "file", Counting(100));
  const auto file = *OpenFileSource(folder / "file");
  const auto window = *MakeWindowSource(*MakeWindowSource(file, {10, 50}), {5, 5});
  EXPECT_EQ(window->file_place().descriptor, file->file_place().descriptor);
  EXPECT_EQ(window->file_place().offset, 15U);
  EXPECT_EQ(MakeMemorySource("m", {})->file_place().descriptor, -1);
}

TEST(Source, FileThatIsMissingIsAnError) {
  const test::TemporaryFolder folder;
  const auto source = OpenFileSource(folder / "missing.pte");
  EXPECT_EQ(Words(source), folder / "missing.pte: cannot open: No such file or directory");
  EXPECT_EQ(source.error().system_error, ENOENT);
  EXPECT_EQ(source.error().code, ErrorCode::kIo);
}

TEST(Source, FolderIsNoFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(Words(OpenFileSource(folder.path())), folder.path() + ": cannot open: not a regular file");
}

TEST(Source, FileCutAfterOpeningIsAnError) {
  const test::TemporaryFolder folder;
  test::WriteBytes(folder / "model.pte", Counting(100));
  const auto source = *OpenFileSource(folder / "model.pte");
  std::filesystem::resize_file(folder / "model.pte", 60);
  EXPECT_TRUE(ReadAt(*source, 0, 60));
  EXPECT_EQ(
      Words(ReadAt(*source, 50, 20)),
      folder / "model.pte: cannot read 10 bytes at 0x3c: the file ends there; it had 100 bytes when it was opened");
}

}  // namespace
}  // namespace pteedit::source_test
