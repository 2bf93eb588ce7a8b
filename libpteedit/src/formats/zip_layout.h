// The numbers of a zip archive, as its specification (APPNOTE.TXT) has them.
#ifndef PTEEDIT_SRC_FORMATS_ZIP_LAYOUT_H_
#define PTEEDIT_SRC_FORMATS_ZIP_LAYOUT_H_

#include <cstdint>

namespace pteedit {

inline constexpr uint32_t kZipHead = 0x04034b50, kZipEntry = 0x02014b50, kZipEnd = 0x06054b50;
inline constexpr uint32_t kZipLongEnd = 0x06064b50, kZipLocator = 0x07064b50;
inline constexpr uint64_t kZipHeadBytes = 30, kZipEntryBytes = 46, kZipEndBytes = 22;
inline constexpr uint64_t kZipLongEndBytes = 56, kZipLocatorBytes = 20;
inline constexpr uint16_t kZipStored = 0, kZipDeflated = 8;  // methods
inline constexpr uint16_t kZipLongFieldId = 1;               // of the extra field with the numbers of 64 bits
inline constexpr uint64_t kZipInLongField = 0xffffffff;      // in place of such a number

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_ZIP_LAYOUT_H_
