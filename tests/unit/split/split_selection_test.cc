// What a split moves and what stays, and the reasons it gives.
#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "program_builder.h"
#include "pteedit/names.h"
#include "split_files.h"

namespace pteedit::split_selection_test {
namespace {

using namespace pteedit::test;

// Two methods with constants, a state, delegates with keys.
ProgramBuilder Mixed() {
  ProgramBuilder program;
  program.Method("decode").Constant(Floats({16}), Pattern(64, 1)).State(Floats({32}), Pattern(128, 2));
  program.Delegate("Xnn", TextBytes("needs xnn.weight")).NamedData("xnn.weight", Pattern(100, 3));
  program.Method("prefill").Constant(Floats({64}), Pattern(256, 4));
  program.Delegate("Vulkan", TextBytes("needs vk.weight")).NamedData("vk.weight", Pattern(200, 5));
  program.NamedData("app.settings", Pattern(300, 6));
  return program;
}

// Names of what moves when `edit` has changed the selection.
template <class Edit>
Names Moved(Edit edit, const ProgramBuilder& program = Mixed()) {
  SplitOptions options;
  edit(options.selection);
  return NamesOf(Split(program.Open(), {}, options).result.report.items);
}

TEST(SplitSelection, IsConstantsAndReferencedKeysByDefault) {
  const SplitFiles split = Split(Mixed().Open("m.pte"));
  EXPECT_EQ(NamesOf(split.result.report.items),
            (Names{"decode.constant_0", "prefill.constant_0", "xnn.weight", "vk.weight"}));
  EXPECT_EQ(ReasonsOf(split.result.report), (Names{"decode.mutable_0: kind not selected",
                                                   "app.settings: no delegate mentions the key; the app may read it"}));
}

TEST(SplitSelection, ReportTellsWhatMovedWhere) {
  SplitOptions options;
  options.data_name = "shared.ptd";
  const RewriteReport report = Split(Mixed().Open("m.pte"), {}, options).result.report;
  const MovedItem& constant = report.items[0];
  EXPECT_EQ(constant.what, "constant");
  EXPECT_EQ(constant.key.str().size(), 49U);
  EXPECT_EQ(constant.bytes, 64U);
  EXPECT_EQ(constant.from, "m.pte");
  EXPECT_EQ(constant.to, "shared.ptd");
  EXPECT_EQ(report.items[2].what, "named-data");
  EXPECT_EQ(report.items[2].key, "xnn.weight");
  EXPECT_EQ(report.items[2].bytes, 100U);
  EXPECT_EQ(report.skipped[0].what, "mutable");
  EXPECT_EQ(report.skipped[0].bytes, 128U);
  EXPECT_EQ(report.data_files, 1U);
  EXPECT_EQ(report.min_runtime, "1.0");  // named data in both files
}

TEST(SplitSelection, ByKind) {
  const auto kinds = [](bool constants, bool named_data, bool mutables) {
    return Moved([=](SplitSelection& select) {
      select.constants = constants;
      select.named_data = named_data;
      select.mutables = mutables;
    });
  };
  EXPECT_EQ(kinds(true, false, false), (Names{"decode.constant_0", "prefill.constant_0"}));
  EXPECT_EQ(kinds(false, true, false), (Names{"xnn.weight", "vk.weight"}));
  EXPECT_EQ(kinds(false, false, true), (Names{"decode.mutable_0"}));
  EXPECT_EQ(kinds(false, false, false), Names());
}

TEST(SplitSelection, ByName) {
  EXPECT_EQ(Moved([](SplitSelection& select) {
              select.name_matches = [](const std::string& name) {
                return name.find("prefill") != Names::value_type::npos;
              };
            }),
            Names{"prefill.constant_0"});
  EXPECT_EQ(Moved([](SplitSelection& select) {
              select.name_matches = [](const std::string& name) { return name == "vk.weight"; };
            }),
            Names{"vk.weight"});
}

TEST(SplitSelection, ByAnyOfAConstantsNames) {
  ProgramBuilder program;
  const uint32_t buffer = program.Method("decode").AddBuffer(Pattern(64, 1));
  program.Tensor(buffer, Floats({16})).Method("prefill").Tensor(buffer, Floats({16}));
  const auto moved = Moved(
      [](SplitSelection& select) {
        select.name_matches = [](const std::string& name) { return name == "prefill.constant_0"; };
      },
      program);
  EXPECT_EQ(moved, Names{"decode.constant_0"});
}

TEST(SplitSelection, BySize) {
  EXPECT_EQ(Moved([](SplitSelection& select) { select.min_bytes = 101; }), (Names{"prefill.constant_0", "vk.weight"}));
  EXPECT_EQ(Moved([](SplitSelection& select) { select.min_bytes = 100; }),
            (Names{"prefill.constant_0", "xnn.weight", "vk.weight"}));
}

TEST(SplitSelection, ByMethod) {
  EXPECT_EQ(Moved([](SplitSelection& select) { select.methods = {"decode"}; }),
            (Names{"decode.constant_0", "xnn.weight"}));
  EXPECT_EQ(Moved([](SplitSelection& select) { select.methods = {"decode", "prefill"}; }).size(), 4U);
}

TEST(SplitSelection, ByMethodMovesASharedConstantForAllItsUsers) {
  ProgramBuilder program;
  const uint32_t buffer = program.Method("decode").AddBuffer(Pattern(64, 1));
  program.Tensor(buffer, Floats({16})).Method("prefill").Tensor(buffer, Floats({4, 4}));
  SplitOptions options;
  options.selection.methods = {"prefill"};
  const SplitFiles split = Split(program.Open(), {}, options);
  EXPECT_EQ(KeysOf(split.data()).size(), 2U);
  const schema::Program& root = split.files.program.state().program_root();
  EXPECT_EQ(root.constant_segment()->offsets()->size(), 1U);
}

TEST(SplitSelection, ByBackend) {
  EXPECT_EQ(Moved([](SplitSelection& select) { select.backends = {"Xnn"}; }), Names{"xnn.weight"});
}

TEST(SplitSelection, OfDifferentKindsMustAllAgree) {
  EXPECT_EQ(Moved([](SplitSelection& select) {
              select.backends = {"Xnn", "Vulkan"};
              select.methods = {"prefill"};
              select.min_bytes = 1;
            }),
            Names{"vk.weight"});
}

TEST(SplitSelection, ByAMatchingFile) {
  const Container base = DataFileBuilder().Key("any", Pattern(256, 4)).Key("other", Pattern(100, 3)).Open();
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.match.files = {base}; }),
            (Names{"prefill.constant_0", "xnn.weight"}));
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.not_match.files = {base}; }),
            (Names{"decode.constant_0", "vk.weight"}));
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.match.files = select.not_match.files = {base}; }), Names());
}

