// Other bytes for what a file stores: from files of arrays, from a checkpoint, or none of anybody's.
#ifndef PTEEDIT_SRC_COPY_NEW_CONTENTS_H_
#define PTEEDIT_SRC_COPY_NEW_CONTENTS_H_

#include <memory>
#include <string>

#include "copy/contents.h"
#include "pteedit/copy.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// One content by its name. Fails with kInvalidArgument where there is none of that name, it cannot change, or type and
// sizes, or the number of bytes, are others.
Status ReplaceContent(StoredContents& contents, const NewContent& content, const CopyOptions& options,
                      RewriteReport& report);

// All contents that are in the checkpoint, by name. What did not change is in the report, and why. Fails with
// kInvalidArgument where nothing does.
Status Refit(StoredContents& contents, const std::shared_ptr<const Source>& checkpoint, const CopyOptions& options,
             RewriteReport& report);

// All of them: zeros, or random numbers that depend on nothing but the seed and the place in the list of contents. What
// cannot change is in the report.
void SplatContents(StoredContents& contents, const Splat& splat, const std::string& file, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_NEW_CONTENTS_H_
