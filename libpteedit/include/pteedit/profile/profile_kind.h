// Files about running programs: ETDumps, which the runtime writes, and ETRecords, which the exporter writes. Told apart
// by content, not by name.
#ifndef PTEEDIT_PROFILE_PROFILE_KIND_H_
#define PTEEDIT_PROFILE_PROFILE_KIND_H_

#include <memory>
#include <optional>

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"
#include "pteedit/verify.h"

namespace pteedit {

enum class ProfileKind { kEtdump, kEtrecord };

// "etdump", "etrecord".
PTEEDIT_API const char* KindName(ProfileKind kind);

// Nothing where the file is neither. A damaged file has a kind where its first bytes tell. Fails with kIo where it
// cannot be read.
PTEEDIT_API Result<std::optional<ProfileKind>> FindProfileKind(const std::shared_ptr<const Source>& source);

// The root is "Total Size". Level 1 of an ETDump: Profile Events, Debug Events, Allocation Events, each with one row a
// run that has any, called `run_0` and so on; Other Tables, which have all else of the flatbuffer; Unattributed, what
// lies behind it. Of an ETRecord: one row an entry of the archive, with the bytes as stored; Zip Structure. Every byte
// belongs to one leaf. Fails with kMalformed where the file is damaged, kUnsupported where it is of no such kind or
// over a limit, kIo where it cannot be read.
PTEEDIT_API Result<SizeNode> MeasureProfile(const std::shared_ptr<const Source>& source, ProfileKind kind);

// What is wrong with the file, taken alone: tables, directory and JSON, but not what torch.save wrote. Fails with kIo
// where it cannot be read.
PTEEDIT_API Result<FileFindings> VerifyProfile(const std::shared_ptr<const Source>& source, ProfileKind kind);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_PROFILE_KIND_H_
