// All that can be known of applying a delta before the first byte is written.
#ifndef PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_
#define PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "package/delta_build.h"
#include "pteedit/package/delta.h"
#include "pteedit/package/manifest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// How the new release gets one of its files.
struct ApplyFile {
  ReleaseFile file;
  const DeltaFile* made = nullptr;          // by the delta, or
  std::shared_ptr<const Source> unchanged;  // the file that is there, or
  std::shared_ptr<const Source> packed;     // zstd frames of it
};

struct ApplyPlan {
  Manifest old;          // the older release's
  std::string made_by;   // the file that says how files are made
  Manifest delta;        // that of the delta, which `files` points into
  DeltaSources sources;  // whatever operations refer to
  std::string text;      // of the new manifest
  Manifest manifest;     // the new one
  std::vector<ApplyFile> files;
};

// Reads the manifests and the delta's own files, but of old files only the sizes. Fails as ApplyDelta does.
Result<std::unique_ptr<const ApplyPlan>> PlanApply(const std::string& delta, const std::string& from);

// Makes the files of the plan in the folder `to`, which is not `delta`, with the permissions of the file `like`. Fails
// as ApplyDelta does.
Result<ApplyReport> ApplyPlanned(const ApplyPlan& plan, const std::string& to, const std::string& like,
                                 const std::string& delta, const ApplyOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_APPLY_PLAN_H_
