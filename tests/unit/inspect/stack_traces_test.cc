#include <gtest/gtest.h>

#include <vector>

#include "pteedit/execution.h"
#include "test_files.h"

namespace pteedit::stack_traces_test {
namespace {

TEST(DescribeStackTraces, TellsWhereInstructionsCameFrom) {
  const Result<std::vector<StackTrace>> traces =
      DescribeStackTraces(test::OpenFile(test::DataPath("f10_stacktrace.pte")));
  ASSERT_TRUE(traces);
  ASSERT_FALSE(traces->empty());
  EXPECT_EQ(traces->front().method, "forward");
  EXPECT_EQ(traces->front().frames.front().file, "tests/models/models.py");
  EXPECT_GT(traces->front().frames.back().line, 0);
  EXPECT_FALSE(traces->front().frames.back().code.empty());
  EXPECT_TRUE(DescribeStackTraces(test::OpenFile(test::DataPath("f02_linear.pte")))->empty());
  EXPECT_TRUE(DescribeStackTraces(test::OpenFile(test::DataPath("f04/w.ptd")))->empty());
}

}  // namespace
}  // namespace pteedit::stack_traces_test
