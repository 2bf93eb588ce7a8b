// An adapter whose entries an application gives a method as inputs, held against the program.
#ifndef PTEEDIT_SRC_VERIFY_VERIFY_ADAPTER_H_
#define PTEEDIT_SRC_VERIFY_VERIFY_ADAPTER_H_

#include <vector>

#include "pteedit/container.h"
#include "pteedit/finding.h"

namespace pteedit {

// What the runtime's loader of adapters, which looks at neither keys nor layouts, would read wrongly. It takes entry i
// for the i-th of inputs that follow each other and copies its bytes. Which inputs these are is nowhere in the files:
// any run that all entries fit will do, and where there is none, the last ones are compared, where exporters put them.
std::vector<Finding> VerifyAdapterInputs(const Container& program, const Container& adapter);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_VERIFY_ADAPTER_H_
