// Data back into the program: the inverse of a split, and of what the exporter separates.
#include <gtest/gtest.h>

#include <algorithm>

#include "program/content_key.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program_builder.h"
#include "split_files.h"

namespace pteedit::join_test {
namespace {

using namespace pteedit::test;
using FileSet = test::FileSet;  // not that of program/file_set.h

FileSet Open(const char* program, const std::vector<const char*>& data) {
  FileSet files{OpenFile(DataPath(program)), {}};
  for (const char* name : data) files.data.push_back(OpenFile(DataPath(name)));
  return files;
}

Names ConstantNames(const Container& program) {
  Names names;
  for (const Constant& constant : CollectConstants(program)) names.push_back(constant.name);
  return names;
}

void ExpectNothingExternal(const Container& program) {
  const schema::Program& root = program.state().program_root();
  ForEachTensor(
      root, [&](size_t, size_t, const schema::Tensor& tensor) { EXPECT_NE(StoreOf(root, tensor), Store::kExternal); });
}

bool IsOfADelegate(const FileSet& files, const std::string& key) {
  return std::any_of(files.data.begin(), files.data.end(), [&](const Container& file) {
    const NamedEntry* entry = FindKey(file, key);
    return entry != nullptr && !entry->layout;
  });
}

TEST(Join, UndoesEverySplit) {
  for (const std::string& path : AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container before = OpenFile(path);
    if (before.kind() == FileKind::kData || !SplitProgram(before, SplitEverything())) continue;
    const SplitFiles split = Split(before, {}, SplitEverything());
    const Container after = Joined(split.files);
    ExpectSameModel({before, {}}, {after, {}});
    EXPECT_EQ(NamedBytes(before), NamedBytes(after));
    const Container& inner = after.program() != nullptr ? *after.program() : after;
    ExpectNothingExternal(inner);
  }
}

TEST(Join, IsForetoldToTheByte) {
  for (const std::string& path : AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container before = OpenFile(path);
    if (before.kind() == FileKind::kData || !SplitProgram(before, SplitEverything())) continue;
    const SplitFiles split = Split(before, {}, SplitEverything());
    JoinOptions options;
    const Result<JoinResult> joined = JoinProgram({split.files.program, split.files.data}, options);
    options.foretell = true;
    const Result<JoinResult> foretold = JoinProgram({split.files.program, split.files.data}, options);
    ASSERT_TRUE(joined && foretold);
    EXPECT_TRUE(BytesOf(joined->program) == BytesOf(foretold->program));
  }
}

TEST(Join, ConstantsGoBackToTheConstantSegment) {
  const Container before = OpenFile(DataPath("f06/mixed.pte"));
  const Container after = Joined(Split(before).files);
  const schema::Program& root = after.state().program_root();
  EXPECT_EQ(root.constant_segment()->offsets()->size(),
            before.state().program_root().constant_segment()->offsets()->size());
  for (const std::string& key : KeysOf(after)) EXPECT_FALSE(IsContentKey(key));
  ForEachTensor(root,
                [&](size_t, size_t, const schema::Tensor& tensor) { EXPECT_EQ(tensor.extra_tensor_info(), nullptr); });
}

TEST(Join, KeepsTheNamesThatTheExporterGave) {
  const FileSet files = Open("f04/linear.pte", {"f04/_default_external_constant.ptd"});
  const Container after = Joined(files);
  Names names = ConstantNames(after), keys = KeysOf(files.data[0]);
  std::sort(names.begin(), names.end());
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(names, keys);
  EXPECT_TRUE(after.named_data().empty());
}

TEST(Join, WholeLoraFamilyOfTheExporter) {
  const Container portable =
      Joined(Open("f08/c_portable_v0.pte", {"f08/c_portable_v0_foundation.ptd", "f08/c_portable_v0_lora.ptd"}));
  ExpectNothingExternal(portable);
  EXPECT_TRUE(portable.named_data().empty());
  const FileSet xnn = Open("f08/c_xnn_v0.pte", {"f08/c_xnn_v0_foundation.ptd", "f08/c_xnn_v0_lora.ptd"});
  auto keys = AllKeys(xnn);
  std::erase_if(keys, [&](const auto& key) { return !IsOfADelegate(xnn, key.first); });
  EXPECT_FALSE(keys.empty());
  EXPECT_TRUE(NamedBytes(Joined(xnn)) == keys);
}

TEST(Join, SeveralFilesInAnyOrderAreTheSameModel) {
  const Container one = Joined(Open("f04/mlp_two.pte", {"f04/even.ptd", "f04/odd.ptd"}));
  const Container other = Joined(Open("f04/mlp_two.pte", {"f04/odd.ptd", "f04/even.ptd"}));
  EXPECT_TRUE(BytesOf(one) == BytesOf(other));
}

TEST(Join, StatesGoBackToMutableData) {
  const FileSet files = Open("f09/kv_init_names_ext.pte", {"f09/kvx__default_external_constant.ptd"});
  const Container after = Joined(files);
  const schema::Program& root = after.state().program_root();
  ASSERT_NE(root.mutable_data_segments(), nullptr);
  EXPECT_EQ(root.mutable_data_segments()->size(), 1U);
  const SplitFiles split = Split(OpenFile(DataPath("f09/kv_init.pte")), {}, SplitEverything());
  EXPECT_EQ(Joined(split.files).state().program_root().mutable_data_segments()->size(), 1U);
}

TEST(Join, StatesJoinThoseThatAreInsideAlready) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1)).External("state", Floats({4}), true);
  program.TensorAt(1).extra_tensor_info->mutable_data_segments_idx = 7;  // means nothing outside
  const Container data = DataFileBuilder().Key("state", Pattern(16, 2), Floats({4})).Open();
  const Container after = Joined({program.Open(), {data}});
  EXPECT_EQ(after.state().program_root().mutable_data_segments()->Get(0)->offsets()->size(), 3U);
  EXPECT_EQ(ConstantNames(after), (Names{"forward.mutable_0", "state"}));
}

