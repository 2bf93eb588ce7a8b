// Showing text that came from a file.
#ifndef PTEEDIT_TEXT_H_
#define PTEEDIT_TEXT_H_

#include <string>
#include <string_view>

#include "pteedit/export.h"

namespace pteedit {

// `text` with control bytes and invalid UTF-8 written as \xNN, so that no name in a file can move a terminal's cursor.
PTEEDIT_API std::string EscapeControl(std::string_view text);

// The same for JSON, which has no bytes: each of them becomes U+FFFD.
PTEEDIT_API std::string ReplaceControl(std::string_view text);

// Two digits a byte, "00ff".
PTEEDIT_API std::string HexDigits(std::string_view bytes);

}  // namespace pteedit

#endif  // PTEEDIT_TEXT_H_
