// Constants that have names inside the program take them along as keys, and a key means one thing in the program and
// all its data files. Content keys do by themselves; where a name would not, its constant stays.
#ifndef PTEEDIT_SRC_SPLIT_SPLIT_NAMES_H_
#define PTEEDIT_SRC_SPLIT_SPLIT_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "program/file_set.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "split/split_choice.h"

namespace pteedit {

// What the app can ask the runtime for; empty where the tensor has no name. The field holds the key once the bytes are
// outside, so the name must be the key.
std::string_view NameOf(const ConstantUse& use);

// For each constant why it stays, empty where all its keys are free. `index` is that of the data files.
Result<std::vector<std::string>> WhyKeysClash(const ProgramSet& set, const std::vector<MovableConstant>& constants);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_SPLIT_SPLIT_NAMES_H_
