// Programs and data files inside an archive (.etm), read where they lie.
#ifndef PTEEDIT_ARCHIVE_MEMBER_H_
#define PTEEDIT_ARCHIVE_MEMBER_H_

#include <memory>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// A member of the archive, under the name "model.etm!weights/foundation.ptd". Fails with kMalformed where this is no
// archive or a damaged one, with kInvalidArgument where it has no such member, with kUnsupported where that is not
// stored as it is.
PTEEDIT_API Result<std::shared_ptr<const Source>> OpenMember(const std::shared_ptr<const Source>& archive,
                                                             const std::string& member);

// The program of an archive of one variant, its member model.pte, under the archive's name; any other source as it is.
// Fails with kUnsupported where the member is not stored as it is.
PTEEDIT_API Result<std::shared_ptr<const Source>> ProgramOrItself(const std::shared_ptr<const Source>& source);

// The names of the data files in an archive of one variant, "weights/foundation.ptd", in the order of its directory,
// which is that in which a loader takes them; of any other source none.
PTEEDIT_API Result<std::vector<std::string>> DataMembers(const std::shared_ptr<const Source>& source);

}  // namespace pteedit

#endif  // PTEEDIT_ARCHIVE_MEMBER_H_
