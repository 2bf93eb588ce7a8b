#include "strip/prune_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace pteedit::prune_plan_test {
namespace {

// As the library does it, which is compiled without exceptions.
TEST(KeepValues, GivesMemoryBackWhereMostGoes) {
  tables::ExecutionPlan plan;
  plan.values.items.resize(1000);
  std::vector<bool> wanted(1000);
  wanted[500] = true;
  KeepValues(plan, wanted);
  EXPECT_EQ(plan.values.items.size(), 1U);
  EXPECT_LT(plan.values.items.capacity(), 10U);
}

}  // namespace
}  // namespace pteedit::prune_plan_test
