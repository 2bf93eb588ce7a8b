// The size tree with what the model's modules hold together, for people.
#ifndef PTEEDIT_TOOLS_TEXT_MODULES_H_
#define PTEEDIT_TOOLS_TEXT_MODULES_H_

#include "pteedit/sizes.h"

namespace pteedit::cli {

// With a group for each module that holds two or more of the rows beside each other, in that order, before the rows of
// no module. A module that holds nothing but another is one with it. Fewer than three rows stay as they are. The pages
// have the same in tree.js.
SizeNode GroupByModule(SizeNode tree);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_MODULES_H_