TEST(SplitSelection, ByACheckpoint) {
  const auto tensor = [](const char* name, std::vector<uint8_t> bytes, std::vector<uint64_t> sizes) {
    const uint64_t size = bytes.size();
    return ContentName{name, size, {}, std::move(sizes), MakeMemorySource("checkpoint", std::move(bytes))};
  };
  const auto checkpoint = std::make_shared<const ContentNames>(
      std::vector<ContentName>{tensor("fc.weight", Pattern(256, 4), {8, 8}), tensor("xnn", Pattern(100, 3), {25}),
                               tensor("scale", Pattern(8, 9), {2})});
  ProgramBuilder program = Mixed();
  program.Constant(Floats({2}), Pattern(8, 9));  // so small that it may be any other
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.match.tensors = checkpoint; }, program),
            (Names{"prefill.constant_0", "xnn.weight"}));
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.not_match.tensors = checkpoint; }, program),
            (Names{"decode.constant_0", "prefill.constant_1", "vk.weight"}));
}

TEST(SplitSelection, ByAMatchingFileNeedsTheSameNameBelow64Bytes) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({4}), Pattern(16, 2));
  program.TensorAt(0).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("fc.bias");
  const Container base = DataFileBuilder().Key("fc.bias", Pattern(16, 1)).Key("x", Pattern(16, 2)).Open();
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.match.files = {base}; }, program), Names{"fc.bias"});
}

TEST(SplitSelection, FindsTheFoundationOfALoraProgram) {
  const Container base = OpenFile(DataPath("f08/a_portable_base.pte"));
  SplitOptions options;
  options.selection.match.files = {base};
  const SplitFiles first = Split(OpenFile(DataPath("f08/a_portable_v0.pte")), {}, options);
  const SplitFiles second = Split(OpenFile(DataPath("f08/a_portable_v1.pte")), {}, options);
  ASSERT_TRUE(first.has_data());
  EXPECT_TRUE(BytesOf(first.result.data.front()) == BytesOf(second.result.data.front()));
}

TEST(SplitSelection, IsNotFooledByEqualHashes) {
  const auto [a, b] = CollidingContents();
  ProgramBuilder program;
  program.Constant(Floats({128}), a).Constant(Floats({128}), b);
  const SplitFiles all = Split(program.Open());
  EXPECT_EQ(all.data().segments().size(), 2U);
  const Container base = DataFileBuilder().Key("b", b).Open();
  EXPECT_EQ(Moved([&](SplitSelection& select) { select.match.files = {base}; }, program), Names{"forward.constant_1"});
}

TEST(SplitSelection, ReasonsNameWhatWasNotSelected) {
  const Container base = DataFileBuilder().Key("any", Pattern(256, 4)).Open();
  const auto reasons = [](auto edit) {
    SplitOptions options;
    edit(options.selection);
    return ReasonsOf(Split(Mixed().Open(), {}, options).result.report);
  };
  EXPECT_EQ(reasons([](SplitSelection& select) { select.min_bytes = 250; }),
            (Names{"decode.constant_0: smaller than 250 bytes", "decode.mutable_0: kind not selected",
                   "xnn.weight: smaller than 250 bytes", "vk.weight: smaller than 250 bytes",
                   "app.settings: no delegate mentions the key; the app may read it"}));
  EXPECT_EQ(reasons([](SplitSelection& select) { select.name_matches = [](const std::string&) { return false; }; })[0],
            "decode.constant_0: name not selected");
  EXPECT_EQ(reasons([](SplitSelection& select) { select.methods = {"prefill"}; })[0],
            "decode.constant_0: not used by a selected method");
  EXPECT_EQ(reasons([](SplitSelection& select) { select.backends = {"Xnn"}; })[0],
            "decode.constant_0: not used by a selected backend");
  EXPECT_EQ(reasons([&](SplitSelection& select) { select.match.files = {base}; })[0],
            "decode.constant_0: not in the files to match");
  EXPECT_EQ(reasons([&](SplitSelection& select) { select.not_match.files = {base}; })[1],
            "prefill.constant_0: in a file not to match");
}

