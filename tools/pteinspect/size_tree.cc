#include "size_tree.h"

#include <algorithm>
#include <set>

#include "pteedit/text.h"
#include "sizes_text.h"

namespace pteedit::inspect {
namespace {

class TreeText {
 public:
  TreeText(const std::vector<const SizeNode*>& open, bool exact) : open_(open.begin(), open.end()), exact_(exact) {}

  std::string List(const SizeNode& root) {
    if (!open_.empty()) MarkWays(root);
    for (const SizeNode& component : root.components) Append(component, 0);
    return std::move(out_);
  }

  std::string Component(const SizeNode& component) {
    Append(component, 0);
    return std::move(out_);
  }

 private:
  // Whether an open node is `node` or below it.
  bool MarkWays(const SizeNode& node) {
    bool is_way = false;
    for (const SizeNode& component : node.components) is_way = MarkWays(component) || is_way;
    if (is_way) ways_.insert(&node);
    return is_way || open_.count(&node) != 0;
  }

  void Append(const SizeNode& node, size_t level) {
    AppendLine(level, NameText(node.name, node.aliases), node.size, node.note);
    const bool is_open = open_.count(&node) != 0;
    if (!is_open && ways_.count(&node) == 0) return;
    for (const SizeNode& component : node.components) {
      const bool leads_on = open_.count(&component) != 0 || ways_.count(&component) != 0;
      if (is_open || leads_on) Append(component, level + 1);
    }
    if (is_open) AppendReferences(node, level + 1);
  }

  void AppendReferences(const SizeNode& node, size_t level) {
    if (node.refers_to.empty()) return;
    out_ += std::string(level, ' ') + "refers to:\n";
    for (const SizeNode::Reference& reference : node.refers_to) {
      AppendLine(level + 1, EscapeControl(reference.key), reference.bytes, {});
    }
  }

  void AppendLine(size_t level, const std::string& name, uint64_t bytes, const std::string& note) {
    out_.append(level, ' ');
    out_ += name + ": " + SizeText(bytes, exact_);
    if (!note.empty()) out_ += " (" + EscapeControl(note) + ")";
    out_ += '\n';
  }

  std::set<const SizeNode*> open_;
  std::set<const SizeNode*> ways_;  // to open nodes
  bool exact_;
  std::string out_;
};

}  // namespace

std::string SizeText(uint64_t bytes, bool exact) { return exact ? std::to_string(bytes) : cli::HumanSize(bytes); }

std::string NameText(const std::string& name, const std::vector<std::string>& aliases) {
  std::string text = EscapeControl(name);
  for (size_t i = 0; i < aliases.size(); ++i) text += (i == 0 ? " (also " : ", ") + EscapeControl(aliases[i]);
  return aliases.empty() ? text : text + ")";
}

std::string ListText(const SizeNode& root, const std::vector<const SizeNode*>& open, bool exact) {
  return TreeText(open, exact).List(root);
}

std::string ComponentText(const SizeNode& component, bool exact) {
  return TreeText({&component}, exact).Component(component);
}

}  // namespace pteedit::inspect