TEST(Join, PartsOfMutableDataWithoutOffsetsDoNotHurt) {
  ProgramBuilder program;
  program.External("state", Floats({4}), true);
  program.tables.mutable_data_segments = {true, {{99999, {}}}};  // the index means nothing
  Joined({program.Open(), {DataFileBuilder().Key("state", Pattern(16, 2), Floats({4})).Open()}});
}

TEST(Join, OthersThatUseTheConstantSegmentKeepTheirBytes) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).External("w", Floats({4}));
  program.tables.named_data = {true, {{tables::OwnText("same segment"), 0}}};
  const Container after = Joined({program.Open(), {DataFileBuilder().Key("w", Pattern(16, 2), Floats({4})).Open()}});
  EXPECT_EQ(NamedBytes(after)["same segment"], Pattern(16, 1));
}

TEST(Join, InlineConstantsGoBackInline) {
  const Container before = OpenFile(DataPath("old/0.1_inline.pte"));
  const Container after = Joined(Split(before).files);
  EXPECT_FALSE(after.header().has_extended_header);
  EXPECT_EQ(after.state().program_root().constant_buffer()->size(),
            before.state().program_root().constant_buffer()->size());
}

TEST(Join, ProgramWithoutAnyStoreGetsAConstantSegment) {
  ProgramBuilder program;
  program.External("w", Floats({4}));
  program.tables.constant_segment.reset();
  const Container after = Joined({program.Open(), {DataFileBuilder().Key("w", Pattern(16, 2), Floats({4})).Open()}});
  EXPECT_EQ(after.state().program_root().constant_segment()->offsets()->size(), 2U);
}

TEST(Join, TensorsOfOneSegmentShareABuffer) {
  const FileSet files = Open("f12/tied_ext.pte", {"f12/tied__default_external_constant.ptd"});
  const Container after = Joined(files);
  const auto& offsets = *after.state().program_root().constant_segment()->offsets();
  EXPECT_LT(offsets.size(), files.data[0].named_data().size() + 1);
}

TEST(Join, ConstantsWithoutElementsHaveBuffersOfTheirOwn) {
  ProgramBuilder program;
  program.External("a", Floats({0})).External("b", Floats({0})).External("a", Floats({0}));
  const Container data = DataFileBuilder().Key("a", {}, Floats({0})).Key("b", {}, Floats({0})).Open();
  const Container after = Joined({program.Open(), {data}});
  EXPECT_EQ(after.state().program_root().constant_segment()->offsets()->size(), 3U);
}

