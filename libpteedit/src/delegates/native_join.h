// Putting graphs of the native backend together: the bytes of each stay as they are, and what leads to names leads to
// new ones behind all of them.
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_JOIN_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_JOIN_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

struct NativePart {
  std::vector<uint8_t> graph;  // that ReadNativeGraph() reads, without fields that we do not know
  std::string prefix;          // of the names of its methods and keys: "v1."
};

// The methods of all, in their order. Fails with kUnsupported where it would be larger than a graph may be.
Result<std::vector<uint8_t>> JoinNativeGraphs(const std::vector<NativePart>& parts);

// Keys of the tensors that a method changes, without the prefix.
std::set<std::string> ChangedKeys(const NativePart& part);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_JOIN_H_
