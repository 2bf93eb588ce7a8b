// Which kernels and backends a library registers, by the texts in it: a guess, as nothing else tells it of a library
// that nobody loads.
#ifndef PTEEDIT_SRC_NEEDS_LIBRARY_NAMES_H_
#define PTEEDIT_SRC_NEEDS_LIBRARY_NAMES_H_

#include <set>
#include <string>

#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct LibraryNames {
  std::set<std::string> kernels, backends;
};

// Looks at every byte, whatever the form of the library: names are registered as texts that a zero byte ends. Fails
// where they cannot all be read, and with kUnsupported where there are more names than any library has.
Result<LibraryNames> FindLibraryNames(const Source& library);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_LIBRARY_NAMES_H_
