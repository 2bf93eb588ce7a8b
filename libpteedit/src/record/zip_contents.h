// What an archive holds of some bytes.
#ifndef PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_
#define PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_

#include <cstdint>
#include <string>

#include "formats/zip_file.h"
#include "formats/zip_plan.h"
#include "pteedit/result.h"

namespace pteedit {

// The contents of an entry, inflated. kUnsupported where they have more than `most` bytes, are encrypted or packed in a
// way that is neither stored nor deflated; kMalformed where they are damaged.
Result<std::string> ReadContents(const ZipFile& zip, const ZipEntry& entry, uint64_t most);

// Deflated, or stored where that takes no more.
ZipContents PackContents(const std::string& contents);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_