TEST(Join, KeysThatNothingRefersToStayInTheirDataFile) {
  ProgramBuilder program;
  program.External("w", Floats({4})).Delegate("A", TextBytes("needs blob and both"));
  program.External("both", Floats({4}));
  DataFileBuilder data;
  data.Key("w", Pattern(16, 1), Floats({4})).Key("blob", Pattern(9, 2)).Key("app", Pattern(9, 3));
  const std::string hash(64, 'a');
  data.Key("both", Pattern(16, 4), Floats({4})).Key("spare", Pattern(16, 5), Floats({4})).Key(hash, {1});
  const auto result = JoinProgram({program.Open("m.pte"), {data.Open("d.ptd")}}, {});
  ASSERT_TRUE(result) << Words(result);
  EXPECT_EQ(KeysOf(Opened(result->program)), (Names{"blob", "app", "both"}));  // A may ask for app unseen
  EXPECT_EQ(NamesOf(result->report.items), (Names{"w", "both", "blob", "app", "both"}));
  EXPECT_EQ(ReasonsOf(result->report), (Names{"spare: nothing in the program refers to it; it stays in d.ptd",
                                              hash + ": nothing in the program refers to it; it stays in d.ptd"}));
  EXPECT_EQ(result->report.notes, Names{"key 'both' loses its layout: programs have none for named data"});
  EXPECT_EQ(result->report.items[0].from, "d.ptd");
  EXPECT_EQ(result->report.items[0].to, "program");
  EXPECT_EQ(result->report.items[0].what, "constant");
  EXPECT_EQ(result->report.data_files, 0U);
  EXPECT_EQ(result->report.min_runtime, "0.6");
}

TEST(Join, KeysOnOneSegmentShareItInside) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("a b"));
  DataFileBuilder data;
  data.Key("a", Pattern(100, 1));
  data.tables.named_data.items.push_back({tables::OwnText("b"), 0, {}});
  const Container after = Joined({program.Open(), {data.Open()}});
  EXPECT_EQ(after.named_data()[0].segment_index, after.named_data()[1].segment_index);
}

TEST(Join, KeyThatIsInsideAlreadyIsNotRepeated) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("a")).NamedData("a", Pattern(100, 1));
  const Container after = Joined({program.Open(), {DataFileBuilder().Key("a", Pattern(100, 1)).Key("b", {1}).Open()}});
  EXPECT_EQ(KeysOf(after), (Names{"a", "b"}));
}

TEST(Join, SegmentsKeepTheAlignmentOfTheDataFile) {
  const FileSet files = Open("f14/ext_seg4096.pte", {"f14/seg4096__default_external_constant.ptd"});
  const Container after = Joined(files);
  for (const Constant& constant : CollectConstants(after)) EXPECT_EQ(constant.extent.offset % 4096, 0U);
}

TEST(Join, DataFileOf06) {
  const FileSet files = Open("old/0.6.0_lin_ext.pte", {"old/0.6.0_lin_ext__default_external_constant.ptd"});
  const Container after = Joined(files);
  ExpectNothingExternal(after);
  EXPECT_EQ(ConstantNames(after).size(), files.data[0].named_data().size());
}

TEST(Join, ABundleKeepsItsTestCases) {
  const Container before = OpenFile(DataPath("f11_bundled_portable.bpte"));
  const Container after = Joined(Split(before).files);
  EXPECT_EQ(after.kind(), FileKind::kBundle);
  EXPECT_TRUE(TestCasesText(before) == TestCasesText(after));
}

