// A release as it lies in a folder: a manifest and the files that it names.
#ifndef PTEEDIT_PACKAGE_RELEASE_H_
#define PTEEDIT_PACKAGE_RELEASE_H_

#include <memory>
#include <string>

#include "pteedit/export.h"
#include "pteedit/package/manifest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct Release {
  std::string folder;
  Manifest manifest;
};

// Reads the manifest in `folder` and looks at no other file. Fails as OpenReleaseFile and ReadManifest do.
PTEEDIT_API Result<Release> OpenRelease(const std::string& folder);

// Opens a file of the folder; `name` is portable (IsPortableName). Fails with kIo where it cannot be opened, and with
// kMalformed where it is a link that leads out of the folder.
PTEEDIT_API Result<std::shared_ptr<const Source>> OpenReleaseFile(const std::string& folder, const std::string& name);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_RELEASE_H_
