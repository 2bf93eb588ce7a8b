// The first step of every operation on a program with its data files: they must be whole together.
#ifndef PTEEDIT_SRC_VERIFY_CHECK_INPUTS_H_
#define PTEEDIT_SRC_VERIFY_CHECK_INPUTS_H_

#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

// Nothing contradicts and nothing lacks: neither a tensor nor, as far as decoders can tell, a delegate asks for a key
// that no file has. Fails with kMalformed or, where a key is missing, kUnsupported.
Status CheckInputs(const ProgramSet& set);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_CHECK_INPUTS_H_
