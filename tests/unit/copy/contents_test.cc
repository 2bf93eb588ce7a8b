#include "copy/contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "edited_files.h"
#include "io/digest.h"
#include "program_builder.h"
#include "pteedit/copy.h"
#include "pteedit/hashes.h"
#include "pteedit/verify.h"
#include "test_files.h"

namespace pteedit::contents_test {
namespace {

using namespace pteedit::test;

std::shared_ptr<const Source> File(const std::string& name, const std::vector<uint8_t>& bytes) {
  return MakeMemorySource(name, bytes);
}

std::shared_ptr<const Source> Npy(const std::string& header, const std::vector<uint8_t>& elements) {
  std::vector<uint8_t> bytes = TextBytes(std::string("\x93NUMPY\x01\x00", 8));
  bytes.push_back(static_cast<uint8_t>(header.size()));
  bytes.push_back(0);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return File("new.npy", bytes);
}

std::shared_ptr<const Source> Safetensors(const std::string& header, const std::vector<uint8_t>& data) {
  std::vector<uint8_t> bytes(8);
  bytes[0] = static_cast<uint8_t>(header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return File("new.safetensors", bytes);
}

CopyOptions Replacing(const std::string& name, std::shared_ptr<const Source> file) {
  CopyOptions options;
  options.replace = {{name, std::move(file)}};
  return options;
}

std::vector<uint8_t> BytesOf(const Container& file, const std::string& name) {
  const StoredContents contents = *StoredContents::Of(file);
  for (const Content& content : contents.list()) {
    if (std::find(content.names.begin(), content.names.end(), name) == content.names.end()) continue;
    std::vector<uint8_t> bytes(static_cast<size_t>(content.extent.size));
    EXPECT_TRUE(file.source()->Read(content.extent.offset, {bytes.data(), bytes.size()}));
    return bytes;
  }
  ADD_FAILURE() << "no content " << name;
  return {};
}

// Ids and places of all findings.
std::vector<std::string> Verdict(const Container& file) {
  std::vector<std::string> verdict;
  const std::vector<FileFindings> all = *VerifyOpened(file);
  for (const FileFindings& one : all) {
    for (const Finding& finding : one.findings) verdict.push_back(finding.id);
  }
  std::sort(verdict.begin(), verdict.end());
  return verdict;
}

ProgramBuilder Program() {
  ProgramBuilder program;
  program.Method("forward").Constant(Floats({2, 3}), Pattern(24, 1)).State(Floats({4}), Pattern(16, 2));
  program.NamedData("note", Pattern(10, 3));
  return program;
}

const std::string kTwoByThree = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

TEST(Contents, AnArrayTakesThePlaceOfAConstantAndNothingElseChanges) {
  const Container file = Program().Open();
  const std::vector<uint8_t> bytes = Pattern(24, 9);
  const Container with = Copied(file, Replacing("forward.constant_0", Npy(kTwoByThree, bytes)));
  EXPECT_EQ(BytesOf(with, "forward.constant_0"), bytes);
  EXPECT_EQ(with.source()->size(), file.source()->size());
  EXPECT_TRUE(Same(Copied(with, Replacing("forward.constant_0", File("old", Pattern(24, 1)))), file));
}

TEST(Contents, InitialStatesAndKeysGetOtherBytesToo) {
  const Container file = Program().Open();
  EXPECT_EQ(BytesOf(Copied(file, Replacing("forward.mutable_0", File("f", Pattern(16, 9)))), "forward.mutable_0"),
            Pattern(16, 9));
  EXPECT_EQ(BytesOf(Copied(file, Replacing("note", File("f", Pattern(10, 9)))), "note"), Pattern(10, 9));
}

TEST(Contents, ArraysAreReorderedAsTheProgramStoresThem) {
  ProgramBuilder program;
  TensorLayout columns = LayoutWith(1, {2, 3});  // int8, columns behind each other
  columns.dim_order = {1, 0};
  program.Method("forward").Constant(columns, {0, 0, 0, 0, 0, 0}).Constant(LayoutWith(1, {2, 3}), {9, 9, 9, 9, 9, 9});
  const Container file = program.Open();
  const std::string rows = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n";
  const std::string fortran = "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n";
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6}, by_columns = {1, 4, 2, 5, 3, 6}, by_rows = {1, 3, 5, 2, 4, 6};
  EXPECT_EQ(BytesOf(Copied(file, Replacing("forward.constant_0", Npy(rows, bytes))), "forward.constant_0"), by_columns);
  EXPECT_EQ(BytesOf(Copied(file, Replacing("forward.constant_0", Npy(fortran, bytes))), "forward.constant_0"), bytes);
  EXPECT_EQ(BytesOf(Copied(file, Replacing("forward.constant_1", Npy(fortran, bytes))), "forward.constant_1"), by_rows);
}

TEST(Contents, WhatDoesNotFitIsRefused) {
  const Container file = Program().Open();
  EXPECT_EQ(WhyNot(file, Replacing("forward.constant_1", File("f", {}))),
            "has no content 'forward.constant_1', did you mean 'forward.constant_0'?");
  EXPECT_EQ(WhyNot(file, Replacing("note", File("f", {1, 2}))), "content 'note' has 10 bytes, f has 2");
  EXPECT_EQ(WhyNot(file, Replacing("note", Npy(kTwoByThree, Pattern(24, 1)))),
            "content 'note' nothing tells its sizes and type");
  const std::string ints = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n";
  EXPECT_EQ(WhyNot(file, Replacing("forward.constant_0", Npy(ints, Pattern(24, 1)))),
            "content 'forward.constant_0' is float32[2,3] and there int32[2,3]");
  const std::string other = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n";
  EXPECT_EQ(WhyNot(file, Replacing("forward.constant_0", Npy(other, Pattern(24, 1)))),
            "content 'forward.constant_0' is float32[2,3] and there float32[3,2]");
  EXPECT_EQ(WhyNot(file, Replacing("forward.constant_0", Npy("{}", {}))),
            "header lacks 'descr', 'fortran_order' or 'shape'");
}

TEST(Contents, AKeyThatTellsItsBytesStaysWhereItsReaderIsElsewhere) {
  const std::string key = "0123456789012345678901234567890123456789.01234567";
  const Container data = DataFileBuilder().Key(key, Pattern(16, 1), Floats({4})).Open();
  EXPECT_EQ(WhyNot(data, Replacing(key, File("f", Pattern(16, 2)))),
            "content '" + key + "' cannot change: its key is the hash of its bytes, and what reads it cannot follow");
  const Container named = DataFileBuilder().Key("w", Pattern(16, 1), Floats({4})).Open();
  EXPECT_EQ(BytesOf(Copied(named, Replacing("w", File("f", Pattern(16, 2)))), "w"), Pattern(16, 2));
}

TEST(Contents, ContentsThatOverlapStay) {
  ProgramBuilder program;
  program.Method("forward").Constant(Floats({4}), Pattern(16, 1));
  program.tables.constant_segment->offsets = test::Offsets({0, 0, 8});
  program.Tensor(2, Floats({2}));
  EXPECT_EQ(WhyNot(program.Open(), Replacing("forward.constant_0", File("f", Pattern(16, 2)))),
            "content 'forward.constant_0' cannot change: it shares some of its bytes with other contents");
}

TEST(Contents, ACheckpointRefitsWhatItHasByNameAndTellsTheRest) {
  const Container data = DataFileBuilder()
                             .Key("a", Pattern(16, 1), Floats({4}))
                             .Key("b", Pattern(16, 2), Floats({4}))
                             .Key("c", Pattern(16, 3), Floats({2, 2}))
                             .Open();
  CopyOptions options;
  options.refit = {Safetensors(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
                               R"("c":{"dtype":"F32","shape":[4],"data_offsets":[16,32]}})",
                               Pattern(32, 7))};
  const Result<CopyResult> copy = Copy(data, options);
  ASSERT_TRUE(copy) << copy.error().message;
  ASSERT_EQ(copy->report.items.size(), 1U);
  EXPECT_EQ(copy->report.items[0].name, "a");
  ASSERT_EQ(copy->report.skipped.size(), 2U);
  EXPECT_EQ(copy->report.skipped[0].reason, "not in new.safetensors");
  EXPECT_EQ(copy->report.skipped[1].reason, "is float32[2,2] and there float32[4]");
  options.refit = {Safetensors("{}", {})};
  EXPECT_EQ(WhyNot(data, options), "no tensor of new.safetensors has name, type and sizes of a content here");
}

TEST(Contents, QuantizedNumbersAreNotRefittedAndItIsSaid) {
  const Container data = DataFileBuilder().Key("q", {1, 2, 3, 4}, LayoutWith(1, {4})).Open();  // int8
  CopyOptions options;
  options.refit = {Safetensors(R"({"q":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", Pattern(16, 7))};
  EXPECT_EQ(WhyNot(data, options),
            "no tensor of new.safetensors has name, type and sizes of a content here: 'q' is int8[4] and there "
            "float32[4]; quantized numbers cannot be replaced by others");
}

// The checkpoint that gave the names gives the forms, too: a transposed weight is transposed again.
TEST(Contents, WeightsThatAreStoredTransposedAreRefittedSo) {
  std::vector<uint8_t> bytes(12 * 12), stored(12 * 12), fresh(12 * 12), expected(12 * 12);
  for (size_t i = 0; i < 12; ++i) {
    for (size_t j = 0; j < 12; ++j) {
      bytes[i * 12 + j] = stored[j * 12 + i] = static_cast<uint8_t>(i * 12 + j);
      fresh[i * 12 + j] = expected[j * 12 + i] = static_cast<uint8_t>(200 - i * 12 - j);
    }
  }
  ProgramBuilder program;
  program.Method("forward").Constant(LayoutWith(1, {12, 12}), stored);
  CopyOptions options;
  options.names = {{"fc.weight", bytes.size(), {}, {12, 12}, File("old", bytes)}};
  options.refit = {Safetensors(R"({"fc.weight":{"dtype":"I8","shape":[12,12],"data_offsets":[0,144]}})", fresh)};
  EXPECT_EQ(BytesOf(Copied(program.Open(), options), "forward.constant_0"), expected);
}

// And the type: a bfloat16 checkpoint stays one for float32 weights.
TEST(Contents, WeightsThatAreStoredInAnotherTypeAreRefittedSo) {
  std::vector<uint8_t> bytes, stored, fresh, expected;
  for (uint8_t i = 0; i < 32; ++i) {
    bytes.insert(bytes.end(), {i, 0x3F});
    stored.insert(stored.end(), {0, 0, i, 0x3F});
    fresh.insert(fresh.end(), {i, 0x40});
    expected.insert(expected.end(), {0, 0, i, 0x40});
  }
  ProgramBuilder program;
  program.Method("forward").Constant(Floats({32}), stored);
  CopyOptions options;
  options.names = {{"norm.weight", bytes.size(), {}, {32}, File("old", bytes), "bfloat16"}};
  options.refit = {Safetensors(R"({"norm.weight":{"dtype":"BF16","shape":[32],"data_offsets":[0,64]}})", fresh)};
  EXPECT_EQ(BytesOf(Copied(program.Open(), options), "forward.constant_0"), expected);
  options.refit = {Safetensors(R"({"norm.weight":{"dtype":"F16","shape":[32],"data_offsets":[0,64]}})", fresh)};
  const Result<CopyResult> copy = Copy(program.Open(), options);
  ASSERT_FALSE(copy);
  EXPECT_EQ(
      copy.error().message,
      "no tensor of new.safetensors has name, type and sizes of a content here: 'norm.weight' has another type, other "
      "sizes or bytes than the tensor that named it");
}

TEST(Contents, KeysThatAreHashesFollowTheirBytesInGraphsToo) {
  CopyOptions zeros, random;
  zeros.splat = Splat{};
  random.splat = Splat{7};
  for (const char* name : {"f03_mlp_xnn.pte", "f06/xnn.pte", "f06/mixed.pte", "f12/8da4w_xnn.pte", "f17/vulkan.pte"}) {
    const Container file = OpenFile(DataPath(name));
    for (const CopyOptions& options : {zeros, random}) {
      const Container splat = Copied(file, options);
      EXPECT_EQ(Verdict(splat), Verdict(file)) << name;
      EXPECT_TRUE(*FindDifference(splat, file)) << name;  // keys or contents
    }
  }
}

TEST(Contents, SplatLeavesZerosWhereItSaysThatWeightsAreGone) {
  CopyOptions options;
  options.splat = Splat{};
  size_t checked = 0;
  for (const std::string& path : AllModelFiles()) {
    const Container file = OpenFile(path);
    if (file.kind() == FileKind::kBundle) continue;
    const Result<CopyResult> copy = Copy(file, options);
    if (!copy) {
      EXPECT_EQ(copy.error().code, ErrorCode::kUnsupported) << path << ": " << copy.error().message;
      continue;
    }
    std::set<std::string> gone;
    for (const MovedItem& item : copy->report.items) gone.insert(item.name);
    const Container splat = *Container::Open(copy->file.AsSource(path));
    const StoredContents contents = *StoredContents::Of(splat);
    for (const Content& content : contents.list()) {
      if (!content.key.empty() || content.names.empty() || gone.count(content.names.front()) == 0) continue;
      const std::vector<uint8_t> bytes = BytesOf(splat, content.names.front());
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), static_cast<ptrdiff_t>(bytes.size())) << path;
      ++checked;
    }
  }
  EXPECT_GT(checked, 400U);
}

}  // namespace
}  // namespace pteedit::contents_test
