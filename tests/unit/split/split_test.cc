// What every split holds, on real programs and on small ones made for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "colliding_contents.h"
#include "counted_source.h"
#include "edit/model.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program_builder.h"
#include "split_files.h"
#include "verify/check_inputs.h"

namespace pteedit::split_test {
namespace {

using namespace pteedit::test;

// Real programs that need no data file, so that each can be split by itself.
std::vector<std::string> WholePrograms() {
  std::vector<std::string> files;
  for (const std::string& path : AllModelFiles()) {
    const Container file = OpenFile(path);
    if (file.kind() == FileKind::kData) continue;
    const Container& program = file.program() != nullptr ? *file.program() : file;
    if (MethodsText(program).empty()) continue;
    if (CheckInputs(program)) files.push_back(path);
  }
  return files;
}

// To bind, a data file gets an entry more, and is hashed.
SplitOptions Unbound() {
  SplitOptions options;
  options.bind = Bind::kNever;
  return options;
}

TEST(Split, KeepsTheModelOfEveryFile) {
  size_t with_data = 0;
  for (const std::string& path : WholePrograms()) {
    SCOPED_TRACE(path);
    const SplitFiles split = Split(OpenFile(path), {}, SplitEverything());
    with_data += split.has_data() ? 1 : 0;
    EXPECT_EQ(split.has_data(), !split.result.report.items.empty());
  }
  EXPECT_GT(with_data, 50U);
}

std::vector<uint64_t> SizesOf(const SplitResult& split) {
  std::vector<uint64_t> sizes{split.program.size()};
  for (const PlannedFile& file : split.data) sizes.push_back(file.size());
  return sizes;
}

TEST(Split, IsForetoldToTheByte) {
  for (const std::string& path : WholePrograms()) {
    SCOPED_TRACE(path);
    const Container file = OpenFile(path);
    SplitOptions options = SplitEverything();
    const Result<SplitResult> split = SplitProgram(file, options);
    options.foretell = true;
    const Result<SplitResult> foretold = SplitProgram(file, options);
    ASSERT_EQ(foretold.has_value(), split.has_value());
    if (!split) continue;
    EXPECT_EQ(SizesOf(*foretold), SizesOf(*split));
  }
}

TEST(Split, NothingToMoveWritesNoDataFile) {
  for (const char* name :
       {"f01_add.pte", "f14/noweights_segments.pte", "f14/noweights_nosegments.pte", "f17/opaque.pte"}) {
    const Container file = OpenFile(DataPath(name));
    const SplitFiles split = Split(file);
    EXPECT_FALSE(split.has_data()) << name;
    EXPECT_EQ(BytesOf(split.result.program), BytesOf(file)) << name;
    EXPECT_TRUE(split.result.report.items.empty()) << name;
    EXPECT_EQ(split.result.report.data_files, 0U) << name;
  }
}

TEST(Split, ExternalTensorsHaveBufferZero) {
  for (const std::string& path : WholePrograms()) {
    const SplitFiles split = Split(OpenFile(path), {}, SplitEverything());
    const schema::Program& root = split.files.inner().state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      EXPECT_TRUE(StoreOf(root, tensor) != Store::kExternal || tensor.data_buffer_idx() == 0) << path;
    });
  }
}

TEST(Split, EntriesHaveTheLayoutOfTheirTensors) {
  for (const std::string& path : WholePrograms()) {
    SCOPED_TRACE(path);
    const SplitFiles split = Split(OpenFile(path), {}, SplitEverything());
    const schema::Program& root = split.files.inner().state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) != Store::kExternal) return;
      const NamedEntry* entry = FindKey(split.data(), ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
      ASSERT_NE(entry, nullptr);
      ASSERT_TRUE(entry->layout);
      EXPECT_EQ(*entry->layout, LayoutOf(tensor));
    });
  }
}

TEST(Split, SegmentsAreAsLongAsEveryTensorThatReadsThem) {
  ProgramBuilder program;
  const uint32_t buffer = program.AddBuffer(Pattern(64, 1));
  program.Tensor(buffer, Floats({2}))
      .Tensor(buffer, Floats({16}))
      .Tensor(buffer, Floats({4, 4}))
      .Tensor(buffer, Floats({0}));
  const SplitFiles split = Split(program.Open());
  ASSERT_EQ(KeysOf(split.data()).size(), 4U);
  for (const NamedEntry& entry : split.data().named_data()) EXPECT_EQ(entry.extent.size, *ByteSize(*entry.layout));
  EXPECT_EQ(split.data().segments().size(), 3U);  // of 8, 64 and 0 bytes
}

