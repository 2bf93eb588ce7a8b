// Programs that are bound to data files when they are split, and what knows of it afterwards.
#include <gtest/gtest.h>

#include "bindings.h"
#include "program_builder.h"
#include "pteedit/requirements.h"
#include "pteedit/same.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"
#include "split_files.h"

namespace pteedit::split_binding_test {
namespace {

using namespace pteedit::test;

SplitOptions Binding(Bind bind) {
  SplitOptions options;
  options.bind = bind;
  return options;
}

// With a constant under its name, one without, and two methods.
Container Named(uint32_t seed = 1) {
  ProgramBuilder program;
  program.Method("first").Constant(Floats({16}), Pattern(64, seed));
  program.TensorAt(0).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("fc.weight");
  program.Method("second").Constant(Floats({16}), Pattern(64, 9));
  return program.Open("named.pte");
}

Container Nameless() { return ProgramBuilder().Constant(Floats({16}), Pattern(64, 1)).Open("nameless.pte"); }

// But that these programs have no inputs.
std::vector<std::string> FindingsOf(const Container& program, const std::vector<Container>& data) {
  std::vector<std::string> found;
  const auto all = VerifyOpened({program, data}, {});
  for (const FileFindings& file : *all) {
    for (const Finding& finding : file.findings) {
      if (finding.id != "field-missing") found.push_back(finding.id + ": " + finding.message);
    }
  }
  return found;
}

TEST(SplitBinding, BindsWhereAKeyIsAName) {
  const SplitFiles split = Split(Named());
  const Keys keys{*BindingKeyOf(split.data(), 1)};
  EXPECT_EQ(BindingsOfProgram(split.files.program), keys);
  EXPECT_EQ(BindingsOfData(split.data()), keys);
  ASSERT_EQ(split.result.report.bindings.size(), 1U);
  EXPECT_EQ(split.result.report.bindings[0].program, "named.pte");
  EXPECT_EQ(split.result.report.bindings[0].data, "data");
  EXPECT_EQ(split.result.report.bindings[0].key, keys[0]);
  EXPECT_EQ(FindingsOf(split.files.program, split.files.data), Keys());
}

TEST(SplitBinding, EveryMethodEndsWithTheValueThatBinds) {
  const SplitFiles split = Split(Named());
  for (const schema::ExecutionPlan* plan : *split.files.program.state().program_root().execution_plan()) {
    ASSERT_EQ(plan->values()->size(), 2U);
    EXPECT_TRUE(IsBindingTensor(*plan->values()->Get(1)->val_as_Tensor()));
  }
}

TEST(SplitBinding, ContentKeysBindByThemselves) {
  const SplitFiles split = Split(Nameless());
  EXPECT_EQ(BindingsOfProgram(split.files.program), Keys());
  EXPECT_EQ(BindingsOfData(split.data()), Keys());
}

TEST(SplitBinding, OptionsDecideWhateverTheKeysAre) {
  const SplitFiles bound = Split(Nameless(), {}, Binding(Bind::kAlways));
  EXPECT_EQ(BindingsOfProgram(bound.files.program), BindingsOfData(bound.data()));
  EXPECT_EQ(BindingsOfData(bound.data()).size(), 1U);
  const SplitFiles unbound = Split(Named(), {}, Binding(Bind::kNever));
  EXPECT_EQ(BindingsOfProgram(unbound.files.program), Keys());
  EXPECT_EQ(BindingsOfData(unbound.data()), Keys());
}

TEST(SplitBinding, SplittingAgainChangesNothing) {
  const SplitFiles split = Split(Named());
  const SplitFiles again = Split(split.files.program, split.files.data);
  EXPECT_EQ(BytesOf(again.files.program), BytesOf(split.files.program));
  const SplitFiles unbound = Split(split.files.program, split.files.data, Binding(Bind::kNever));
  EXPECT_EQ(BindingsOfProgram(unbound.files.program), Keys());
}

TEST(SplitBinding, AProgramIsBoundToEachOfItsDataFiles) {
  SplitOptions first = Binding(Bind::kAlways);
  first.selection.methods = {"first"};
  const SplitFiles one = Split(Named(), {}, first);
  const SplitFiles two = Split(one.files.program, one.files.data, Binding(Bind::kAlways));
  ASSERT_EQ(two.files.data.size(), 2U);
  Keys keys{BindingsOfData(two.files.data[0])[0], BindingsOfData(two.files.data[1])[0]};
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(BindingsOfProgram(two.files.program), keys);
  EXPECT_FALSE(FindDifference(Named(), Joined(two.files))->has_value());
}

TEST(SplitBinding, JoiningTakesOutWhatBinds) {
  const Container program = Named();
  const SplitFiles split = Split(program);
  const Container joined = Joined(split.files);
  EXPECT_EQ(BindingsOfProgram(joined), Keys());
  EXPECT_FALSE(FindDifference(program, joined)->has_value());
  EXPECT_FALSE(FindDifference(program, {split.files.program, split.files.data})->has_value());
}

TEST(SplitBinding, AnotherDataFileIsAFindingThatNamesBoth) {
  const SplitFiles split = Split(Named()), other = Split(Named(2));
  const std::string wanted = BindingsOfData(split.data())[0], given = BindingsOfData(other.data())[0];
  EXPECT_EQ(FindingsOf(split.files.program, other.files.data),
            Keys{"base-missing: is bound to data file '" + wanted + "', but data is '" + given + "'"});
  const auto plain = DataFileBuilder()
                         .Key("fc.weight", Pattern(64, 1), Floats({16}))
                         .Key(KeyOf(Pattern(64, 9), Floats({16})), Pattern(64, 9), Floats({16}))
                         .Open("plain.ptd");
  EXPECT_EQ(FindingsOf(split.files.program, {plain}),
            Keys{"base-missing: is bound to data file '" + wanted + "', but plain.ptd has none"});
  const auto joined = JoinProgram({split.files.program, other.files.data}, {});
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
}

TEST(SplitBinding, AChangedDataFileThatKeptItsKeyIsAFinding) {
  const SplitFiles split = Split(Named());
  std::vector<uint8_t> bytes = BytesOf(split.data());
  for (const NamedEntry& entry : split.data().named_data()) {
    if (entry.key == "fc.weight") bytes[entry.extent.offset] ^= 1;
  }
  const Container changed = *Container::Open(MakeMemorySource("changed.ptd", bytes));
  EXPECT_EQ(
      FindingsOf(split.files.program, {changed}),
      Keys{"base-stale: binds to other contents than the file has, whose key is '" + *BindingKeyOf(changed, 1) + "'"});
}

TEST(SplitBinding, StrippingChangesNoBinding) {
  const SplitFiles split = Split(Named());
  StripOptions options;
  options.unreferenced = false;
  options.padding = options.dedupe = true;
  const auto program = Strip(split.files.program, options), data = Strip(split.data(), options);
  const Container stripped = Opened(program->file, "stripped.pte"), base = Opened(data->file, "stripped.ptd");
  EXPECT_EQ(BindingsOfProgram(stripped), BindingsOfProgram(split.files.program));
  EXPECT_EQ(BindingsOfData(base), Keys{*BindingKeyOf(base, 1)});
  EXPECT_EQ(FindingsOf(stripped, {base}), Keys());
}

TEST(SplitBinding, RequirementsTellWhichKeyBinds) {
  const SplitFiles split = Split(Named());
  const Requirements needs = DescribeRequirements({split.files.program, split.files.data}, {});
  for (const KeyRequirement& key : needs.external_keys) EXPECT_EQ(key.binds, key.key.starts_with("pteedit.base/"));
  EXPECT_EQ(needs.external_keys.size(), 3U);
  EXPECT_EQ(needs.data_files, 1U);
}

// A base with the constant of Named() under a name.
Container Base(const std::string& key = {}) {
  DataFileBuilder base = DataFileBuilder().Key("w", Pattern(64, 1), Floats({16}));
  if (!key.empty()) base.Key(key, {}, BindingLayout());
  return base.Open("base.ptd");
}

SplitOptions Against(const Container& base, Bind bind = Bind::kWhereNames) {
  SplitOptions options = Binding(bind);
  options.bases = {base};
  options.new_data = false;
  return options;
}

TEST(SplitBinding, ABaseThatHasAKeyForItIsBoundTo) {
  const std::string key = *BindingKeyOf(Base(), 1);
  const SplitFiles split = Split(Named(), {}, Against(Base(key)));
  EXPECT_EQ(BindingsOfProgram(split.files.program), Keys{key});
  EXPECT_EQ(split.result.report.notes, Keys());
}

TEST(SplitBinding, ABaseThatHasNoneIsNotBoundToAndTheReportSaysSo) {
  const SplitFiles split = Split(Named(), {}, Against(Base()));
  EXPECT_EQ(BindingsOfProgram(split.files.program), Keys());
  EXPECT_EQ(
      split.result.report.notes,
      Keys{"base.ptd has no key to which programs can be bound, and stays as it is; no runtime will notice another "
           "file in its place"});
  const auto refused = SplitProgram(Named(), Against(Base(), Bind::kAlways));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message, "has no key to which programs can be bound, and stays as it is");
  EXPECT_EQ(Split(Named(), {}, Against(Base(), Bind::kNever)).result.report.notes, Keys());
}

TEST(SplitBinding, ABaseThatWasChangedIsNotBoundTo) {
  const std::string right = *BindingKeyOf(Base(), 1), wrong = "pteedit.base/" + std::string(40, '0');
  const auto refused = SplitProgram(Named(), Against(Base(wrong), Bind::kAlways));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "was changed after programs were bound to it: its key '" + wrong +
                                         "' should be '" + right + "', and stays as it is");
}

}  // namespace
}  // namespace pteedit::split_binding_test
