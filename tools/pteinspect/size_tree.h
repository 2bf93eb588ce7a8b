// The size tree as text: "name: size", one space of indent a level.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_SIZE_TREE_H_
#define PTEEDIT_TOOLS_PTEINSPECT_SIZE_TREE_H_

#include <string>
#include <vector>

#include "pteedit/sizes.h"

namespace pteedit::inspect {

// "51.23 KB", or "51232".
std::string SizeText(uint64_t bytes, bool exact);

// The name, and in parentheses other names of the same bytes. Control bytes escaped.
std::string NameText(const std::string& name, const std::vector<std::string>& aliases);

// Level 1, with what is inside the components of `open`; of what merely leads to one of these, only the way there.
std::string ListText(const SizeNode& root, const std::vector<const SizeNode*>& open, bool exact);

// A component with its direct sub-components, or the keys that it refers to.
std::string ComponentText(const SizeNode& component, bool exact);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_SIZE_TREE_H_
