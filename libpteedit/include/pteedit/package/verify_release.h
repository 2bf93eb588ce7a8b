// Whether a release is whole: its files are what the manifest says, and its programs what a runtime takes.
#ifndef PTEEDIT_PACKAGE_VERIFY_RELEASE_H_
#define PTEEDIT_PACKAGE_VERIFY_RELEASE_H_

#include <vector>

#include "pteedit/export.h"
#include "pteedit/package/release.h"
#include "pteedit/result.h"
#include "pteedit/verify.h"

namespace pteedit {

// Reads every file once and, where all files of a variant are whole, verifies its program with the data files that a
// loader has to take. The first element is of the manifest; those without findings are there too. Fails with kIo where
// a file that is there cannot be read.
PTEEDIT_API Result<std::vector<FileFindings>> VerifyRelease(const Release& release);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_VERIFY_RELEASE_H_
