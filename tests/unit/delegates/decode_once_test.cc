#include "delegates/decode_once.h"

#include <gtest/gtest.h>

#include "coreml_folders.h"
#include "file_contents.h"
#include "program/container_state.h"
#include "program_builder.h"

namespace pteedit::decode_once_test {
namespace {

using test::Pattern;
using test::ProgramBuilder;

std::vector<const schema::BackendDelegate*> DelegatesOf(const Container& program) {
  std::vector<const schema::BackendDelegate*> delegates;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) delegates.push_back(delegate);
  }
  return delegates;
}

TEST(DecodeOnce, TellsEqualQuestionsApartFromOthers) {
  ProgramBuilder builder;
  builder.Method("forward")
      .Delegate("MyBackend", Pattern(48, 9))
      .Delegate("MyBackend", Pattern(48, 9))
      .Delegate("MyBackend", Pattern(48, 8))
      .Delegate("OtherBackend", Pattern(48, 9));
  const Container program = builder.Open();
  const DecodeOnce once(program);
  const auto delegates = DelegatesOf(program);
  ASSERT_EQ(delegates.size(), 4U);
  const auto identity = [&](size_t i) { return *once.IdentityOf(*delegates[i]); };
  EXPECT_EQ(identity(0), identity(1));
  EXPECT_NE(identity(0), identity(2));
  EXPECT_NE(identity(0), identity(3));
}

TEST(DecodeOnce, HasNoWordsWhereThereIsNoDecoder) {
  ProgramBuilder builder;
  builder.Method("forward").Delegate("MyBackend", Pattern(48, 9));
  const Container program = builder.Open();
  const auto decoded = DecodeOnce(program).Decode(*DelegatesOf(program).front());
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "");
}

// Of delegates with so many references that differ, those that are not looked into.
std::vector<size_t> RefusedOf(size_t count, const std::vector<Container>& data) {
  ProgramBuilder references;
  references.Method("forward");
  for (size_t i = 0; i < count; ++i) {
    const std::string text =
        R"(CMJR{"version": 1, "key": "model", "functionName": "main", "n": )" + std::to_string(i) + "}";
    references.Delegate("CoreMLBackend", std::vector<uint8_t>(text.begin(), text.end()));
  }
  const Container program = references.Open();
  DecodeOnce once(ProgramSet(program, data));
  std::vector<size_t> refused;
  const auto delegates = DelegatesOf(program);
  for (size_t i = 0; i < delegates.size(); ++i) {
    const auto decoded = once.Decode(*delegates[i]);
    if (decoded) continue;
    EXPECT_EQ(decoded.error().message, "too many delegates ask for different parts of the same content");
    refused.push_back(i);
  }
  return refused;
}

TEST(DecodeOnce, EndsWhereTooManyAskForOneContent) { EXPECT_EQ(RefusedOf(202, {}), (std::vector<size_t>{200, 201})); }

TEST(DecodeOnce, GetsNoMoreOfOneContentThanTheLargestBlobMayHave) {
  std::string operators;
  for (int i = 0; i < 60'000; ++i) operators += test::MilOperator("add", "x");
  const std::vector<uint8_t> folder = test::Folder({{"model.mlpackage/Data/com.apple.CoreML/model.mlmodel",
                                                     test::MilModelOf(test::MilFunctionOf("main", operators))}});
  const Container data = test::DataFileBuilder().Key("model", folder).Open("d.ptd");
  EXPECT_EQ(RefusedOf(6, {data}), (std::vector<size_t>{4, 5}));
}

}  // namespace
}  // namespace pteedit::decode_once_test
