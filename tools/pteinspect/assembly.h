// What --assembly prints.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_ASSEMBLY_H_
#define PTEEDIT_TOOLS_PTEINSPECT_ASSEMBLY_H_

#include "arguments.h"
#include "cli.h"

namespace pteedit::cli {

// Prints the assembly of the one FILE, also of a damaged one. Returns the exit code.
int PrintAssembly(const Tool& tool, const Arguments& arguments);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_ASSEMBLY_H_
