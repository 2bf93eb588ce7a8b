// What is wrong with an ETDump or an ETRecord, taken alone.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_PROFILE_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_PROFILE_H_

#include <memory>

#include "pteedit/profile.h"
#include "pteedit/result.h"
#include "pteedit/source.h"
#include "pteedit/verify.h"

namespace pteedit {

// Tables, directory and JSON; not what torch.save wrote. Fails with kIo where the file cannot be read.
Result<FileFindings> VerifyProfile(const std::shared_ptr<const Source>& source, ProfileKind kind);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_PROFILE_H_
