// Sources of open descriptors, as standard input is one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "pteedit/source.h"
#include "test_files.h"

namespace pteedit::descriptor_source_test {
namespace {

using test::TemporaryFolder;

std::vector<uint8_t> ContentsOf(const Source& source) {
  std::vector<uint8_t> bytes(source.size());
  EXPECT_TRUE(source.Read(0, {bytes.data(), bytes.size()}));
  return bytes;
}

std::vector<uint8_t> Numbers(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

TEST(OpenDescriptorSource, CopiesAPipeToAFileWithoutAName) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> bytes = Numbers(3'000'001);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::thread writer([&] {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t put = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (put > 0) done += static_cast<size_t>(put);
    }
    close(ends[1]);
  });
  const auto source = OpenDescriptorSource(ends[0], "-", folder.path());
  writer.join();
  close(ends[0]);
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->name(), "-");
  EXPECT_EQ(ContentsOf(**source), bytes);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OpenDescriptorSource, ReadsARegularFileInPlaceFromWhereItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  test::WriteBytes(path, Numbers(100));
  const int descriptor = open(path.c_str(), O_RDONLY);
  for (const off_t begin : {0, 30, 100, 200}) {
    lseek(descriptor, begin, SEEK_SET);
    const auto source = OpenDescriptorSource(descriptor, "-", "/no/such/folder");
    ASSERT_TRUE(source) << source.error().message;
    std::vector<uint8_t> expected = Numbers(100);
    expected.erase(expected.begin(), expected.begin() + std::min<off_t>(begin, 100));
    EXPECT_EQ(ContentsOf(**source), expected);
  }
  EXPECT_EQ(close(descriptor), 0);  // it is still the caller's
}

TEST(OpenDescriptorSource, FailsWhereThereIsNothingToRead) {
  const auto closed = OpenDescriptorSource(-1, "-", "/tmp");
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, ErrorCode::kIo);
  EXPECT_EQ(closed.error().file + ": " + closed.error().message, "-: cannot read: Bad file descriptor");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto no_folder = OpenDescriptorSource(ends[0], "-", "/no/such/folder");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().file + ": " + no_folder.error().message,
            "/no/such/folder: cannot create a temporary file: No such file or directory");
  const auto write_only = OpenDescriptorSource(ends[1], "-", "/tmp");
  ASSERT_FALSE(write_only);
  EXPECT_EQ(write_only.error().file + ": " + write_only.error().message, "-: cannot read: Bad file descriptor");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace pteedit::descriptor_source_test
