// Files of a release that are what its manifest says.
#ifndef PTEEDIT_SRC_PACKAGE_CHECKED_FILE_H_
#define PTEEDIT_SRC_PACKAGE_CHECKED_FILE_H_

#include <memory>
#include <string>

#include "pteedit/package/manifest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Opens a file and compares its size. Fails as OpenReleaseFile does, and with kMalformed.
Result<std::shared_ptr<const Source>> OpenSized(const std::string& folder, const ReleaseFile& file);
// Reads it to compare its SHA-256. Fails with kMalformed.
Status CheckContents(const Source& source, const std::string& sha256);
// The same of a SHA-256 that is known.
Status CheckDigest(const std::string& is, const std::string& expected, const Source& source);
// Opens it, and compares both.
Result<std::shared_ptr<const Source>> OpenChecked(const std::string& folder, const ReleaseFile& file);

// Whether the release has the very file.
bool HasFile(const Manifest& manifest, const ReleaseFile& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_CHECKED_FILE_H_
