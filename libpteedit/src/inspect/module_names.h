// Which module of the model a tensor is in, told by its name.
#ifndef PTEEDIT_SRC_INSPECT_MODULE_NAMES_H_
#define PTEEDIT_SRC_INSPECT_MODULE_NAMES_H_

#include <string_view>

namespace pteedit {

// "layers.3.attention" of "layers.3.attention.weight": what precedes the last of the words that dots join, at most 16
// of them. Empty of names that are not made so, and of hashes. Whether somebody gave the name, the caller knows.
std::string_view ModuleOf(std::string_view name);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_MODULE_NAMES_H_
