#include "pteedit/version.h"

#include <gtest/gtest.h>

#include <string>

namespace pteedit::version_test {
namespace {

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(std::string(PTEEDIT_VERSION), PROJECT_VERSION);
  const std::string parts = std::to_string(PTEEDIT_VERSION_MAJOR) + "." + std::to_string(PTEEDIT_VERSION_MINOR) + "." +
                            std::to_string(PTEEDIT_VERSION_PATCH);
  EXPECT_EQ(parts, PROJECT_VERSION);
}

}  // namespace
}  // namespace pteedit::version_test
