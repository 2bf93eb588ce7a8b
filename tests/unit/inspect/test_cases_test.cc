#include "pteedit/test_cases.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "test_files.h"

namespace pteedit::test_cases_test {
namespace {

using namespace pteedit::test;

TEST(TestCases, AreThoseOfTheBundleWithTheirBytes) {
  const Container file = OpenFile(DataPath("f11_bundled_portable.bpte"));
  const std::vector<TestCase> cases = DescribeTestCases(file);
  ASSERT_FALSE(cases.empty());
  for (const TestCase& one : cases) {
    EXPECT_EQ(one.method, "forward");
    ASSERT_FALSE(one.inputs.empty());
    ASSERT_FALSE(one.expected_outputs.empty());
    for (const auto* values : {&one.inputs, &one.expected_outputs}) {
      for (const TestValue& value : *values) {
        ASSERT_TRUE(value.layout);
        EXPECT_EQ(value.layout->dim_order.size(), value.layout->sizes.size());
        EXPECT_EQ(ByteSize(*value.layout), value.extent.size);
        EXPECT_LE(value.extent.offset + value.extent.size, file.source()->size());
        EXPECT_FALSE(value.number);
      }
    }
  }
}

TEST(TestCases, OfWhatIsNoBundleAreNone) {
  EXPECT_TRUE(DescribeTestCases(OpenFile(DataPath("f02_linear.pte"))).empty());
  EXPECT_TRUE(DescribeTestCases(OpenFile(DataPath("f04/w.ptd"))).empty());
}

}  // namespace
}  // namespace pteedit::test_cases_test
