// The whole of pteinspect, also for the Python package, which opens URLs with it.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_RUN_H_
#define PTEEDIT_TOOLS_PTEINSPECT_RUN_H_

namespace pteedit::cli {

// Reads the command line, prints, and returns the exit code.
int RunPteinspect(int argc, const char* const* argv);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_RUN_H_