TEST(Join, NothingToJoinIsACopy) {
  const Container program = OpenFile(DataPath("f06/mixed.pte"));
  const auto result = JoinProgram(program, {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(BytesOf(result->program) == BytesOf(program));
  EXPECT_TRUE(result->report.items.empty());
}

TEST(Join, MinimalAlignmentHolds) {
  JoinOptions options;
  options.min_alignment = 1024;
  const Container after = Joined(Open("f04/linear.pte", {"f04/_default_external_constant.ptd"}), options);
  for (const Constant& constant : CollectConstants(after)) EXPECT_EQ(constant.extent.offset % 1024, 0U);
}

void ExpectRefused(const FileSet& files, const std::string& words, ErrorCode code) {
  const auto result = JoinProgram({files.program, files.data}, {});
  EXPECT_EQ(Words(result), words);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, code);
}

TEST(Join, APlaceholderWithoutASegmentGetsOne) {
  ProgramBuilder program;
  program.External("w", Floats({4})).External("s", Floats({4}), true);
  program.tables.constant_segment->segment_index = 9;
  program.tables.mutable_data_segments = {true, {{7, Offsets({0})}}};
  DataFileBuilder data;
  data.Key("w", Pattern(16, 1), Floats({4})).Key("s", Pattern(16, 2), Floats({4}));
  const Container after = Joined({program.Open(), {data.Open()}});
  EXPECT_EQ(ConstantNames(after), (Names{"w", "s"}));
  const schema::Program& root = after.state().program_root();
  EXPECT_LT(root.constant_segment()->segment_index(), after.segments().size());
  EXPECT_LT(root.mutable_data_segments()->Get(0)->segment_index(), after.segments().size());
}

TEST(Join, RefusesAContentKeyWithOtherBytes) {
  const std::vector<uint8_t> right = Pattern(16, 1);
  const std::string key = KeyOf(right, Floats({4}));
  ProgramBuilder program;
  program.External(key, Floats({4}));
  EXPECT_TRUE(JoinProgram({program.Open(), {DataFileBuilder().Key(key, right, Floats({4})).Open()}}, {}));
  const std::string other = KeyOf(Pattern(16, 2), Floats({4}));
  ExpectRefused({program.Open("m.pte"), {DataFileBuilder().Key(key, Pattern(16, 2), Floats({4})).Open("d.ptd")}},
                "d.ptd: key '" + key + "' promises other bytes than it has, whose key is '" + other + "'",
                ErrorCode::kMalformed);
}

TEST(Join, RefusesAHashOfXnnpackWithOtherBytes) {
  const FileSet split = Split(OpenFile(DataPath("f03_mlp_xnn.pte"))).files;
  EXPECT_TRUE(JoinProgram({split.program, split.data}, {}));
  std::vector<uint8_t> bytes = BytesOf(split.data[0]);
  bytes.back() ^= 1;
  const auto data = Container::Open(MakeMemorySource("d.ptd", bytes));
  ASSERT_TRUE(data);
  const auto result = JoinProgram({split.program, {*data}}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(Words(result).substr(0, 12), "d.ptd: key '");
  EXPECT_NE(Words(result).find("promises other bytes than it has"), std::string::npos);
}

// Whose keys are made of something else, or of nothing.
TEST(Join, AsksNothingOfKeysThatPromiseNothing) {
  const std::string hash(64, 'a');
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("needs " + hash));
  EXPECT_TRUE(JoinProgram({program.Open(), {DataFileBuilder().Key(hash, {1, 2}).Open()}}, {}));
}

TEST(Join, RefusesADataFileAsProgram) {
  ExpectRefused({DataFileBuilder().Key("k", {1}).Open("a.ptd"), {}}, "a.ptd: is a data file, a program expected",
                ErrorCode::kInvalidArgument);
}

TEST(Join, RefusesAKeyInTwoFiles) {
  const Container program = ProgramBuilder().Open();
  ExpectRefused(
      {program, {DataFileBuilder().Key("k", {1}).Open("a.ptd"), DataFileBuilder().Key("k", {1}).Open("b.ptd")}},
      "b.ptd: key 'k' also exists in a.ptd; the runtime refuses such files together", ErrorCode::kMalformed);
}

TEST(Join, RefusesAnotherLayout) {
  ExpectRefused({ProgramBuilder().External("w", Floats({4})).Open("m.pte"),
                 {DataFileBuilder().Key("w", Pattern(16, 1), Floats({2, 2})).Open("a.ptd")}},
                "a.ptd: key 'w' has another element type, size or dim order than in m.pte", ErrorCode::kMalformed);
}

TEST(Join, RefusesMissingKeys) {
  ExpectRefused(
      {ProgramBuilder().External("w", Floats({4})).Open("m.pte"), {DataFileBuilder().Key("v", {1}).Open("a.ptd")}},
      "m.pte: needs key 'w' from a data file, and none of the given has it", ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pteedit::join_test
