// What a program's blobs were compiled for, and the memory that it takes, against what a device has.
#ifndef PTEEDIT_SRC_NEEDS_DEVICE_NEEDS_H_
#define PTEEDIT_SRC_NEEDS_DEVICE_NEEDS_H_

#include <string>
#include <vector>

#include "pteedit/requirements.h"
#include "pteedit/target.h"

namespace pteedit {

// What of the needs the device has not, in words.
std::vector<std::string> MissingOnDevice(const TargetDevice& device, const Requirements& needs);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_DEVICE_NEEDS_H_
