// Arguments in a record's graph.
#ifndef PTEEDIT_SRC_PROFILE_RECORD_ARGUMENTS_H_
#define PTEEDIT_SRC_PROFILE_RECORD_ARGUMENTS_H_

#include <string>
#include <vector>

#include "delegates/json_reader.h"

namespace pteedit {

// Adds the names of the values that an argument is: of one, of several where it is a list, of none for a constant.
void AddNames(const JsonValue& argument, std::vector<std::string>& names);

// Whether an argument is a list, also of one.
bool IsList(const JsonValue& argument);

// As torch prints graphs: "%x", "[1, %sym_size]", "None", "cpu".
std::string ArgumentText(const JsonValue& argument);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RECORD_ARGUMENTS_H_