// A delegate that mentions all keys of the program.
ProgramBuilder WithKeys(const std::vector<std::pair<std::string, std::vector<uint8_t>>>& keys) {
  ProgramBuilder program;
  program.Method("forward");
  std::string blob;
  for (const auto& [key, bytes] : keys) {
    program.NamedData(key, bytes);
    blob += key + " ";
  }
  program.Delegate("A", TextBytes(blob));
  return program;
}

TEST(Split, OfKeysOnlyTheBeginningsAreReadUnlessTheyAreEqual) {
  constexpr size_t kBytes = 300000;
  const ProgramBuilder program = WithKeys({{"alone", Pattern(kBytes + 1, 1)},
                                           {"unlike", Pattern(kBytes, 2)},
                                           {"twin", Pattern(kBytes, 3)},
                                           {"other twin", Pattern(kBytes, 3)}});
  const CountedSource file(program.Bytes());
  const Result<Container> opened = Container::Open(file.source());
  ASSERT_TRUE(opened);
  const auto split = SplitProgram(*opened, Unbound());
  ASSERT_TRUE(split) << Words(split);
  EXPECT_EQ(split->report.items.size(), 4U);
  EXPECT_EQ(file.total(FindKey(*opened, "alone")->extent), 0U);
  EXPECT_LE(file.total(FindKey(*opened, "unlike")->extent), 4096U);
  for (const char* key : {"twin", "other twin"}) EXPECT_EQ(file.most(FindKey(*opened, key)->extent), 1) << key;
}

TEST(Split, IsForetoldFromAFewBytes) {
  constexpr size_t kBytes = 300000;
  const std::vector<uint8_t> bytes = Pattern(kBytes, 1);
  std::vector<uint8_t> alike = bytes;
  alike[kBytes / 4] ^= 1;  // not where it is looked at
  ProgramBuilder program = WithKeys({{"name", Pattern(kBytes, 2)}});
  for (const std::vector<uint8_t>& one : {bytes, Pattern(kBytes, 2), alike})
    program.Constant(Floats({kBytes / 4}), one);
  const CountedSource file(program.Bytes());
  const Result<Container> opened = Container::Open(file.source());
  ASSERT_TRUE(opened);
  SplitOptions options;
  options.foretell = true;
  const auto foretold = SplitProgram(*opened, options);
  ASSERT_TRUE(foretold) << Words(foretold);
  EXPECT_LT(file.total(), kBytes / 4);
  EXPECT_TRUE(foretold->foretold);
  const auto split = SplitProgram(*opened, {});
  ASSERT_TRUE(split) << Words(split);
  EXPECT_LT(foretold->data.front().size() + kBytes, split->data.front().size()) << "held equal";
}

TEST(Split, NeedsNoSettlingWhereNothingIsMadeAndNothingLooksAlike) {
  constexpr size_t kBytes = 30000;
  std::vector<uint8_t> alike = Pattern(kBytes, 1);
  alike[kBytes / 4] ^= 1;  // not where it is looked at
  SplitOptions options = Unbound();
  options.foretell = true;
  const Container unlike = WithKeys({{"a", Pattern(kBytes, 1)}, {"b", Pattern(kBytes, 2)}}).Open();
  EXPECT_FALSE(SplitProgram(unlike, options)->foretold);
  EXPECT_TRUE(SplitProgram(WithKeys({{"a", Pattern(kBytes, 1)}, {"b", alike}}).Open(), options)->foretold);
  options.bind = Bind::kAlways;
  EXPECT_TRUE(SplitProgram(unlike, options)->foretold) << "the key that binds";
}

// That a split which is foretold and settled while it is written is written as it is.
void ExpectSettles(const Container& file) {
  SplitOptions options = SplitEverything();
  const Result<SplitResult> split = SplitProgram(file, options);
  options.foretell = true;
  const Result<SplitResult> foretold = SplitProgram(file, options);
  ASSERT_EQ(foretold.has_value(), split.has_value());
  if (!split) return;
  const TemporaryFolder folder;
  const auto outputs = [&](const SplitResult& result) {
    std::vector<Output> all{{folder / "small.pte", result.program}};
    for (size_t i = 0; i < result.data.size(); ++i)
      all.push_back({folder / ("data" + std::to_string(i) + ".ptd"), result.data[i]});
    return all;
  };
  EXPECT_FALSE(split->foretold);
  WriteOptions writing;
  if (foretold->foretold) writing.settle = [&] { return outputs(*split); };
  ASSERT_TRUE(WriteFiles(outputs(*foretold), {}, writing));
  EXPECT_TRUE(ReadBytes(folder / "small.pte") == BytesOf(split->program));
  for (size_t i = 0; i < split->data.size(); ++i)
    EXPECT_TRUE(ReadBytes(folder / ("data" + std::to_string(i) + ".ptd")) == BytesOf(split->data[i]));
}

