// How the files are called that are one data file together.
#ifndef PTEEDIT_SHARDS_H_
#define PTEEDIT_SHARDS_H_

#include <cstddef>
#include <string>

#include "pteedit/export.h"

namespace pteedit {

// "shared-00001-of-00003.ptd" for the first of three of "shared.ptd", which alone keeps its name.
PTEEDIT_API std::string ShardName(const std::string& name, size_t index, size_t count);

}  // namespace pteedit

#endif  // PTEEDIT_SHARDS_H_
