// What an ETRecord tells of the people and machines that made it: leaks.h of a program.
#ifndef PTEEDIT_PROFILE_RECORD_LEAKS_H_
#define PTEEDIT_PROFILE_RECORD_LEAKS_H_

#include <memory>

#include "pteedit/export.h"
#include "pteedit/leaks.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Looks at the contents of all entries, inflated, and at the directory with their names. A leak's component is its
// entry, its offset that in the entry's contents; in the directory ("Zip Structure") that in the file. Fails with
// kUnsupported where it is no record or an entry is encrypted or too large to be inflated, kMalformed where the archive
// is damaged, kIo where it cannot be read.
PTEEDIT_API Result<Leaks> FindLeaksInRecord(const std::shared_ptr<const Source>& record);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_RECORD_LEAKS_H_
