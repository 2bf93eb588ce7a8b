#include "views/hash_list.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::cli::hash_list_test {
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

std::string ListOf(const Container& file, const std::string& what) {
  std::vector<ContentHash> hashes = *HashContents(file, HashKind::kXxh3);
  std::erase_if(hashes, [&](const ContentHash& one) { return one.what() != what; });
  std::ostringstream list;
  PrintHashList(hashes, list);
  return list.str();
}

// How files differ from a list.
std::vector<std::string> DifferencesFrom(const std::string& list, const ProgramSet& checked) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "list";
  std::ofstream(path) << list;
  const auto found = CheckHashes(checked, path, 1);
  if (!found) return {found.error().message};
  std::vector<std::string> lines;
  for (const HashDifference& one : found->differences)
    lines.push_back(one.file + ": " + one.what + " '" + one.name + "' " + one.problem);
  return lines;
}

// How a file differs from the list of another's constants.
std::vector<std::string> Differences(const Container& listed, const Container& checked) {
  return DifferencesFrom(ListOf(listed, "constant"), checked);
}

TEST(CheckHashes, FindsContentsOfOneNameThatAreExchanged) {
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(1, 2)), std::vector<std::string>());
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(2, 1)),
            (std::vector<std::string>{"m.pte: constant 'w' has other bytes (number 1 of its name)",
                                      "m.pte: constant 'w' has other bytes (number 2 of its name)"}));
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), TwoOfOneName(1, 1)),
            (std::vector<std::string>{"m.pte: constant 'w' has other bytes (number 2 of its name)"}));
}

TEST(CheckHashes, TakesEqualContentsOfOneNameThatAreStoredOnce) {
  test::ProgramBuilder once;
  once.Constant(test::Floats({8}), test::Pattern(32, 1)).Tensor(1, test::Floats({8}));
  for (const size_t value : {0U, 1U})
    once.TensorAt(value).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("w");
  EXPECT_EQ(Differences(TwoOfOneName(1, 1), once.Open("m.pte")), std::vector<std::string>());
  EXPECT_EQ(Differences(TwoOfOneName(1, 2), once.Open("m.pte")),
            (std::vector<std::string>{"m.pte: constant 'w' is gone (number 2 of its name)"}));
}

Container DataOf(const std::vector<std::pair<std::string, uint32_t>>& keys, const std::string& name) {
  test::DataFileBuilder data;
  for (const auto& [key, seed] : keys) data.Key(key, test::Pattern(32, seed));
  return data.Open(name);
}

TEST(CheckHashes, TakesDataFilesAndContentsThatMovedIntoThem) {
  const Container whole = test::ProgramBuilder()
                              .Method("forward")
                              .NamedData("a", test::Pattern(32, 1))
                              .NamedData("b", test::Pattern(32, 2))
                              .Open("m.pte");
  const std::string list = ListOf(whole, "key");
  const Container rest = test::ProgramBuilder().Method("forward").NamedData("a", test::Pattern(32, 1)).Open("m.pte");
  EXPECT_EQ(DifferencesFrom(list, {rest, {DataOf({{"b", 2}}, "w.ptd")}}), std::vector<std::string>());
  EXPECT_EQ(DifferencesFrom(list, rest), std::vector<std::string>{"m.pte: key 'b' is gone"});
  EXPECT_EQ(DifferencesFrom(list, {rest, {DataOf({{"b", 3}, {"c", 3}}, "w.ptd")}}),
            (std::vector<std::string>{"w.ptd: key 'b' has other bytes", "w.ptd: key 'c' is new"}));
}

TEST(CheckHashes, ReadsListsOfSeveralFiles) {
  const Container program = TwoOfOneName(1, 2), data = DataOf({{"b", 2}}, "w.ptd");
  const std::string list = "m.pte:\n" + ListOf(program, "constant") + "\nw.ptd:\n" + ListOf(data, "key");
  EXPECT_EQ(DifferencesFrom(list, {program, {data}}), std::vector<std::string>());
  EXPECT_EQ(DifferencesFrom(list, {program, {DataOf({{"b", 3}}, "w.ptd")}}),
            std::vector<std::string>{"w.ptd: key 'b' has other bytes"});
  EXPECT_EQ(DifferencesFrom(ListOf(program, "constant") + "w.ptd:\n", program),  // no title but at a beginning
            std::vector<std::string>{"line 3 is no line of a list of hashes"});
}

}  // namespace
}  // namespace pteedit::cli::hash_list_test
