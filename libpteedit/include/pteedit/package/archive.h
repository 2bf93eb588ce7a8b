// One file that holds a release or one of its variants: a zip archive (.etm) whose members are stored as they are, each
// at a multiple of 16 KiB, so that a runtime can map programs and weights straight out of it.
#ifndef PTEEDIT_PACKAGE_ARCHIVE_H_
#define PTEEDIT_PACKAGE_ARCHIVE_H_

#include <string>

#include "pteedit/export.h"
#include "pteedit/package/release.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

// Of a variant: its program as model.pte, data files below weights/, included files as ROLE.EXTENSION, and a
// manifest.json with this variant alone. Without a variant: the files of the release's folder under their names. Reads
// every file once and fails with kMalformed where one is not what the manifest says, with kInvalidArgument where there
// is no such variant.
PTEEDIT_API Result<PlannedFile> PlanArchive(const Release& release, const std::string& variant);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_ARCHIVE_H_
