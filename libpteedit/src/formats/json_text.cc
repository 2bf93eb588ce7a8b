#include "formats/json_text.h"

#include "pteedit/text.h"

namespace pteedit {

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : ReplaceControl(text)) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

}  // namespace pteedit
