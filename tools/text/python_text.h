// Values as Python prints them, for reports that have to look like those of the exporter's own tools.
#ifndef PTEEDIT_TOOLS_TEXT_PYTHON_TEXT_H_
#define PTEEDIT_TOOLS_TEXT_PYTHON_TEXT_H_

#include <string>
#include <string_view>

#include "json.h"

namespace pteedit::cli {

// repr(): numbers with the fewest digits that give them back, lists, texts in quotes, bytes, None, True, False.
std::string PythonRepr(const Json& value);

// format(number, "g"): six digits.
std::string PythonGeneral(double number);

// Whether int() or float() takes the text.
bool IsPythonInt(std::string_view text);
bool IsPythonFloat(std::string_view text);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_PYTHON_TEXT_H_