TEST(Split, ThatWasForetoldIsWrittenAsItIs) {
  for (const std::string& path : WholePrograms()) {
    SCOPED_TRACE(path);
    ExpectSettles(OpenFile(path));
  }
  constexpr size_t kBytes = 300000;  // contents that differ, and look alike
  std::vector<uint8_t> alike = Pattern(kBytes, 1);
  alike[kBytes / 4] ^= 1;
  ProgramBuilder program;
  for (const std::vector<uint8_t>& one : {Pattern(kBytes, 1), alike}) program.Constant(Floats({kBytes / 4}), one);
  ExpectSettles(program.Open());
}

TEST(Split, EqualContentsShareASegmentWhateverTheyAreCalled) {
  ProgramBuilder program = WithKeys({{"a", Pattern(64, 1)}, {"b", Pattern(64, 2)}, {"c", Pattern(64, 1)}});
  program.Constant(Floats({16}), Pattern(64, 2)).Constant(Floats({4, 4}), Pattern(64, 2));
  const SplitFiles split = Split(program.Open(), {}, Unbound());
  const Container& data = split.data();
  ASSERT_EQ(data.named_data().size(), 5U);
  EXPECT_EQ(data.segments().size(), 2U);
  EXPECT_EQ(FindKey(data, "a")->segment_index, FindKey(data, "c")->segment_index);
  EXPECT_EQ(FindKey(data, "b")->segment_index, data.named_data()[0].segment_index);
}

TEST(Split, KeysWhoseContentsXxh3CannotTellApartStayApart) {
  const auto [a, b] = CollidingContents();
  ProgramBuilder program = WithKeys({{"a", a}, {"b", b}});
  program.Constant(Floats({128}), a).Constant(Floats({128}), b);
  const SplitFiles split = Split(program.Open(), {}, Unbound());
  EXPECT_EQ(split.data().segments().size(), 2U);
  EXPECT_NE(FindKey(split.data(), "a")->segment_index, FindKey(split.data(), "b")->segment_index);
}

TEST(Split, NoKeyIsInProgramAndDataFile) {
  for (const std::string& path : WholePrograms()) {
    const SplitFiles split = Split(OpenFile(path), {}, SplitEverything());
    if (!split.has_data()) continue;
    for (const std::string& key : KeysOf(split.data())) EXPECT_EQ(FindKey(split.files.inner(), key), nullptr) << path;
  }
}

TEST(Split, ConstantWhoseKeyNamesOtherDataOfTheProgramStays) {
  const std::string key = ContentKey(*Sha256Of(*MakeMemorySource("s", Pattern(64, 1)), {0, 64}), Floats({16}));
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1))
      .NamedData(key, Pattern(64, 1))
      .Delegate("A", TextBytes("needs " + key));
  for (const bool move_keys : {true, false}) {
    SplitOptions options;
    options.selection.named_data = move_keys;
    const SplitFiles split = Split(program.Open(), {}, options);
    EXPECT_EQ(split.has_data(), move_keys);
    EXPECT_EQ(ReasonsOf(split.result.report)[0],
              "forward.constant_0: its key is also a key of the program's named data");
  }
}

TEST(Split, NewKeysDifferFromThoseOfGivenDataFiles) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> programs = {
      {"f04/linear_partial.pte", {"f04/w.ptd"}},
      {"f05/mlp_xnn_partial.pte", {"f05/partial_w.ptd"}},
      {"f05/mixed.pte", {"f05/mixed_shared.ptd"}},
      {"f09/kv_init_names_ext.pte", {"f09/kvx__default_external_constant.ptd"}}};
  for (const auto& [program, files] : programs) {
    SCOPED_TRACE(program);
    std::vector<Container> data;
    for (const char* file : files) data.push_back(OpenFile(DataPath(file)));
    const SplitFiles split = Split(OpenFile(DataPath(program)), data, SplitEverything());
    if (!split.has_data()) continue;
    for (const std::string& key : KeysOf(split.data())) {
      for (const Container& file : data) EXPECT_EQ(FindKey(file, key), nullptr) << key;
    }
  }
}

