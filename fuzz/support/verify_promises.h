// What is promised of verification, and of every file in which it finds no error.
#ifndef PTEEDIT_FUZZ_VERIFY_PROMISES_H_
#define PTEEDIT_FUZZ_VERIFY_PROMISES_H_

#include <memory>
#include <vector>

#include "pteedit/source.h"
#include "pteedit/verify.h"

namespace pteedit::fuzz {

using Sources = std::vector<std::shared_ptr<const Source>>;

// Verification fails for what verify.h says, and nothing else.
void CheckFailure(const Error& error, const std::shared_ptr<const Source>& program, const Sources& data);

// Each file has its findings, one that is refused has an error; a program without errors can be described, measured and
// rewritten, and what was rewritten has no error with the same data files.
void CheckFindings(const std::vector<FileFindings>& found, const std::shared_ptr<const Source>& program,
                   const Sources& data);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_VERIFY_PROMISES_H_
