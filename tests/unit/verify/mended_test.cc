#include "pteedit/mended.h"

#include <gtest/gtest.h>

namespace pteedit::mended_test {
namespace {

TEST(FindMissing, NamesWhatAReleaseLacks) {
  Requirements needs;
  needs.runtime = {{"1.0", "named data"}, {"0.1", "tables", "0.2"}};
  needs.foreign_operators = {"my::op.out"};
  const std::vector<Finding> missing = FindMissing(*FindTarget("executorch-0.7"), needs);
  ASSERT_EQ(missing.size(), 3U);
  EXPECT_EQ(missing[0].message, "executorch-0.7 lacks named data: since 1.0");
  EXPECT_EQ(missing[1].message, "executorch-0.7 lacks tables");
  EXPECT_EQ(missing[2].message, "executorch-0.7 lacks kernel 'my::op.out', which no release has");
  for (const Finding& finding : missing) {
    EXPECT_EQ(finding.id + finding.where, "runtime-lacks");
    EXPECT_EQ(finding.severity, Severity::kError);
  }
  needs.foreign_operators.clear();
  EXPECT_EQ(FindMissing(*FindTarget("executorch-1.0"), needs).size(), 1U);
  EXPECT_TRUE(FindMissing(*FindTarget("executorch-1.0"), {}).empty());
}

TEST(BehaviourOf, IsThatBeforeOrSinceTheReleaseThatMended) {
  const Finding finding{"jump-endless", Severity::kError, "", "never ends"};
  EXPECT_EQ(BehaviourOf(*FindTarget("executorch-1.2"), finding), "executorch-1.2 never ends, mended in 1.3");
  EXPECT_EQ(BehaviourOf(*FindTarget("executorch-1.3"), finding),
            "executorch-1.3 ends it after 10 million instructions, mended in 1.3");
  EXPECT_EQ(BehaviourOf(*FindTarget("executorch-1.3"), {"runtime-lacks", Severity::kError, "", ""}), "");
}

}  // namespace
}  // namespace pteedit::mended_test
