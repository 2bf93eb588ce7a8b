#include <algorithm>
#include <string_view>

#include "pteedit/near_matches.h"
#include "pteedit/sizes.h"

namespace pteedit {
namespace {

bool IsCalled(const SizeNode& node, std::string_view name) {
  const auto is_among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return node.name == name || is_among(node.more->aliases) || is_among(node.more->own_names);
}

const SizeNode* FindBelow(const SizeNode& parent, std::string_view path);

// Of the direct components, and those of groups among them: one whose whole name is `path`, else one that a part of the
// path before a '/' names.
const SizeNode* FindAmong(const std::vector<SizeNode>& components, std::string_view path) {
  for (const SizeNode& node : components) {
    if (IsCalled(node, path)) return &node;
  }
  for (const SizeNode& node : components) {
    const SizeNode* found = node.is_group ? FindAmong(node.components, path) : nullptr;
    if (found == nullptr) found = FindBelow(node, path);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// What `path` names where its beginning names `parent` and '/' follows.
const SizeNode* FindBelow(const SizeNode& parent, std::string_view path) {
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (!IsCalled(parent, path.substr(0, slash))) continue;
    if (const SizeNode* found = FindAmong(parent.components, path.substr(slash + 1))) return found;
  }
  return nullptr;
}

// All nodes, those nearer to the root first.
std::vector<const SizeNode*> NodesByDepth(const SizeNode& root) {
  std::vector<const SizeNode*> nodes = {&root};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const SizeNode& component : nodes[i]->components) nodes.push_back(&component);
  }
  return nodes;
}

// The only one that is called so but for the case of letters, the nearest to the root; null where several names are.
const SizeNode* FindFolded(const std::vector<const SizeNode*>& nodes, const std::string& name) {
  const std::string wanted = FoldCase(name);
  const SizeNode* found = nullptr;
  for (const SizeNode* node : nodes) {
    const auto is_wanted = [&](const std::string& one) {
      return one.size() == wanted.size() && FoldCase(one) == wanted;
    };
    if (!is_wanted(node->name) && std::none_of(node->more->aliases.begin(), node->more->aliases.end(), is_wanted))
      continue;
    if (found != nullptr && found->name != node->name) return nullptr;
    if (found == nullptr) found = node;
  }
  return found;
}

}  // namespace

const SizeNode* FindComponent(const SizeNode& root, const std::string& path) {
  std::vector<const SizeNode*> nodes = NodesByDepth(root);
  const auto top = nodes.begin() + 1 + static_cast<std::ptrdiff_t>(root.components.size());
  std::stable_partition(top, nodes.end(), [](const SizeNode* node) { return node->place.has_value(); });
  for (const SizeNode* node : nodes) {
    if (IsCalled(*node, path)) return node;
  }
  for (const SizeNode* node : nodes) {
    if (const SizeNode* found = FindBelow(*node, path)) return found;
  }
  return FindFolded(nodes, path);
}

std::vector<std::string> NearMatches(const SizeNode& root, const std::string& path, size_t count) {
  std::vector<std::string> names;
  for (const SizeNode* node : NodesByDepth(root)) names.push_back(node->name);
  return NearMatches(names, path, count);
}

}  // namespace pteedit
