// All that can be known of applying a delta before the first byte is written.
#ifndef PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_
#define PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "package/delta_build.h"
#include "pteedit/package/manifest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// How the new release gets one of its files.
struct ApplyFile {
  ReleaseFile file;
  const DeltaFile* made = nullptr;          // null where the old release has it
  std::shared_ptr<const Source> unchanged;  // the old release's
};

struct ApplyPlan {
  Manifest old;          // the older release's
  Manifest delta;        // that of the delta, which `files` points into
  DeltaSources sources;  // whatever operations refer to
  std::string text;      // of the new manifest
  Manifest manifest;     // the new one
  std::vector<ApplyFile> files;
};

// Reads the manifests and the delta's own files, but of old files only the sizes. Fails as ApplyDelta does.
Result<std::unique_ptr<const ApplyPlan>> PlanApply(const std::string& delta, const std::string& from);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_
