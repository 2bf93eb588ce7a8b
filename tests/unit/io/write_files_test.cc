// WriteFiles: all outputs appear, or the folder is as it was.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "file_contents.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/posix_output.h"
#include "program_builder.h"
#include "pteedit/planned_file.h"

namespace pteedit::write_files_test {
namespace {

using test::BytesOf;
using test::Pattern;
using test::ProgramBuilder;
using test::ReadBytes;
using test::TemporaryFolder;
using test::Words;
using test::WriteBytes;
using Names = std::vector<std::string>;

// Long enough to be copied in several pieces and inside the kernel.
constexpr size_t kLongBytes = (3 << 20) + 77;

std::vector<uint8_t> ProgramWith(size_t bytes, uint32_t seed) {
  return ProgramBuilder().NamedData("k", Pattern(bytes, seed)).Bytes();
}

PlannedFile PlanOfFile(const std::string& path) {
  const auto source = *OpenFileSource(path);
  PlannedFile file;
  file.Append(source, {0, source->size()});
  return file;
}

PlannedFile PlanOfBytes(std::vector<uint8_t> bytes) {
  const uint64_t size = bytes.size();
  PlannedFile file;
  file.Append(MakeMemorySource("memory", std::move(bytes)), {0, size});
  return file;
}

class WriteFilesTest : public testing::Test {
 protected:
  WriteFilesTest() { WriteBytes(input_, ProgramWith(kLongBytes, 1)); }
  ~WriteFilesTest() override { UseOnlyPlainPosix(false); }

  Result<std::vector<WrittenFile>> Write(const std::vector<Output>& outputs, const WriteOptions& options = {}) const {
    return WriteFiles(outputs, {input_}, options);
  }

  // A folder takes the place of the second output when all has been checked already.
  WriteOptions WithAFolderInTheWay() const {
    WriteOptions options;
    options.replace = true;
    options.progress = [this](uint64_t, uint64_t) {
      std::filesystem::create_directory(second_);
      return true;
    };
    return options;
  }

