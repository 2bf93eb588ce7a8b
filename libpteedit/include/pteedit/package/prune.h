// Removing what was part of a release and is part of none any more.
#ifndef PTEEDIT_PACKAGE_PRUNE_H_
#define PTEEDIT_PACKAGE_PRUNE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

struct PrunedFile {
  std::string path;
  uint64_t bytes = 0;
};

// Removes the regular files right in these folders, each with a manifest, that are called as those of a release or
// parts of such (IsReleaseFileName, IsPartialFileName) and that none of the manifests names; in a dry run it only finds
// them. Never another file. Sorted by path. Fails as OpenRelease does, before anything is removed, and with kIo where a
// folder cannot be read or a file not removed; trying again then goes on.
PTEEDIT_API Result<std::vector<PrunedFile>> PruneReleases(const std::vector<std::string>& folders, bool dry_run);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_PRUNE_H_
