// What a program and its data files must be together, delegates included.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_SET_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_SET_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/verify.h"

namespace pteedit {

// One element for the program, then one for each data file. Keys, layouts, what delegates ask for, hashes that keys
// claim. Fails where a file can no longer be read.
Result<std::vector<std::vector<Finding>>> VerifySet(const ProgramSet& set, const VerifyOptions& options);

// Of a data file alone: what every program that loads it would meet. `loads_alone`: no file with keys is loaded with
// it.
Result<std::vector<Finding>> VerifyData(const Container& data, bool loads_alone, const VerifyOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_SET_H_
