// What an archive holds of some bytes.
#ifndef PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_
#define PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_

#include <string>

#include "formats/zip_plan.h"

namespace pteedit {

// Deflated, or stored where that takes no more.
ZipContents PackContents(const std::string& contents);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_ZIP_CONTENTS_H_
