// What is wrong with a package of the native backend (.ptn) beside what opening it finds.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_PACKAGE_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_PACKAGE_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"
#include "pteedit/result.h"
#include "pteedit/verify.h"

namespace pteedit {

// Whether the graph can be read and finds its tensors, members have their checksums, and the limits of the reader hold
// that the backend's runtime will have. Reads all members where options.hash_keys says so. Fails with kIo where the
// file can no longer be read.
Result<std::vector<Finding>> VerifyPackage(const Container& package, const VerifyOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_PACKAGE_H_
