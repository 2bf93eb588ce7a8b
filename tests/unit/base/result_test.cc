#include "pteedit/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pteedit/try.h"

namespace pteedit::result_test {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return InvalidArgument("odd");
  return value / 2;
}

Result<int> Quarter(int value) {
  PTEEDIT_ASSIGN(const int half, Half(value));
  return Half(half);
}

Status CheckEven(int value) {
  PTEEDIT_TRY(Half(value));
  return {};
}

TEST(Result, HoldsAValue) {
  const Result<int> result = Half(8);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, 4);
  EXPECT_EQ(result.value(), 4);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = Half(7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message, "odd");
  EXPECT_EQ(result.error().file, "");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, PassesErrorsOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_TRUE(CheckEven(2));
  EXPECT_EQ(CheckEven(3).error().message, "odd");
}

TEST(Status, IsGoodUnlessItHasAnError) {
  EXPECT_TRUE(Status());
  EXPECT_FALSE(Status(IoError("")));
}

TEST(Error, FactoriesSetTheCode) {
  EXPECT_EQ(Malformed("m").code, ErrorCode::kMalformed);
  EXPECT_EQ(Unsupported("m").code, ErrorCode::kUnsupported);
  EXPECT_EQ(InvalidArgument("m").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(IoError("m").code, ErrorCode::kIo);
}

TEST(Error, KeepsTheFirstFileThatIsNamed) { EXPECT_EQ(IoError("m").In("inner.ptd").In("outer.pte").file, "inner.ptd"); }

}  // namespace
}  // namespace pteedit::result_test
