// The size tree as text: "name: size", one space of indent a level; in Markdown as rows of a table.
#ifndef PTEEDIT_TOOLS_TEXT_SIZE_TREE_H_
#define PTEEDIT_TOOLS_TEXT_SIZE_TREE_H_

#include <string>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "text/style.h"

namespace pteedit::cli {

// The name, and in parentheses other names of the same bytes. Control bytes escaped.
std::string NameText(const std::string& name, const std::vector<std::string>& aliases);

// Level 1 as a table, the largest first, with shares and, at the end, the sum.
std::string SummaryText(const SizeNode& root, const Style& style);

// Level 1, with what is inside the components of `open`; of what merely leads to one of these, only the way there.
std::string ListText(const SizeNode& root, const std::vector<const SizeNode*>& open, const Style& style);

// A component with its direct sub-components, or the keys that it refers to.
std::string ComponentText(const SizeNode& component, const Style& style);

// kInvalidArgument that names near matches.
Error NoSuchComponent(const SizeNode& root, const std::string& name);

// What goes before these in Markdown, where they are rows of a table; empty in text.
std::string TreeHead(const Style& style);

// The whole tree as comma-separated values: Name, Size (bytes), Level, as in the data frame of the Python
// package, and, where the tree has them, compressed sizes (also in planes), other names, types and modules.
std::string TreeCsv(const SizeNode& root);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_SIZE_TREE_H_