TEST(SplitSelection, KeysThatNoDelegateMentionsStay) {
  const SplitFiles split = Split(OpenFile(DataPath("f17/opaque.pte")));
  EXPECT_FALSE(split.has_data());
  EXPECT_EQ(split.result.report.skipped.size(), split.files.program.named_data().size());
  for (const SkippedItem& item : split.result.report.skipped) {
    EXPECT_EQ(item.reason, "no delegate mentions the key; the app may read it");
  }
}

TEST(SplitSelection, KeysInCompileSpecsMove) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("nothing")).NamedData("k", Pattern(80, 1));
  program.LastPlan().delegates.items[0].compile_specs = {true, {{tables::OwnText("data"), Bytes(TextBytes("k"))}}};
  EXPECT_EQ(NamesOf(Split(program.Open()).result.report.items), Names{"k"});
}

TEST(SplitSelection, KeysOnOneSegmentLeaveItForThoseThatStay) {
  ProgramBuilder program;
  program.Method("forward").Delegate("A", TextBytes("needs alias_a")).NamedData("alias_a", Pattern(100, 1));
  program.tables.named_data.items.push_back({tables::OwnText("app"), program.tables.named_data.items[0].segment_index});
  const SplitFiles split = Split(program.Open());
  EXPECT_EQ(KeysOf(split.files.program), Names{"app"});
  EXPECT_EQ(KeysOf(split.data()), Names{"alias_a"});
}

// A method with `count` constants of 4 bytes, the n-th multiple of a thousand among them of 64.
ProgramBuilder WithManyConstants(size_t count) {
  ProgramBuilder program;
  for (uint32_t i = 0; i < count; ++i) {
    const bool large = i % 100 == 0;
    program.Constant(Floats({large ? 16 : 1}), Pattern(large ? 64 : 4, i));
  }
  return program;
}

TEST(SplitLimit, KeepsTheSmallestBeyond1000ExternalTensors) {
  const ProgramBuilder program = WithManyConstants(1200);
  const SplitFiles split = Split(program.Open());
  EXPECT_EQ(split.result.report.items.size(), 1000U);
  ASSERT_EQ(split.result.report.skipped.size(), 200U);
  EXPECT_EQ(split.result.report.skipped[0].reason, "its method would have more than 1000 external tensors");
  for (const SkippedItem& item : split.result.report.skipped) EXPECT_EQ(item.bytes, 4U);
}

TEST(SplitLimit, CanBeRaised) {
  SplitOptions options;
  options.max_external_tensors = 5000;
  EXPECT_EQ(Split(WithManyConstants(1200).Open(), {}, options).result.report.items.size(), 1200U);
}

TEST(SplitLimit, ChoosesTheSameConstantsInWhateverOrder) {
  SplitOptions options;
  options.max_external_tensors = 3;
  ProgramBuilder forward, backward;
  for (uint32_t i = 0; i < 8; ++i) forward.Constant(Floats({4}), Pattern(16, i));
  for (uint32_t i = 8; i-- > 0;) backward.Constant(Floats({4}), Pattern(16, i));
  Names first = KeysOf(Split(forward.Open(), {}, options).data());
  Names second = KeysOf(Split(backward.Open(), {}, options).data());
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.size(), 3U);
}

TEST(SplitLimit, CountsTensorsThatAreExternalAlready) {
  ProgramBuilder program;
  DataFileBuilder data;
  program.External("a", Floats({1})).External("b", Floats({1})).Constant(Floats({4}), Pattern(16, 1));
  data.Key("a", Pattern(4, 1), Floats({1})).Key("b", Pattern(4, 2), Floats({1}));
  SplitOptions options;
  options.max_external_tensors = 2;
  EXPECT_FALSE(Split(program.Open(), {data.Open()}, options).has_data());
  options.max_external_tensors = 3;
  EXPECT_TRUE(Split(program.Open(), {data.Open()}, options).has_data());
}

TEST(SplitLimit, HoldsForEachMethodAndNotForKeysOfDelegates) {
  ProgramBuilder program = Mixed();
  SplitOptions options;
  options.max_external_tensors = 1;
  EXPECT_EQ(Split(program.Open(), {}, options).result.report.items.size(), 4U);
  options.max_external_tensors = 0;
  EXPECT_EQ(NamesOf(Split(program.Open(), {}, options).result.report.items), (Names{"xnn.weight", "vk.weight"}));
}

}  // namespace
}  // namespace pteedit::split_selection_test