TEST(Split, NamedDataStaysAnEmptyVector) {
  for (const char* name : {"f03_mlp_xnn.pte", "f06/xnn.pte", "f14/inline_xnn.pte"}) {
    const SplitFiles split = Split(OpenFile(DataPath(name)));
    const auto* named_data = split.files.program.state().program_root().named_data();
    ASSERT_NE(named_data, nullptr) << name;
    EXPECT_EQ(named_data->size(), 0U) << name;
  }
}

TEST(Split, NamedDataThatWasAbsentStaysAbsent) {
  const SplitFiles split = Split(ProgramBuilder().Constant(Floats({16}), Pattern(64, 1)).Open());
  EXPECT_EQ(split.files.program.state().program_root().named_data(), nullptr);
}

TEST(Split, ConstantSegmentKeepsItsPlaceholder) {
  const SplitFiles split = Split(OpenFile(DataPath("f02_linear.pte")));
  const schema::SubsegmentOffsets& part = *split.files.program.state().program_root().constant_segment();
  ASSERT_EQ(part.offsets()->size(), 1U);
  EXPECT_EQ(part.offsets()->Get(0), 0U);
  EXPECT_EQ(split.files.program.segments()[part.segment_index()].size, 0U);
  EXPECT_FALSE(split.files.program.header().has_extended_header);
}

TEST(Split, EqualBytesOfConstantAndNamedDataMeetInOneSegment) {
  const Container program = OpenFile(DataPath("f06/mixed.pte"));
  const SplitFiles split = Split(program);
  const std::vector<NamedEntry>& entries = split.data().named_data();
  size_t shared = 0;
  for (const NamedEntry& one : entries) {
    for (const NamedEntry& other : entries) {
      const bool meet = one.layout && !other.layout && one.segment_index == other.segment_index;
      shared += meet ? 1 : 0;
    }
  }
  EXPECT_GT(shared, 0U);
  EXPECT_LT(split.data().segments().size(), entries.size());
}

TEST(Split, TiedConstantsHaveAKeyForEachLayoutOnOneSegment) {
  const SplitFiles split = Split(OpenFile(DataPath("f12/tied_portable.pte")));
  const std::vector<NamedEntry>& entries = split.data().named_data();
  std::map<uint32_t, std::vector<TensorLayout>> layouts;
  for (const NamedEntry& entry : entries) layouts[entry.segment_index].push_back(*entry.layout);
  const auto tied = std::find_if(layouts.begin(), layouts.end(), [](const auto& one) { return one.second.size() > 1; });
  ASSERT_NE(tied, layouts.end());
  EXPECT_EQ(tied->second.size(), 3U);  // float32 [6,6], float32 [36], int32 [6,6]
  EXPECT_EQ(layouts.size(), split.data().segments().size());
  EXPECT_EQ(layouts.size() + 2, entries.size());
}

TEST(Split, ConstantsWithoutElementsMove) {
  const SplitFiles split = Split(OpenFile(DataPath("f12/zoo.pte")));
  const auto& entries = split.data().named_data();
  const auto empty =
      std::find_if(entries.begin(), entries.end(), [](const NamedEntry& entry) { return entry.extent.size == 0; });
  ASSERT_NE(empty, entries.end());
  EXPECT_EQ(*empty->layout, Floats({0, 3}));
  const std::string digits(empty->key.substr(0, 40));
  EXPECT_EQ(digits, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4");
}

TEST(Split, KeysAreThoseOfTheSpecification) {  // expected values from Python's hashlib
  std::vector<uint8_t> matrix(160);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<uint8_t>(i);
  ProgramBuilder program;
  program.Constant(Floats({10, 4}), matrix).Constant(Floats({}), {0x00, 0x00, 0x20, 0x40});
  EXPECT_EQ(KeysOf(Split(program.Open()).data()), (Names{"448ebbc9e1a31220a2f3830c18eef61b9bd070e5.48ebca48",
                                                         "072e3304b03423a4767d28c5fed09f81d5190ff6.5e7b924d"}));
}

TEST(Split, KeysOfDelegatesKeepTheirNameAndHaveNoLayout) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("needs weights")).NamedData("weights", Pattern(100, 1));
  const SplitFiles split = Split(program.Open());
  ASSERT_EQ(KeysOf(split.data()), Names{"weights"});
  EXPECT_FALSE(split.data().named_data()[0].layout);
}

