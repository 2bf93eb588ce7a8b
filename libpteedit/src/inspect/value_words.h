// What values and operators are called in descriptions.
#ifndef PTEEDIT_SRC_INSPECT_VALUE_WORDS_H_
#define PTEEDIT_SRC_INSPECT_VALUE_WORDS_H_

#include <string>

#include "program/schema.h"

namespace pteedit {

const char* TypeName(schema::KernelTypes type);        // see ValueDescription::type
std::string OperatorName(const schema::Operator& op);  // "aten::add.out"

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_VALUE_WORDS_H_
