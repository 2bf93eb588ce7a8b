// The constants of a delegate that lie under keys of their own.
#ifndef PTEEDIT_SRC_INSPECT_KEYED_CONSTANTS_H_
#define PTEEDIT_SRC_INSPECT_KEYED_CONSTANTS_H_

#include <vector>

#include "pteedit/delegates.h"

namespace pteedit {

// Those that are all of what their key names, as far as is known; a key of Core ML names a model with many of them.
std::vector<const BlobConstant*> KeyedConstants(const DelegateDescription& delegate);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_KEYED_CONSTANTS_H_
