// Whether two files are the same up to layout: what a runtime would see of them is equal, only places differ.
#ifndef PTEEDIT_SAME_H_
#define PTEEDIT_SAME_H_

#include <optional>
#include <string>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

struct SameOptions {
  bool stack_traces = true;  // whether they count
};

struct Difference {
  std::string where;    // "method 'forward', instruction 3"; empty for the file as a whole
  std::string message;  // "calls operator 'aten::add.out', the other 'aten::sub.out'"
};

// The first difference between `set` and `other`; nothing where they are the same.
//
// Of programs everything counts that the tables say, methods in their order, the bytes of constants, initial values and
// processed blobs, and each key that a program has or that one of its delegates mentions, with its bytes. What does not
// count is where bytes lie: order, places, alignment and padding of segments, the header, and for a constant the store
// and the key that it has in a data file. Since a key takes the place of the name, two names count only where both
// sides have one. Of a tensor of unknown element type as many bytes count as both sides have. Bytes that nothing refers
// to do not count either, nor does what binds a program to a data file (binding.h). Of bundled programs the test suites
// count too. Of data files keys, layouts and bytes count, and those beside them do not.
//
// Contents are compared byte by byte, but where a graph of XNNPACK or Vulkan has its keys does not count. Fails
// with kUnsupported where a file has fields that we do not know, with kInvalidArgument where a key that a tensor needs
// is in no data file, or is in two with different contents.
PTEEDIT_API Result<std::optional<Difference>> FindDifference(const ProgramSet& set, const ProgramSet& other,
                                                             const SameOptions& options = {});

}  // namespace pteedit

#endif  // PTEEDIT_SAME_H_