  const TemporaryFolder folder_;
  const std::string input_ = folder_ / "in.pte";
  const std::string first_ = folder_ / "first.pte";
  const std::string second_ = folder_ / "second.pte";
};

TEST_F(WriteFilesTest, WritesThePlannedBytes) {
  PlannedFile trailing = PlanOfFile(input_);
  trailing.AppendZeros(kLongBytes);
  const auto written = Write({{first_, PlanOfFile(input_)}, {second_, trailing}});
  ASSERT_TRUE(written) << Words(written);
  EXPECT_EQ(ReadBytes(first_), ReadBytes(input_));
  EXPECT_EQ(ReadBytes(second_), BytesOf(trailing));
  EXPECT_EQ(folder_.Names(), (Names{"first.pte", "in.pte", "second.pte"}));
  ASSERT_EQ(written->size(), 2U);
  EXPECT_EQ(written->at(1).path, second_);
  EXPECT_EQ(written->at(1).bytes, trailing.size());
  EXPECT_EQ(written->at(1).sha256, "");
}

TEST_F(WriteFilesTest, PlainPosixWritesTheSame) {
  UseOnlyPlainPosix(true);
  ASSERT_TRUE(Write({{first_, PlanOfFile(input_)}}));
  EXPECT_EQ(ReadBytes(first_), ReadBytes(input_));
  EXPECT_EQ(folder_.Names(), (Names{"first.pte", "in.pte"}));
}

TEST_F(WriteFilesTest, HashesWhatItWrites) {
  PlannedFile short_program = PlanOfBytes(ProgramWith(300, 2));
  WriteOptions options;
  options.hash = true;
  const auto written = Write({{first_, PlanOfFile(input_)}, {second_, short_program}}, options);
  ASSERT_TRUE(written);
  for (const WrittenFile& file : *written) {
    const auto source = *OpenFileSource(file.path);
    EXPECT_EQ(file.sha256, Sha256Of(*source, {0, source->size()})->Hex());
  }
}

TEST_F(WriteFilesTest, SecondOutputThatFailsLeavesNothing) {
  const auto written = Write({{first_, PlanOfFile(input_)}, {second_, PlanOfFile(input_)}}, WithAFolderInTheWay());
  EXPECT_EQ(Words(written), second_ + ": cannot create: Is a directory");
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_EQ(folder_.Names(), (Names{"in.pte", "second.pte"}));
}

TEST_F(WriteFilesTest, SecondOutputThatFailsBringsTheReplacedFirstBack) {
  WriteBytes(first_, {'o', 'l', 'd'});
  EXPECT_FALSE(Write({{first_, PlanOfFile(input_)}, {second_, PlanOfFile(input_)}}, WithAFolderInTheWay()));
  EXPECT_EQ(ReadBytes(first_), (std::vector<uint8_t>{'o', 'l', 'd'}));
  EXPECT_EQ(folder_.Names(), (Names{"first.pte", "in.pte", "second.pte"}));
}

TEST_F(WriteFilesTest, NewFilesGetNoMorePermissionsThanTheirInputs) {
  ASSERT_EQ(chmod(input_.c_str(), 0600), 0);
  for (const bool plain : {false, true}) {
    UseOnlyPlainPosix(plain);
    ASSERT_TRUE(Write({{first_, PlanOfFile(input_)}}));
    EXPECT_EQ(std::filesystem::status(first_).permissions(), std::filesystem::perms(0600));
    std::filesystem::remove(first_);
  }
}

TEST_F(WriteFilesTest, ReplacedFileKeepsItsPermissions) {
  WriteBytes(first_, {'o', 'l', 'd'});
  ASSERT_EQ(chmod(first_.c_str(), 0600), 0);
  WriteOptions options;
  options.replace = true;
  ASSERT_TRUE(Write({{first_, PlanOfFile(input_)}}, options));
  EXPECT_EQ(ReadBytes(first_), ReadBytes(input_));
  EXPECT_EQ(std::filesystem::status(first_).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(folder_.Names(), (Names{"first.pte", "in.pte"}));
}

TEST_F(WriteFilesTest, ChecksItsOutputs) {
  const auto written = WriteFiles({{input_, PlanOfFile(input_)}}, {input_}, {true, false, {}});
  EXPECT_EQ(Words(written), input_ + ": the output is the input '" + input_ + "'; inputs are never changed");
  EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(WriteFilesTest, FolderMustExist) {
  EXPECT_EQ(Words(Write({{folder_ / "no/out.pte", PlanOfFile(input_)}})),
            folder_ / "no/out.pte: cannot create: its folder does not exist");
}

TEST_F(WriteFilesTest, SourceCutUnderOurFeetLeavesNothing) {
  for (const bool plain : {false, true}) {
    UseOnlyPlainPosix(plain);
    const std::string source = folder_ / "source.pte";
    const uint64_t size = std::filesystem::file_size(input_);
    std::filesystem::copy_file(input_, source);
    const PlannedFile plan = PlanOfFile(source);
    std::filesystem::resize_file(source, size - 100);
    const auto written = WriteFiles({{first_, PlanOfFile(input_)}, {second_, plan}}, {source}, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kIo);
    EXPECT_EQ(written.error().file, source);
    EXPECT_NE(Words(written).find("the file ends there; it had " + std::to_string(size) + " bytes when it was opened"),
              std::string::npos)
        << Words(written);
    EXPECT_EQ(folder_.Names(), (Names{"in.pte", "source.pte"}));
    std::filesystem::remove(source);
  }
}

TEST_F(WriteFilesTest, SourceThatFailsLeavesNothing) {
  const auto source = MakeCallbackSource(
      "remote.pte", 1000, [](uint64_t, MutableByteSpan) -> Status { return IoError("connection lost"); });
  PlannedFile plan;
  plan.Append(source, {0, 1000});
  EXPECT_EQ(Words(Write({{first_, PlanOfFile(input_)}, {second_, plan}})), "remote.pte: connection lost");
  EXPECT_EQ(folder_.Names(), Names{"in.pte"});
}

TEST_F(WriteFilesTest, WhatAFileContainsIsThePlannersBusiness) {
  ASSERT_TRUE(Write({{first_, PlanOfBytes(std::vector<uint8_t>(100, 'x'))}}));
  EXPECT_EQ(ReadBytes(first_), std::vector<uint8_t>(100, 'x'));
}

// A source whose bytes are others when they are read again.
PlannedFile FicklePlan(uint64_t size, uint64_t fickle_byte, int& reads) {
  const auto source = MakeCallbackSource("fickle", size, [=, &reads](uint64_t offset, MutableByteSpan out) {
    std::fill_n(out.data, out.size, uint8_t{7});
    const bool has_byte = fickle_byte >= offset && fickle_byte - offset < out.size;
    if (has_byte && reads++ != 0) out.data[fickle_byte - offset] = 8;
    return Status();
  });
  PlannedFile plan;
  plan.Append(source, {0, size});
  return plan;
}

TEST_F(WriteFilesTest, AnyByteThatReadsBackOtherwiseLeavesNothing) {
  for (const uint64_t byte : {uint64_t{0}, uint64_t{kLongBytes / 2}, uint64_t{kLongBytes - 1}}) {
    int reads = 0;
    EXPECT_EQ(Words(Write({{first_, FicklePlan(kLongBytes, byte, reads)}})),
              first_ + ": reads back other bytes than were planned, of the " + std::to_string(kLongBytes) + " at 0x0");
    EXPECT_EQ(folder_.Names(), Names{"in.pte"});
  }
}

TEST_F(WriteFilesTest, FolderInTheWayIsKnownBefore) {
  std::filesystem::create_directory(second_);
  EXPECT_EQ(Words(CheckWriteFiles({{second_, PlanOfFile(input_)}}, {input_}, true)),
            second_ + ": cannot create: Is a directory");
}

TEST_F(WriteFilesTest, WhatCannotBeWrittenIsKnownBefore) {
  const std::vector<Output> outputs{{first_, PlanOfFile(input_)}, {folder_ / "no/out.pte", PlanOfFile(input_)}};
  EXPECT_EQ(Words(CheckWriteFiles(outputs, {input_}, false)),
            folder_ / "no/out.pte: cannot create: its folder does not exist");
  EXPECT_TRUE(CheckWriteFiles({outputs[0]}, {input_}, false));
  EXPECT_EQ(folder_.Names(), Names{"in.pte"});
}

TEST_F(WriteFilesTest, StreamThatFailsLeavesNoFile) {
  const int closed = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(Words(Write({{first_, PlanOfFile(input_)}, {"-", PlanOfFile(input_), closed}})),
            "cannot write: Bad file descriptor");
  close(closed);
  EXPECT_EQ(folder_.Names(), Names{"in.pte"});
}

TEST_F(WriteFilesTest, StreamIntoAnInputIsRefused) {
  const std::vector<uint8_t> before = ReadBytes(input_);
  const int into_input = open(input_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  EXPECT_EQ(Words(Write({{"-", PlanOfFile(input_), into_input}})),
            input_ + ": is an input and would get what is printed; inputs are never changed");
  close(into_input);
  EXPECT_EQ(ReadBytes(input_), before);
}

// Of a table, a part of the input and another table.
PlannedFile TablesAround(const std::shared_ptr<const Source>& input, uint32_t seed, size_t table = 100) {
  PlannedFile plan;
  plan.Append(MakeMemorySource("tables", Pattern(table, seed)), {0, table});
  plan.Append(input, {50, kLongBytes});
  plan.AppendZeros(100);
  plan.Append(MakeMemorySource("tables", Pattern(100, seed + 1)), {0, 100});
  return plan;
}

TEST_F(WriteFilesTest, WhatWasForetoldIsSettledWhileItIsWritten) {
  const auto input = *OpenFileSource(input_);
  const PlannedFile foretold = TablesAround(input, 1), longer = TablesAround(input, 3, 200);
  PlannedFile moved = TablesAround(input, 5, 50);
  moved.AppendZeros(50);
  for (const PlannedFile& settled : {TablesAround(input, 1), TablesAround(input, 3), longer, moved}) {
    for (const auto& [plain, hash] : {std::pair(false, false), std::pair(true, false), std::pair(false, true)}) {
      UseOnlyPlainPosix(plain);
      WriteOptions options{/*replace=*/true, hash, {}};
      options.settle = [&] { return std::vector<Output>{{first_, settled}, {second_, PlanOfFile(input_)}}; };
      const auto written = Write({{first_, foretold}, {second_, PlanOfFile(input_)}}, options);
      ASSERT_TRUE(written) << Words(written);
      EXPECT_EQ(ReadBytes(first_), BytesOf(settled));
      EXPECT_EQ(ReadBytes(second_), ReadBytes(input_));
      EXPECT_EQ(written->front().bytes, settled.size());
      const std::vector<uint8_t> bytes = BytesOf(settled);
      EXPECT_EQ(written->front().sha256, hash ? Sha256Of(ByteSpan{bytes.data(), bytes.size()}).Hex() : "");
    }
  }
  EXPECT_EQ(folder_.Names(), (Names{"first.pte", "in.pte", "second.pte"}));
}

TEST_F(WriteFilesTest, OtherOutputsThanWereForetoldAreCheckedAndWritten) {
  WriteOptions options;
  options.settle = [&] { return std::vector<Output>{{second_, PlanOfFile(input_)}}; };
  ASSERT_TRUE(Write({{first_, PlanOfFile(input_)}, {second_, PlanOfFile(input_)}}, options));
  EXPECT_EQ(folder_.Names(), (Names{"in.pte", "second.pte"}));
  EXPECT_EQ(Words(Write({{first_, PlanOfFile(input_)}}, options)), second_ + ": the output exists already");
  EXPECT_EQ(folder_.Names(), (Names{"in.pte", "second.pte"}));
}

TEST_F(WriteFilesTest, WhatCannotBeSettledLeavesNothing) {
  WriteOptions options;
  options.settle = []() -> Result<std::vector<Output>> { return Malformed("is damaged"); };
  EXPECT_EQ(Words(Write({{first_, PlanOfFile(input_)}}, options)), "is damaged");
  options.settle = [&] { return std::vector<Output>{{first_, PlanOfFile(input_)}}; };
  options.progress = [](uint64_t done, uint64_t) { return done == 0; };
  EXPECT_EQ(Words(Write({{first_, PlanOfFile(input_)}}, options)), "stopped; nothing was written");
  EXPECT_EQ(folder_.Names(), Names{"in.pte"});
}

TEST_F(WriteFilesTest, ProgressTellsAllBytes) {
  WriteOptions options;
  std::vector<std::pair<uint64_t, uint64_t>> calls;
  options.progress = [&](uint64_t done, uint64_t total) {
    calls.push_back({done, total});
    return true;
  };
  const PlannedFile plan = PlanOfFile(input_);
  ASSERT_TRUE(Write({{first_, plan}, {second_, plan}}, options));
  ASSERT_FALSE(calls.empty());
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
  EXPECT_EQ(calls.back(), std::pair(2 * plan.size(), 2 * plan.size()));
}

TEST_F(WriteFilesTest, ProgressThatSaysStopLeavesNothing) {
  WriteOptions options;
  const uint64_t size = PlanOfFile(input_).size();
  options.progress = [&](uint64_t done, uint64_t) { return done <= size; };
  const auto written = Write({{first_, PlanOfFile(input_)}, {second_, PlanOfFile(input_)}}, options);
  EXPECT_EQ(Words(written), "stopped; nothing was written");
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_EQ(folder_.Names(), Names{"in.pte"});
}

// Needs the right to mount; skipped elsewhere.
class SmallDiskTest : public WriteFilesTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(disk_);
    mounted_ = mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!mounted_) GTEST_SKIP() << "cannot mount a small disk";
  }
  ~SmallDiskTest() override {
    if (mounted_) umount(disk_.c_str());
  }
  const std::string disk_ = folder_ / "disk";
  bool mounted_ = false;
};

TEST_F(SmallDiskTest, LackOfSpaceIsFoundOutFirst) {
  bool begun = false;
  WriteOptions options;
  options.progress = [&](uint64_t, uint64_t) { return begun = true; };
  const PlannedFile half = PlanOfBytes(ProgramWith(600 << 10, 2));
  const auto written = Write({{disk_ + "/a.pte", half}, {disk_ + "/b.pte", half}}, options);
  EXPECT_EQ(Words(written), disk_ + ": needs " + std::to_string(2 * half.size()) + " bytes, only 1048576 are free");
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_FALSE(begun);
  EXPECT_TRUE(std::filesystem::is_empty(disk_));
}

TEST_F(SmallDiskTest, DiskThatFillsUpMeanwhileLeavesNothing) {
  for (const bool plain : {false, true}) {
    UseOnlyPlainPosix(plain);
    const PlannedFile half = PlanOfBytes(ProgramWith(500 << 10, 2));
    WriteOptions options;
    options.progress = [&](uint64_t done, uint64_t) {
      if (done == half.size()) WriteBytes(disk_ + "/other", std::vector<uint8_t>(400 << 10));
      return true;
    };
    const auto written = Write({{disk_ + "/a.pte", half}, {disk_ + "/b.pte", half}}, options);
    EXPECT_EQ(Words(written), disk_ + "/b.pte: cannot write: No space left on device");
    std::filesystem::remove(disk_ + "/other");
    EXPECT_TRUE(std::filesystem::is_empty(disk_));
  }
}

TEST_F(SmallDiskTest, OtherFileSystemsGetTheSameBytes) {
  WriteBytes(disk_ + "/in.pte", ProgramWith(800 << 10, 3));
  ASSERT_TRUE(Write({{first_, PlanOfFile(disk_ + "/in.pte")}}));
  EXPECT_EQ(ReadBytes(first_), ReadBytes(disk_ + "/in.pte"));
}

TEST_F(WriteFilesTest, DescriptorGetsThePlannedBytes) {
  const int out = open((folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const auto written = Write({{"-", PlanOfFile(input_), out}});
  close(out);
  ASSERT_TRUE(written) << Words(written);
  EXPECT_TRUE(written->empty());
  EXPECT_EQ(ReadBytes(folder_ / "out"), ReadBytes(input_));
}

}  // namespace
}  // namespace pteedit::write_files_test
