#include "text/modules.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pteedit::cli {
namespace {

constexpr size_t kLeastRows = 3;

struct Module {
  std::string path;
  std::map<std::string, size_t> at;  // modules in it, by their last words
  std::vector<Module> modules;
  std::vector<SizeNode> rows;
};

void AddRow(SizeNode row, Module& root) {
  Module* place = &root;
  const std::string path(row.module());
  for (size_t end = 0; end < path.size(); ++end) {
    const size_t begin = end;
    end = std::min(path.find('.', begin), path.size());
    const auto [found, is_new] = place->at.emplace(path.substr(begin, end - begin), place->modules.size());
    if (is_new) place->modules.push_back({path.substr(0, end), {}, {}, {}});
    place = &place->modules[found->second];
  }
  place->rows.push_back(std::move(row));
}

std::vector<SizeNode> RowsOf(Module module);

SizeNode GroupOf(Module module) {  // NOLINT(misc-no-recursion): no deeper than modules are
  if (module.rows.empty() && module.modules.size() == 1) return GroupOf(std::move(module.modules.front()));
  SizeNode group;
  group.name = module.path;
  std::vector<SizeNode> rows = RowsOf(std::move(module));
  if (rows.size() == 1) return std::move(rows.front());
  group.is_group = true;
  for (const SizeNode& row : rows) group.size += row.size;
  group.components = std::move(rows);
  return group;
}

std::vector<SizeNode> RowsOf(Module module) {  // NOLINT(misc-no-recursion)
  std::vector<SizeNode> rows;
  rows.reserve(module.modules.size() + module.rows.size());
  for (Module& inner : module.modules) rows.push_back(GroupOf(std::move(inner)));
  for (SizeNode& row : module.rows) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

SizeNode GroupByModule(SizeNode tree) {  // NOLINT(misc-no-recursion): as deep as trees are
  for (SizeNode& component : tree.components) {
    component = GroupByModule(std::move(component));
    if (tree.components.size() < kLeastRows) component.module_length = 0;
  }
  const auto has_module = [](const SizeNode& component) { return component.module_length != 0; };
  if (std::ranges::none_of(tree.components, has_module)) return tree;
  std::vector<SizeNode> components = std::move(tree.components);
  Module root;
  for (SizeNode& component : components) AddRow(std::move(component), root);
  tree.components = RowsOf(std::move(root));
  const bool is_one = tree.components.size() == 1 && tree.components.front().is_group && components.size() > 1;
  if (is_one) tree.components = std::vector<SizeNode>(std::move(tree.components.front().components));
  return tree;
}

}  // namespace pteedit::cli
