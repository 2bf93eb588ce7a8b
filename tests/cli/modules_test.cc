#include "text/modules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/size_tree.h"

namespace pteedit::cli::modules_test {
namespace {

SizeNode Row(const std::string& name, uint64_t size) {
  SizeNode row;
  row.name = name;
  row.size = size;
  const size_t dot = name.rfind('.');
  if (dot != std::string::npos) row.module_length = static_cast<uint32_t>(dot);
  return row;
}

SizeNode Tree(std::vector<SizeNode> rows) {
  SizeNode tree;
  tree.name = "Constant Tensors";
  for (const SizeNode& row : rows) tree.size += row.size;
  tree.components = std::move(rows);
  return tree;
}

std::string TextOf(std::vector<SizeNode> rows) { return ComponentText(GroupByModule(Tree(std::move(rows))), {}); }

TEST(GroupByModule, GivesModulesOfTwoAndMoreASubtotal) {
  EXPECT_EQ(TextOf({Row("embed.weight", 5), Row("layers.0.attention.wq.weight", 1),
                    Row("layers.0.attention.wk.weight", 2), Row("layers.1.norm", 3), Row("bias", 4)}),
            "Constant Tensors: 15 B\n"
            " embed.weight: 5 B\n"
            " layers: 6 B\n"
            "  layers.0.attention: 3 B\n"
            "   layers.0.attention.wq.weight: 1 B\n"
            "   layers.0.attention.wk.weight: 2 B\n"
            "  layers.1.norm: 3 B\n"
            " bias: 4 B\n");
}

TEST(GroupByModule, SaysNothingOfAModuleThatHoldsAll) {
  EXPECT_EQ(TextOf({Row("model.a.weight", 1), Row("model.a.bias", 2), Row("model.b", 3)}),
            "Constant Tensors: 6 B\n"
            " model.a: 3 B\n"
            "  model.a.weight: 1 B\n"
            "  model.a.bias: 2 B\n"
            " model.b: 3 B\n");
}

TEST(GroupByModule, LeavesTwoRowsAndRowsOfNoModuleAlone) {
  EXPECT_EQ(TextOf({Row("a.weight", 1), Row("a.bias", 2)}), "Constant Tensors: 3 B\n a.weight: 1 B\n a.bias: 2 B\n");
  EXPECT_EQ(TextOf({Row("a", 1), Row("b", 2), Row("c", 3)}), "Constant Tensors: 6 B\n a: 1 B\n b: 2 B\n c: 3 B\n");
}

TEST(GroupByModule, ModulesAndTheirRowsCanBeAskedFor) {
  const SizeNode tree = GroupByModule(Tree({Row("a.b.x", 1), Row("a.b.y", 2), Row("a.c", 3), Row("d", 4)}));
  ASSERT_NE(FindComponent(tree, "a.b"), nullptr);
  EXPECT_EQ(FindComponent(tree, "a.b")->size, 3U);
  ASSERT_NE(FindComponent(tree, "Constant Tensors/a.b.y"), nullptr);
  EXPECT_EQ(FindComponent(tree, "Constant Tensors/a.b.y")->size, 2U);
}

}  // namespace
}  // namespace pteedit::cli::modules_test
