// What names in a manifest may be, and how long it may be itself.
#ifndef PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_
#define PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pteedit {

inline constexpr size_t kMaxNameBytes = 255;
inline constexpr uint64_t kMaxManifestBytes = uint64_t{16} << 20;

// "" or ".pte" or ".ptd.zst".
bool IsExtension(std::string_view text);

// For people, and for command lines: some text without control bytes, in valid UTF-8.
bool IsShownAsItIs(std::string_view name);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_MANIFEST_NAMES_H_
