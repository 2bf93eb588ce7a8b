#include <algorithm>
#include <numeric>
#include <string_view>

#include "pteedit/sizes.h"

namespace pteedit {
namespace {

// Longer names are compared by their beginnings only.
constexpr size_t kComparedBytes = 64;

bool IsCalled(const SizeNode& node, std::string_view name) {
  return node.name == name || std::find(node.aliases.begin(), node.aliases.end(), name) != node.aliases.end();
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

char LowerCase(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string Folded(std::string_view text) {
  std::string out(text.substr(0, kComparedBytes));
  std::transform(out.begin(), out.end(), out.begin(), LowerCase);
  return out;
}

// How many letters must be inserted, removed or changed to get from one to the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

constexpr size_t kUnlike = ~size_t{0};

// The smaller, the more alike. A part of the name is nearer than a misspelling; both are given folded.
size_t Unlikeness(const std::string& wanted, const std::string& name) {
  const size_t longer = std::max(wanted.size(), name.size());
  const size_t shorter = std::min(wanted.size(), name.size());
  const bool is_part = !wanted.empty() && name.find(wanted) != std::string::npos;
  if (is_part) return longer - shorter;
  const size_t tolerated = std::max<size_t>(1, wanted.size() / 3);
  if (longer - shorter > tolerated) return kUnlike;
  const size_t distance = EditDistance(wanted, name);
  return distance <= tolerated ? kComparedBytes + distance : kUnlike;
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
  return nullptr;
}

std::vector<std::string> NearMatches(const SizeNode& root, const std::string& path, size_t count) {
  struct Match {
    size_t unlikeness;
    const SizeNode* node;
  };
  std::vector<Match> matches;
  const std::string wanted = Folded(path);
  for (const SizeNode* node : NodesByDepth(root)) {
    const size_t unlikeness = Unlikeness(wanted, Folded(node->name));
    if (unlikeness != kUnlike) matches.push_back({unlikeness, node});
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.unlikeness < b.unlikeness; });
  std::vector<std::string> names;
  for (size_t i = 0; i < matches.size() && names.size() < count; ++i) {
    const std::string& name = matches[i].node->name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace pteedit
