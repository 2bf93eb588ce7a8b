// What a rewrite may keep of its input's errors: those about the same names.
#include "verify/check_rewrite.h"

#include <gtest/gtest.h>

#include <string>

#include "program_builder.h"
#include "small_files.h"

namespace pteedit::check_rewrite_test {
namespace {

// With an error about its method.
ProgramSet WithoutInputs(const std::string& method) {
  tables::Program program = test::SmallProgram();
  test::PlanOf(program).name = tables::OwnText(method);
  test::PlanOf(program).inputs = {};
  return ProgramSet(*Container::Open(MakeMemorySource("m.pte", test::ProgramBytes(program))), {});
}

bool MayBecome(const std::string& before, const std::string& after) {
  return static_cast<bool>(CheckRewrite(WithoutInputs(before), WithoutInputs(after)));
}

TEST(CheckRewrite, AnErrorIsTheOneOfTheSameName) {
  EXPECT_TRUE(MayBecome("forward", "forward"));
  EXPECT_FALSE(MayBecome("forward", "backward"));
}

TEST(CheckRewrite, OnlyANumberBehindAWordMayBeAnother) {
  EXPECT_TRUE(MayBecome("Backend_3", "Backend_12"));
  EXPECT_FALSE(MayBecome("layer3", "layer12"));
  EXPECT_TRUE(MayBecome("7", "7"));
  EXPECT_FALSE(MayBecome("7", "8"));
  EXPECT_TRUE(MayBecome("_7", "_8"));
  EXPECT_FALSE(MayBecome("", "7"));
}

}  // namespace
}  // namespace pteedit::check_rewrite_test
