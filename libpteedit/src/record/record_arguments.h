// Arguments in a record's graph.
#ifndef PTEEDIT_SRC_RECORD_RECORD_ARGUMENTS_H_
#define PTEEDIT_SRC_RECORD_RECORD_ARGUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/json_reader.h"

namespace pteedit {

// Adds the names of the values that an argument is: of one, of several where it is a list, of none for a constant.
void AddNames(const JsonValue& argument, std::vector<std::string>& names);

// Whether an argument is a list, also of one.
bool IsList(const JsonValue& argument);

// Of a union, an object whose one member is named after its type: that member, and its name in `type`, "as_tensor".
// Null where it is none.
const JsonValue* Chosen(const JsonValue& argument, std::string_view& type);

enum class ArgumentStyle {
  kGraph,  // as torch prints graphs: "%x", "[1, %sym_size]", "None", "cpu"
  kCode,   // as it prints programs: "x", "[1, sym_size]", "None", "device(type='cpu')"
};
std::string ArgumentText(const JsonValue& argument, ArgumentStyle style = ArgumentStyle::kGraph);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_RECORD_ARGUMENTS_H_
