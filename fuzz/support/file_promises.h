// What is promised of every file that opens, whatever it says.
#ifndef PTEEDIT_FUZZ_FILE_PROMISES_H_
#define PTEEDIT_FUZZ_FILE_PROMISES_H_

#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/sizes.h"

namespace pteedit::fuzz {

// Sizes of components add up, and all bytes of each have a place in the file.
void CheckSums(const SizeNode& node);

// Groups of sizes add up to the file, and nobody keeps more than there is.
void CheckGroups(const Container& file);

// What is said of the makers of a file stands in it.
void CheckLeaks(const Container& file);

// Each command that saves something is one that was planned, so it comes with what it saves, and saves that.
void CheckAdvice(const ProgramSet& set);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_FILE_PROMISES_H_
