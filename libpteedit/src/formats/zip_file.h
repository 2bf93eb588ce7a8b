// A zip archive, also one over 4 GiB, read through its central directory, which alone says what is in it. Reading it
// touches the directory and the heads of the entries, never the contents of those that nobody asks for.
//   entry: head (30 bytes, name, extra fields), contents    as often as there are entries
//   directory: entry (46 bytes, name, extra fields, comment)   the same
//   end: [end of 64 bits, its locator,] end (22 bytes, comment)
// minizip 1.1, which distributions have, takes sizes of 64 bits in a directory for damage.
#ifndef PTEEDIT_SRC_FORMATS_ZIP_FILE_H_
#define PTEEDIT_SRC_FORMATS_ZIP_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct ZipEntry {
  std::string name;
  uint64_t bytes = 0;     // once inflated
  Extent stored;          // in the file, inside it
  uint64_t head = 0;      // where the file has its head, which the contents follow
  Extent listed;          // its record in the directory, with name, extra fields and comment, in the file
  uint32_t checksum = 0;  // CRC-32 of the contents
  uint16_t method = 0;    // 0 stored, 8 deflated
  bool is_encrypted = false;
};

// Whether a file that begins with `head` may be an archive.
bool LooksLikeZip(ByteSpan head);
// The name of the first entry, from the head of the file; empty where it has none.
std::string_view FirstZipName(ByteSpan head);

class ZipFile {
 public:
  // Fails with kMalformed where there is no directory at the end of the file, or where it is damaged; with kUnsupported
  // where it has more than 65536 entries or more than 64 MiB.
  static Result<ZipFile> Open(std::shared_ptr<const Source> source);

  const std::shared_ptr<const Source>& source() const { return source_; }
  // What the archive says of itself, at the end of the file.
  Extent comment() const { return comment_; }
  // In the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  // Null where there is none; the last of several.
  const ZipEntry* Find(std::string_view name) const;

 private:
  std::shared_ptr<const Source> source_;
  Extent comment_;
  std::vector<ZipEntry> entries_;
  std::vector<size_t> by_name_;  // of entries_, those with one name in their order
};

// That each byte belongs to one entry, so that what they hold together is in proportion to the file.
Status CheckApart(const ZipFile& zip);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_ZIP_FILE_H_
