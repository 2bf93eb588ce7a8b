#include "hash_list.h"

#include <gtest/gtest.h>

#include <fstream>

#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::cli {
namespace {

// A program whose constants, both called "w", have these contents.
Container TwoOfOneName(uint32_t first, uint32_t second) {
  test::ProgramBuilder program;
  size_t value = 0;
  for (const uint32_t seed : {first, second}) {
    program.Constant(test::Floats({8}), test::Pattern(32, seed));
    program.TensorAt(value++).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("w");
  }
  return program.Open("m.pte");
}

// How a file differs from the list of another's constants.
std::vector<std::string> Differences(const Container& listed, const Container& checked) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "list";
  std::vector<ContentHash> hashes = *HashContents(listed, HashKind::kXxh3);
  std::erase_if(hashes, [](const ContentHash& one) { return one.what != "constant"; });
  std::ofstream(path) << HashList(hashes);
  const auto found = CheckHashes(checked, path, 1);
  if (!found) return {found.error().message};
  std::vector<std::string> lines;
  for (const HashDifference& one : *found) lines.push_back(one.what + " '" + one.name + "' " + one.problem);
  return lines;
}

TEST(CheckHashes, FindsContentsOfOneNameThatAreExchanged) {
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(1, 2)), std::vector<std::string>());
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(2, 1)),
            (std::vector<std::string>{"constant 'w' has other bytes (number 1 of its name)",
                                      "constant 'w' has other bytes (number 2 of its name)"}));
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(1, 1)),
            (std::vector<std::string>{"constant 'w' has other bytes (number 2 of its name)"}));
}

TEST(CheckHashes, TakesEqualContentsOfOneNameThatAreStoredOnce) {
  test::ProgramBuilder once;
  once.Constant(test::Floats({8}), test::Pattern(32, 1)).Tensor(1, test::Floats({8}));
  for (const size_t value : {0U, 1U})
    once.TensorAt(value).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("w");
  EXPECT_EQ(Differences(TwoOfOneName(1, 1), once.Open("m.pte")), std::vector<std::string>());
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), once.Open("m.pte")),
            (std::vector<std::string>{"constant 'w' is gone (number 2 of its name)"}));
}

}  // namespace
}  // namespace pteedit::cli
