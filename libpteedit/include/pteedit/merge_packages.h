// Putting packages of the native backend (.ptn) together: variants of one model in one package, which has no other way
// to share weights, as all tensors of a package are inside it.
#ifndef PTEEDIT_MERGE_PACKAGES_H_
#define PTEEDIT_MERGE_PACKAGES_H_

#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

struct PackageVariant {
  Container file;    // that OpenToLook opened
  std::string name;  // "v1": its method forward becomes v1.forward, its key a.weight v1.a.weight
};

struct MergedPackage {
  PlannedFile package;
  RewriteReport report;  // its items are what is no longer stored, with what is read instead as the key
};

// Tensors with the same element type, sizes and bytes are stored once, under the first of their keys by name; the
// others are aliases. Those that a method changes are states of their own and stay. What graphs say stays as it is but
// for the names. The result has been opened and verified. `output` is what the report calls it, `threads` compare
// bytes. Fails with kInvalidArgument where two variants have one name or a file is no package, kUnsupported where a
// package has what this does not know, or the limits of one are exceeded, kMalformed where one has errors.
PTEEDIT_API Result<MergedPackage> MergePackages(const std::vector<PackageVariant>& variants, const std::string& output,
                                                unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_MERGE_PACKAGES_H_
