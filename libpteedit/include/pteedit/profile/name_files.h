// Files that know what the contents of a program are called: checkpoints, records, what is known about blobs.
#ifndef PTEEDIT_PROFILE_NAME_FILES_H_
#define PTEEDIT_PROFILE_NAME_FILES_H_

#include <memory>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/names.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// What the file calls contents, whichever kind it is: a safetensors file; an ETRecord, with the weights and constants
// of its programs, or the hashes that ptestrip left of them; the metadata of delegates (delegate_metadata.h), where the
// key of a constant is the hash of its bytes. Fails with kUnsupported where it is none of these, kMalformed where it is
// damaged, kIo where it cannot be read; blames the file.
PTEEDIT_API Result<std::vector<ContentName>> ReadNames(const std::shared_ptr<const Source>& file);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_NAME_FILES_H_
