// The listing of a program's operators that selective builds of the runtime take: what the exporter's gen_oplist.py
// writes for a model file, byte for byte.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_OPERATOR_LISTING_H_
#define PTEEDIT_TOOLS_PTEINSPECT_OPERATOR_LISTING_H_

#include <string>

#include "pteedit/requirements.h"

namespace pteedit::cli {

// `file` is the program's path as the listing shall name it.
std::string OperatorListing(const Requirements& requirements, const std::string& file);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_OPERATOR_LISTING_H_
