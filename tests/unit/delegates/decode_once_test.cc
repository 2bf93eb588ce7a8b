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

TEST(DecodeOnce, EndsWhereTooManyAskForOneContent) {
  ProgramBuilder builder;
  builder.Method("forward");
  const std::string reference = R"(CMJR{"version": 1, "key": "model", "functionName": "f)";
  for (int i = 0; i < 66; ++i) {
    const std::string text = reference + std::to_string(i) + "\"}";
    builder.Delegate("CoreMLBackend", std::vector<uint8_t>(text.begin(), text.end()));
  }
  const Container program = builder.Open();
  DecodeOnce once(program);
  std::vector<std::string> messages;
  for (const schema::BackendDelegate* delegate : DelegatesOf(program)) {
    const auto decoded = once.Decode(*delegate);
    messages.push_back(decoded ? "" : decoded.error().message);
  }
  EXPECT_EQ(messages[63], "");
  EXPECT_EQ(messages[64], "over 64 delegates ask for different parts of the same content");
  EXPECT_EQ(messages[65], messages[64]);
}

}  // namespace
}  // namespace pteedit::decode_once_test
