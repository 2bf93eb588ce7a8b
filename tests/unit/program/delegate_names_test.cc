#include "program/delegate_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program/container_state.h"
#include "program_builder.h"

namespace pteedit::delegate_names_test {
namespace {

using test::ProgramBuilder;

TEST(DelegateNames, CountEachBackendThroughTheFile) {
  ProgramBuilder program;
  program.Method("z").Delegate("Xnn", {1}).Delegate("Vulkan", {2}).Delegate("Xnn", {3});
  program.Method("a").Delegate("Xnn", {4});
  program.Method("none");
  const Container file = program.Open();
  std::vector<std::vector<std::string>> all;
  for (const DelegateNames& names : DelegateNamesIn(file.state().program_root())) {
    all.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) all.back().push_back(names[i]);
  }
  EXPECT_EQ(all, (std::vector<std::vector<std::string>>{{"Xnn_0", "Vulkan_0", "Xnn_1"}, {"Xnn_2"}, {}}));
}

}  // namespace
}  // namespace pteedit::delegate_names_test
