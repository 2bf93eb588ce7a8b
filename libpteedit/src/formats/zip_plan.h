// Laying out an archive of new entries, or of those that another one has with the contents of some replaced. Heads and
// the directory are made anew, without gaps and without fields of 64 bits where those of 32 suffice; dates, attributes,
// comments and the directory's other extra fields stay. Sizes are in the heads, so nothing needs to follow the
// contents.
#ifndef PTEEDIT_SRC_FORMATS_ZIP_PLAN_H_
#define PTEEDIT_SRC_FORMATS_ZIP_PLAN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/planned_file.h"

namespace pteedit {

struct ZipContents {
  PlannedFile stored;     // as they are to be in the archive
  uint64_t bytes = 0;     // once inflated
  uint32_t checksum = 0;  // CRC-32, once inflated
  uint16_t method = 0;    // 0 stored, 8 deflated
};

// What the directory says of an entry that no archive had before, without a date; for ZipPlan::Add.
std::vector<uint8_t> NewZipEntry(std::string_view name);

class ZipPlan {
 public:
  // `listed`: the entry's record in the directory of the archive that it comes from, see ZipEntry. The contents begin
  // at a multiple of the alignment, a power of two up to 16384, as zipalign does it.
  void Add(ByteSpan listed, const ZipContents& contents, uint16_t alignment = 1);
  PlannedFile Finish(ByteSpan comment) &&;

 private:
  PlannedFile file_;
  std::vector<uint8_t> directory_;
  uint64_t entries_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_ZIP_PLAN_H_
