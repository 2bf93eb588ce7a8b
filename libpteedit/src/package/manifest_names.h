// What names in a manifest may be.
#ifndef PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_
#define PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_

#include <cstddef>
#include <string_view>

namespace pteedit {

inline constexpr size_t kMaxNameBytes = 255;

// "" or ".pte" or ".ptd.zst".
bool IsExtension(std::string_view text);

// For people, and for command lines: some text without control bytes, in valid UTF-8.
bool IsShownAsItIs(std::string_view name);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_
