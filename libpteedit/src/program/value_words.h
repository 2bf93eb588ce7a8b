// What values and operators are called in descriptions.
#ifndef PTEEDIT_SRC_PROGRAM_VALUE_WORDS_H_
#define PTEEDIT_SRC_PROGRAM_VALUE_WORDS_H_

#include <string>

#include "program/layout.h"
#include "program/schema.h"

namespace pteedit {

const char* TypeName(schema::KernelTypes type);        // see ValueDescription::type
const char* StoreName(Store store);                    // see TensorDescription::store
std::string OperatorName(const schema::Operator& op);  // "aten::add.out"
// A number or text, of a tensor its type: "float32[2,16] dynamic"; of all else the type's name.
std::string ValueWords(const schema::EValue& value);
// At most so many bytes of UTF-8 text, all letters whole.
std::string_view BeginningOf(std::string_view text, size_t most);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_VALUE_WORDS_H_
