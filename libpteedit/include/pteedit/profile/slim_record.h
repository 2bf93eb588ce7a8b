// Records of the exporter without what only the exporter's own Python can use: weights and example inputs, which are
// nearly all of a record. The operation only plans, like Strip.
#ifndef PTEEDIT_PROFILE_SLIM_RECORD_H_
#define PTEEDIT_PROFILE_SLIM_RECORD_H_

#include <memory>

#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"
#include "pteedit/source.h"

namespace pteedit {

struct SlimmedRecord {
  PlannedFile file;
  bool changed = false;  // whether `file` is anything but the very bytes of the record
  RewriteReport report;  // items: entries that lost their bytes and programs whose delegates did, `to` is empty
};

// An ETRecord in which the weights, constants and example inputs of each program have no bytes, nor the blobs and
// weights of delegates inside programs, and its programs and maps are deflated; all that profiles, listings and counts
// of nodes are joined with is as it was. What weights and constants were called is kept by their hashes, in an entry of
// ours, so that ReadNames still finds names; they are read for that, with `threads` threads. The entries stay under
// their names, since the exporter's reader wants them, and takes empty ones. Others stay as they are stored, copied by
// range: memory is bounded by the programs' text. A record that has nothing to lose stays byte for byte, and none
// becomes larger. Fails with kUnsupported where `record` is none, or has encrypted entries; kMalformed where it is
// damaged, also in a program or map; kIo where it cannot be read.
PTEEDIT_API Result<SlimmedRecord> SlimRecord(const std::shared_ptr<const Source>& record, unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_SLIM_RECORD_H_
