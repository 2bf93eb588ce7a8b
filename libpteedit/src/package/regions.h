// The parts of a file that mean something by themselves: where two releases are the same, they are the same in whole
// parts, and what a changed part was before is the part of the same name.
#ifndef PTEEDIT_SRC_PACKAGE_REGIONS_H_
#define PTEEDIT_SRC_PACKAGE_REGIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct Region {
  Extent extent;
  std::string name;  // "tables", "key fc.weight", "constant fc.bias", "segment 3"; empty between those
};

// All bytes of a file, in order and without gaps: tables, segments, constants and keys of a program or data file, cut
// where any of them begins or ends; any other file, or a damaged one, is a single region without a name. Fails with
// kIo.
Result<std::vector<Region>> RegionsOf(std::shared_ptr<const Source> source);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_REGIONS_H_
