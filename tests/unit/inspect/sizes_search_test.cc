#include <gtest/gtest.h>

#include "program_builder.h"
#include "pteedit/names.h"
#include "pteedit/near_matches.h"
#include "pteedit/sizes.h"
#include "size_nodes.h"

namespace pteedit::sizes_search_test {
namespace {

using test::Node;

SizeNode TreeWithSlashes() {
  SizeNode aliased = Node("layer", 3);
  aliased.more.Edit().aliases = {"tied"};
  return Node(
      "Total Size", 10,
      {Node("a", 3, {Node("b", 1), Node("c/d", 2)}), Node("Named Data", 7, {Node("a/b", 4, {Node("e", 4)}), aliased})});
}

TEST(FindComponent, AWholeNameWinsOverSplitting) {
  const SizeNode root = TreeWithSlashes();
  EXPECT_EQ(FindComponent(root, "a/b")->size, 4U);
  EXPECT_EQ(FindComponent(root, "a/b/e")->name, "e");
}

TEST(FindComponent, PathsMayBeginAnywhereAndNamesMayHoldSlashes) {
  const SizeNode root = TreeWithSlashes();
  EXPECT_EQ(FindComponent(root, "c/d")->size, 2U);
  EXPECT_EQ(FindComponent(root, "a/c/d")->size, 2U);
  EXPECT_EQ(FindComponent(root, "Total Size/a/c/d")->size, 2U);
  EXPECT_EQ(FindComponent(root, "Named Data/a/b/e")->name, "e");
  EXPECT_EQ(FindComponent(root, "Total Size"), &root);
}

TEST(FindComponent, AliasesAreNames) { EXPECT_EQ(FindComponent(TreeWithSlashes(), "tied")->name, "layer"); }

TEST(FindComponent, WhatIsOnePieceWinsOverWhatIsPutTogether) {
  SizeNode key = Node("strings", 2);
  key.place = Extent{10, 2};
  const SizeNode root = Node("Total Size", 5, {Node("Tables", 3, {Node("strings", 3)}), Node("Named Data", 2, {key})});
  EXPECT_EQ(FindComponent(root, "strings")->size, 2U);
  EXPECT_EQ(FindComponent(root, "Tables/strings")->size, 3U);
}

TEST(FindComponent, PathsNeedNotNameGroups) {
  SizeNode graph = Node("graph", 3, {Node("weight", 2), Node("(rest)", 1)});
  graph.is_group = true;
  const SizeNode root = Node("Total Size", 3, {Node("Delegate Blobs", 3, {Node("X_0", 3, {graph})})});
  EXPECT_EQ(FindComponent(root, "X_0/weight")->size, 2U);
  EXPECT_EQ(FindComponent(root, "X_0/graph/weight")->size, 2U);
}

TEST(FindComponent, TheCaseOfLettersCountsOnlyWhereItTellsNamesApart) {
  const SizeNode root =
      Node("Total Size", 0, {Node("XnnpackBackend_0", 1), Node("W", 2), Node("w", 3), Node("V", 4), Node("V", 5)});
  EXPECT_EQ(FindComponent(root, "xnnpackbackend_0")->size, 1U);
  EXPECT_EQ(FindComponent(root, "w")->size, 3U);
  EXPECT_EQ(FindComponent(root, "v")->size, 4U);  // the first of one name, as with any name
  EXPECT_EQ(FindComponent(Node("Total Size", 0, {Node("Ab", 1), Node("aB", 2)}), "ab"), nullptr);
}

TEST(FindComponent, AConstantIsFoundByItsOwnNameWhereAnotherIsShown) {
  const std::vector<uint8_t> bytes = test::Pattern(256, 1);
  const Container file = test::ProgramBuilder().Constant(test::Floats({64}), bytes).Open();
  const ContentNames names({{"fc.weight", bytes.size(), {}, {64}, MakeMemorySource("w", bytes)}});
  const SizeNode root = *MeasureSizes(*names.Name(file));
  ASSERT_NE(FindComponent(root, "forward.constant_0"), nullptr);
  EXPECT_EQ(FindComponent(root, "forward.constant_0"), FindComponent(root, "fc.weight"));
}

TEST(FindComponent, IsNullWhereThereIsNone) {
  const SizeNode root = TreeWithSlashes();
  for (const char* path : {"", "x", "a/", "/a", "a/x", "a/b/c", "Named Data/e"}) {
    EXPECT_EQ(FindComponent(root, path), nullptr) << path;
  }
}

TEST(NearMatches, PutsPartsOfNamesBeforeMisspellings) {
  const SizeNode root =
      Node("Total Size", 0, {Node("XnnpackBackend_10", 0), Node("XnnpackBackend_1", 0), Node("Padding", 0)});
  EXPECT_EQ(NearMatches(root, "xnnpackbackend_1", 5),
            (std::vector<std::string>{"XnnpackBackend_1", "XnnpackBackend_10"}));
  EXPECT_EQ(NearMatches(root, "Xnpackbackend_1", 1), std::vector<std::string>{"XnnpackBackend_1"});
  EXPECT_EQ(NearMatches(root, "Paddng", 5), std::vector<std::string>{"Padding"});
  EXPECT_TRUE(NearMatches(root, "quite another", 5).empty());
}

TEST(FindName, PrefersTheExactSpellingAndRefusesToChooseBetweenOthers) {
  const std::vector<std::string> names = {"Forward", "forward", "DECODE", "decode"};
  EXPECT_EQ(FindName(names, "forward"), &names[1]);
  EXPECT_EQ(FindName(names, "Decode"), nullptr);
  EXPECT_EQ(FindName({"decode", "decode"}, "Decode") != nullptr, true);
  EXPECT_EQ(FindName(names, "encode"), nullptr);
}

TEST(DidYouMean, AsksOnlyWhereSomethingIsNear) {
  EXPECT_EQ(DidYouMean("forwrd", {"forward", "decode"}, 3), "'forwrd', did you mean 'forward'?");
  EXPECT_EQ(DidYouMean("x\n", {"forward"}, 3), "'x\\x0a'");
}

}  // namespace
}  // namespace pteedit::sizes_search_test
