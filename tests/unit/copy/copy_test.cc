#include "pteedit/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "edited_files.h"
#include "program_builder.h"
#include "pteedit/binding.h"
#include "pteedit/describe.h"
#include "pteedit/execution.h"
#include "pteedit/metadata.h"
#include "pteedit/split.h"
#include "test_files.h"

namespace pteedit::copy_test {
namespace {

using namespace pteedit::test;

const Container& Family() {  // methods decode, prefill, and five that are constant
  static const Container file = OpenFile(DataPath("f06/portable_cm.pte"));
  return file;
}

TEST(Copy, WithoutEditsIsTheVeryFile) {
  const Result<CopyResult> copy = Copy(Family(), {});
  ASSERT_TRUE(copy);
  EXPECT_FALSE(copy->changed);
  EXPECT_EQ(copy->file.size(), Family().source()->size());
}

TEST(Copy, KeepsAMethodAndWhatItUsesAndConstantMethods) {
  CopyOptions options;
  options.keep_methods = {"prefill"};
  const Result<CopyResult> copy = Copy(Family(), options);
  ASSERT_TRUE(copy) << copy.error().message;
  const Container kept = *Container::Open(copy->file.AsSource("copy.pte"));
  EXPECT_EQ(MethodsOf(kept),
            (std::vector<std::string>{"prefill", "get_vocab_size", "get_name", "get_eos", "use_kv", "scale"}));
  EXPECT_LT(kept.source()->size(), Family().source()->size());
  ASSERT_EQ(copy->report.items.size(), 2U);
  EXPECT_EQ(copy->report.items[0].name, "decode");
  EXPECT_EQ(copy->report.items[1].what, "constant");
  EXPECT_TRUE(copy->report.items[1].to.empty());
}

TEST(Copy, KeepingAllMethodsChangesNothingThatIsThere) {
  CopyOptions options;
  options.keep_methods = MethodsOf(Family());
  EXPECT_TRUE(Same(Copied(Family(), options), Family()));
}

TEST(Copy, RemovingWhatWasSetGivesTheInput) {
  CopyOptions set, remove;
  set.set_methods = {{"added", {int64_t{7}}, false}};
  remove.remove_methods = {"added"};
  EXPECT_TRUE(Same(Copied(Copied(Family(), set), remove), Family()));
}

TEST(Copy, AMethodThatIsCalledOtherwiseAndBackIsTheSame) {
  CopyOptions there, back;
  there.rename_methods = {{"decode", "step"}};
  back.rename_methods = {{"step", "decode"}};
  const Container renamed = Copied(Family(), there);
  EXPECT_EQ(MethodsOf(renamed)[0], "step");
  EXPECT_TRUE(Same(Copied(renamed, back), Family()));
}

// What the exporter wrote for the same values.
TEST(Copy, SetsConstantMethodsAsTheExporterWritesThem) {
  CopyOptions options;
  options.remove_methods = {"get_vocab_size", "get_name", "get_eos", "use_kv", "scale"};
  const Container without = Copied(Family(), options);
  EXPECT_EQ(MethodsOf(without), (std::vector<std::string>{"decode", "prefill"}));
  CopyOptions set;
  set.set_methods = {{"get_vocab_size", {int64_t{64}}, false},
                     {"get_name", {std::string("pd")}, false},
                     {"get_eos", {int64_t{1}, int64_t{2}}, true},
                     {"use_kv", {false}, false},
                     {"scale", {0.5}, false}};
  EXPECT_TRUE(Same(Copied(without, set), Family()));
}

TEST(Copy, ReplacesAConstantMethodInItsPlace) {
  CopyOptions options;
  options.set_methods = {{"get_name", {std::string("llama")}, false}, {"get_eos", {}, true}};
  const Container copy = Copied(Family(), options);
  EXPECT_EQ(MethodsOf(copy), MethodsOf(Family()));
  const std::vector<ConstantMethod> facts = DescribeConstantMethods(copy);
  EXPECT_EQ(facts[1].values[0].text, "llama");
}

TEST(Copy, NamesOfMethodsThatDoNotFitAreRefused) {
  CopyOptions options;
  options.keep_methods = {"prefil"};
  EXPECT_EQ(WhyNot(Family(), options), "has no method 'prefil', did you mean 'prefill'?");
  options = {};
  options.rename_methods = {{"decode", "prefill"}};
  EXPECT_EQ(WhyNot(Family(), options), "has a method 'prefill' already");
  options.rename_methods = {{"decode", ""}};
  EXPECT_EQ(WhyNot(Family(), options), "a method needs a name");
  options = {};
  options.set_methods = {{"decode", {true}, false}};
  EXPECT_EQ(WhyNot(Family(), options), "method 'decode' runs something, only constant methods can be set");
  options = {};
  options.remove_methods = MethodsOf(Family());
  EXPECT_EQ(WhyNot(Family(), options), "would have no method left");
}

TEST(Copy, AddedDataIsThereAndGoesAgain) {
  CopyOptions add, remove;
  add.add_data = {{"metadata.name", MakeMemorySource("", TextBytes("Llama")), true},
                  {"grammar", MakeMemorySource("", {})}};
  const Container with = Copied(Family(), add);
  ASSERT_EQ(with.named_data().size(), 2U);
  EXPECT_EQ(with.named_data()[0].key, "metadata.name");
  EXPECT_EQ(with.named_data()[1].extent.size, 0U);
  add.add_data = {{"metadata.name", MakeMemorySource("", TextBytes("Qwen 3")), true}};
  EXPECT_EQ(std::get<std::string>(*ReadMetadata(Copied(with, add))->front().value), "Qwen 3");
  add.add_data = {{"grammar", MakeMemorySource("", {1})}};
  EXPECT_EQ(WhyNot(with, add), "has a key 'grammar' already");
  remove.remove_keys = {"metadata.name"};
  remove.remove_data = [](const std::string& key) { return key == "grammar"; };
  EXPECT_TRUE(Same(Copied(with, remove), Family()));
  EXPECT_EQ(WhyNot(Family(), remove), "has no key 'metadata.name'");
  remove.remove_keys.clear();
  EXPECT_EQ(WhyNot(Family(), remove), "has no key that is to go");
}

ProgramBuilder WithKeys() {
  ProgramBuilder program;
  program.Method("forward").External("of_tensor", Floats({4}));
  program.Delegate("Backend", TextBytes("of_delegate")).NamedData("of_tensor", Pattern(16, 1));
  program.NamedData("of_delegate", Pattern(16, 2)).NamedData("of_nobody", Pattern(16, 3));
  return program;
}

TEST(Copy, KeysThatAreReadStay) {
  const Container file = WithKeys().Open();
  CopyOptions options;
  options.remove_keys = {"of_tensor"};
  EXPECT_EQ(WhyNot(file, options), "key 'of_tensor' is read by a tensor, which would miss it");
  options.remove_keys = {"of_delegate"};
  EXPECT_EQ(WhyNot(file, options), "key 'of_delegate' is read by a delegate, which would miss it");
  options.remove_keys = {"of_nobody"};
  EXPECT_EQ(Copied(file, options).named_data().size(), 2U);
}

TEST(Copy, KeysCanBeCalledOtherwiseButNotThoseOfUnknownBlobs) {
  const Container file = WithKeys().Open();
  CopyOptions options;
  options.rename_keys = {{"of_nobody", "old"}};
  EXPECT_EQ(Copied(file, options).named_data()[2].key, "old");
  options.rename_keys = {{"of_delegate", "new"}};
  EXPECT_EQ(WhyNot(file, options),
            "key 'of_delegate' is read by delegate 'Backend_0', whose blob cannot be written anew");
  options.rename_keys = {{"of_nobody", "of_tensor"}};
  EXPECT_EQ(WhyNot(file, options), "has a key 'of_tensor' already");
  options.rename_keys = {{"of_nobdy", "new"}};
  EXPECT_EQ(WhyNot(file, options), "has no key 'of_nobdy', did you mean 'of_nobody'?");
}

std::vector<std::string> KeysOfTensors(const Container& file) {
  std::vector<std::string> keys;
  for (const TensorDescription& tensor : Describe(file).tensors) keys.push_back(*tensor.key);
  return keys;
}

TEST(Copy, TensorsFollowAKeyThatIsCalledOtherwise) {
  ProgramBuilder program = WithKeys();
  program.External("outside", Floats({4})).External("outside", Floats({2, 2})).External("another", Floats({4}));
  const Container file = program.Open();
  CopyOptions options;
  options.rename_keys = {{"of_tensor", "new"}, {"outside", "fc.weight"}};
  const Container renamed = Copied(file, options);
  EXPECT_EQ(renamed.named_data()[0].key, "new");
  EXPECT_EQ(KeysOfTensors(renamed), (std::vector<std::string>{"new", "fc.weight", "fc.weight", "another"}));
  CopyOptions back;
  back.rename_keys = {{"new", "of_tensor"}, {"fc.weight", "outside"}};
  EXPECT_EQ(KeysOfTensors(Copied(renamed, back)), KeysOfTensors(file));
  options.rename_keys = {{"outside", "another"}};
  EXPECT_EQ(WhyNot(file, options), "has a key 'another' already");
  const std::string hash(64, 'a'), binding = "pteedit.base/" + std::string(40, 'a');
  options.rename_keys = {{"outside", hash}};
  EXPECT_EQ(WhyNot(file, options), "key '" + hash + "' would promise a content that tensors may not get");
  options.rename_keys = {{"outside", binding}};
  EXPECT_EQ(WhyNot(file, options), "key '" + binding + "' binds to a data file and says which");
}

TEST(Copy, DataFilesHaveKeysAndNoMethods) {
  const Container file = OpenFile(DataPath("f04/w.ptd"));
  const size_t before = file.named_data().size();
  CopyOptions options;
  options.add_data = {{"extra", MakeMemorySource("", Pattern(100, 1))}};
  const Container with = Copied(file, options);
  EXPECT_EQ(with.named_data().size(), before + 1);
  CopyOptions back;
  back.remove_keys = {"extra"};
  EXPECT_TRUE(Same(Copied(with, back), file));
  options.remove_methods = {"forward"};
  EXPECT_EQ(WhyNot(file, options), "is a data file, which has no methods");
}

bool HasKey(const Container& file, const std::string& key) {
  return std::any_of(file.named_data().begin(), file.named_data().end(),
                     [&](const NamedEntry& entry) { return entry.key == key; });
}

// Returns the changed file.
Container ExpectBoundAnew(const Container& data, const CopyOptions& options) {
  const std::string old = *BindingKeyOf(data, 1);
  const Result<CopyResult> copy = Copy(data, options);
  EXPECT_TRUE(copy) << copy.error().message;
  const Container file = *Container::Open(copy->file.AsSource("new.ptd"));
  const std::string key = *BindingKeyOf(file, 1);
  EXPECT_TRUE(HasKey(data, old));
  EXPECT_FALSE(HasKey(file, old));
  EXPECT_TRUE(HasKey(file, key));
  const std::string note =
      "key '" + old + "', to which programs are bound, becomes '" + key + "': those refuse the changed file";
  EXPECT_EQ(std::count(copy->report.notes.begin(), copy->report.notes.end(), note), 1);
  return file;
}

TEST(Copy, ChangedDataFilesAreNotThoseThatProgramsAreBoundTo) {
  SplitOptions split;
  split.bind = Bind::kAlways;
  const Result<SplitResult> parts = SplitProgram(ProgramSet(OpenFile(DataPath("f02_linear.pte"))), split);
  ASSERT_TRUE(parts);
  const Container data = *Container::Open(parts->data.front().AsSource("w.ptd"));
  CopyOptions add, rename, zeros, back, unbind;
  add.add_data = {{"extra", MakeMemorySource("", Pattern(100, 1))}};
  const Container added = ExpectBoundAnew(data, add);
  rename.rename_keys = {{std::string(data.named_data().front().key), "weight"}};
  const Container renamed = ExpectBoundAnew(data, rename);
  zeros.replace = {{"weight", MakeMemorySource("", std::vector<uint8_t>(renamed.named_data().front().extent.size))}};
  ExpectBoundAnew(renamed, zeros);
  EXPECT_FALSE(Copy(data, {})->changed);
  back.remove_keys = {"extra"};
  const Container restored = ExpectBoundAnew(added, back);
  EXPECT_TRUE(Same(restored, data));
  EXPECT_TRUE(HasKey(restored, *BindingKeyOf(data, 1)));
  unbind.remove_keys = {*BindingKeyOf(data, 1)};
  EXPECT_EQ(Copied(data, unbind).named_data().size(), data.named_data().size() - 1);
}

TEST(Copy, BundlesAreRefused) {
  EXPECT_EQ(WhyNot(OpenFile(DataPath("f11_bundled_xnn.bpte")), {}),
            "is a bundled program; only programs and data files can be edited");
}

TEST(Copy, EachMethodOfEachFileCanBeKeptAlone) {
  size_t checked = 0;
  for (const std::string& path : AllModelFiles()) {
    const Container file = OpenFile(path);
    if (file.kind() != FileKind::kProgram || MethodsOf(file).size() < 2) continue;
    for (const std::string& method : MethodsOf(file)) {
      CopyOptions options;
      options.keep_methods = {method};
      const Result<CopyResult> copy = Copy(file, options);
      if (!copy) {
        EXPECT_EQ(copy.error().code, ErrorCode::kUnsupported) << path << ": " << copy.error().message;
        continue;
      }
      EXPECT_LE(copy->file.size(), file.source()->size()) << path << " " << method;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20U);
}

}  // namespace
}  // namespace pteedit::copy_test