TEST(Split, SegmentsKeepTheirAlignment) {
  for (const char* name : {"f14/seg4096_xnn.pte", "f14/seg16k_xnn.pte", "f06/mixed.pte"}) {
    const Container before = OpenFile(DataPath(name));
    const std::vector<uint64_t> alignments = ShownAlignments(before);
    const SplitFiles split = Split(before);
    for (const NamedEntry& entry : before.named_data()) {
      const NamedEntry* moved = FindKey(split.data(), entry.key);
      ASSERT_NE(moved, nullptr) << name;
      EXPECT_EQ(moved->extent.offset % alignments[entry.segment_index], 0U) << name;
    }
  }
}

TEST(Split, ConstantsKeepTheAlignmentThatAllInTheirSegmentHave) {
  ProgramBuilder program;
  program.segments.alignment = 4096;
  program.Constant(Floats({16}), Pattern(64, 1))
      .Constant(Floats({32}), Pattern(128, 2))
      .Constant(Floats({1}), Pattern(4, 3));
  const SplitFiles split = Split(program.Open());
  for (const NamedEntry& entry : split.data().named_data()) EXPECT_EQ(entry.extent.offset % 64, 0U);
}

TEST(Split, MinimalAlignmentHoldsInBothFiles) {
  SplitOptions options;
  options.min_alignment = 4096;
  options.selection.constants = false;
  const SplitFiles split = Split(OpenFile(DataPath("f06/mixed.pte")), {}, options);
  for (const Container* file : {&split.files.program, &split.data()}) {
    for (const Extent& segment : file->segments()) EXPECT_TRUE(segment.size == 0 || segment.offset % 4096 == 0);
  }
}

TEST(Split, RefusesADataFile) {
  const auto result = SplitProgram(DataFileBuilder().Key("k", {1}).Open("a.ptd"), {});
  EXPECT_EQ(Words(result), "a.ptd: is a data file, a program expected");
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
}

TEST(Split, RefusesWhatCannotBeRewritten) {
  const Container program = ProgramBuilder().NamedData("k", {1}).NamedData("k", {1}).Open("m.pte");
  EXPECT_EQ(Words(SplitProgram(program, {})), "m.pte: key 'k' occurs twice");
}

TEST(Split, TellsAboutTrailingBytes) {
  std::vector<uint8_t> bytes = ProgramBuilder().Constant(Floats({16}), Pattern(64, 1)).Bytes();
  bytes.resize(bytes.size() + 5);
  const SplitFiles split = Split(*OpenBytes(bytes));
  EXPECT_EQ(split.result.report.notes,
            Names{"5 bytes behind the last segment of test.pte belong to nothing and are left out"});
}

TEST(Split, IsTheSameWithAnyNumberOfThreads) {
  for (const char* name : {"f07/gpt_basic.pte", "f06/mixed.pte", "f12/zoo.pte"}) {
    const Container program = OpenFile(DataPath(name));
    const SplitFiles one = Split(program);
    SplitOptions options;
    options.threads = 8;
    const SplitFiles eight = Split(program, {}, options);
    EXPECT_TRUE(BytesOf(one.result.program) == BytesOf(eight.result.program)) << name;
    EXPECT_TRUE(BytesOf(one.result.data.front()) == BytesOf(eight.result.data.front())) << name;
  }
}

TEST(Split, ABundleKeepsItsTestCases) {
  for (const char* name : {"f11_bundled_portable.bpte", "f11_bundled_xnn.bpte"}) {
    const Container bundle = OpenFile(DataPath(name));
    const SplitFiles split = Split(bundle);
    EXPECT_TRUE(split.has_data()) << name;
    EXPECT_EQ(split.files.program.kind(), FileKind::kBundle) << name;
    EXPECT_TRUE(TestCasesText(bundle) == TestCasesText(split.files.program)) << name;
    const SplitFiles again = Split(split.files.program, split.files.data);
    EXPECT_EQ(BytesOf(again.result.program), BytesOf(split.result.program)) << name;
  }
}

TEST(Split, TwiceMovesNothingMore) {
  for (const std::string& path : WholePrograms()) {
    const SplitFiles once = Split(OpenFile(path), {}, SplitEverything());
    const SplitFiles twice = Split(once.files.program, once.files.data, SplitEverything());
    EXPECT_FALSE(twice.has_data()) << path;
    EXPECT_TRUE(BytesOf(twice.result.program) == BytesOf(once.result.program)) << path;
  }
}

}  // namespace
}  // namespace pteedit::split_test
