// What is wrong with the tests that a bundled program brings.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_BUNDLE_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_BUNDLE_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

std::vector<Finding> VerifyBundle(const Container& bundle);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_BUNDLE_H_
