#include "text/size_tree.h"

#include <gtest/gtest.h>

#include "size_nodes.h"
#include "text/table.h"

namespace pteedit::cli::size_tree_test {
namespace {

using test::Node;

SizeNode Example() {
  return Node(
      "Total Size", 13951248,
      {Node("Program Flatbuffer", 51232),
       Node("Constant Tensors", 112, {Node("conv_0_weight", 64), Node("conv_1_weight", 48)}),
       Node("Delegate Blobs", 13899904, {Node("XnnpackBackend_0", 8849904), Node("XnnpackBackend_1", 5050000)})});
}

constexpr Style kExact{Format::kText, /*exact_bytes=*/true};

TEST(ListText, LooksAsTheContractShowsIt) {
  const SizeNode root = Example();
  EXPECT_EQ(ListText(root, {&root.components[1], &root.components[2]}, {}),
            "Program Flatbuffer: 51.23 KB\n"
            "Constant Tensors: 112 B\n"
            " conv_0_weight: 64 B\n"
            " conv_1_weight: 48 B\n"
            "Delegate Blobs: 13.90 MB\n"
            " XnnpackBackend_0: 8.85 MB\n"
            " XnnpackBackend_1: 5.05 MB\n");
}

TEST(ListText, ShowsLevelOneWithoutOpenComponents) {
  EXPECT_EQ(ListText(Example(), {}, kExact),
            "Program Flatbuffer: 51232\nConstant Tensors: 112\nDelegate Blobs: 13899904\n");
}

TEST(ListText, ShowsOnlyTheWayToADeepOpenComponent) {
  SizeNode root = Example();
  SizeNode& delegate = root.components[2].components[1];
  delegate.more.Edit().refers_to = {{"some/key", 2000}};
  EXPECT_EQ(ListText(root, {&delegate}, {}),
            "Program Flatbuffer: 51.23 KB\n"
            "Constant Tensors: 112 B\n"
            "Delegate Blobs: 13.90 MB\n"
            " XnnpackBackend_1: 5.05 MB\n"
            "  refers to:\n"
            "   some/key: 2.00 KB\n");
}

TEST(ComponentText, ShowsDirectSubComponents) {
  EXPECT_EQ(ComponentText(Example().components[1], {}),
            "Constant Tensors: 112 B\n conv_0_weight: 64 B\n conv_1_weight: 48 B\n");
}

TEST(ComponentText, ShowsAliasesAndNotesAndEscapesNames) {
  SizeNode node = Node("a\x1b[2J", 5);
  node.more.Edit().aliases = {"b", "c\xff"};
  node.more.Edit().note = "inline";
  EXPECT_EQ(ComponentText(node, {}), "a\\x1b[2J (also b, c\\xff): 5 B (inline)\n");
}

TEST(Table, AlignsColumnsByCharacters) {
  Table table({{"Name"}, {"Size", Align::kRight}, {"Users"}});
  table.AddRow({"é", "5 B", ""});
  table.AddRow({"long name", "10 B", "x"});
  EXPECT_EQ(table.In({Format::kText}),
            "Name       Size  Users\n"
            "é           5 B\n"
            "long name  10 B  x\n");
}

TEST(Table, QuotesWhatCommaSeparatedValuesWouldSplit) {
  Table table({{"Name"}, {"Sizes"}});
  table.AddRow({"plain", "1,2"});
  table.AddRow({"say \"x\"", "two\nlines"});
  EXPECT_EQ(table.In({Format::kCsv}), "Name,Sizes\nplain,\"1,2\"\n\"say \"\"x\"\"\",\"two\nlines\"\n");
}

TEST(Table, EscapesWhatMeansSomethingInMarkdown) {
  Table table({{"Name"}, {"Size", Align::kRight}});
  table.AddRow({"a|b_c <img>", "1"});
  EXPECT_EQ(table.In({Format::kMarkdown}), "| Name | Size |\n| --- | ---: |\n| a\\|b\\_c \\<img\\> | 1 |\n");
}

TEST(TreeCsv, HoldsTheWholeTreeWithItsRoot) {
  EXPECT_EQ(TreeCsv(Example()).substr(0, 89),
            "Name,Size (bytes),Level\nTotal Size,13951248,0\nProgram Flatbuffer,51232,1\nConstant Tensors");
}

}  // namespace
}  // namespace pteedit::cli::size_tree_test
