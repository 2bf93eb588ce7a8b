// Storing equal contents of one program once.
#ifndef PTEEDIT_SRC_EDIT_DEDUPE_H_
#define PTEEDIT_SRC_EDIT_DEDUPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "edit/model.h"
#include "pteedit/result.h"

namespace pteedit {

// Something that lay twice, and now lies once.
struct Duplicate {
  const char* what = "";  // "constant", "mutable", "delegate", "named-data"
  std::string name;       // constant's name, delegate's name or key, of the copy that went
  uint64_t bytes = 0;
};

// Equal segments become one, equal buffers inside the constant segment (and inside each mutable data segment) become
// one, each with the larger alignment; inline constants and inline blobs likewise. Contents of different stores stay
// apart: constants share no bytes with named data (overlap.h), keys none with blobs. Buffers that overlap or whose size
// is unknown stay, and all that lie in a segment which others read as well. Both set model.changed where they found
// anything.
Result<std::vector<Duplicate>> DedupeModel(ProgramModel& model, unsigned threads);
// The same of a data file, where all keys may share.
Result<std::vector<Duplicate>> DedupeModel(DataModel& model, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_DEDUPE_H_
