// Showing text that came from a file, and sizes.
#ifndef PTEEDIT_TEXT_H_
#define PTEEDIT_TEXT_H_

#include <cstdint>
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

// "51.23 KB" for 51232: powers of 1000 with two decimals, from 1000 bytes on; "999 B" below. The unit goes by the size
// itself, not by its rounding: 999999 is "1000.00 KB".
PTEEDIT_API std::string HumanSize(uint64_t bytes);

}  // namespace pteedit

#endif  // PTEEDIT_TEXT_H_
