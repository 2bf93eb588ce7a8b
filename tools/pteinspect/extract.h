// --extract: the raw bytes of a component.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_EXTRACT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_EXTRACT_H_

#include <string>

#include "pteedit/result.h"
#include "views/inspection.h"

namespace pteedit::cli {

// Writes the bytes of component `name`, or of "segment N", to `output`, - for standard output; of COMPONENT/FOLDER,
// where the parts of a component are files in folders, the folder. Fails with kInvalidArgument where there is none of
// the name or its bytes are no single piece, and as WriteFiles and WriteFolder do.
Status Extract(const Inspection& inspection, const std::string& name, const std::string& output, bool replace);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_EXTRACT_H_
