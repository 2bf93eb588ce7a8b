// Everything that a runtime refuses, crashes on or silently answers wrongly, found without running it. Each kind of
// finding is described in docs/findings.md.
#ifndef PTEEDIT_VERIFY_H_
#define PTEEDIT_VERIFY_H_

#include <memory>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/finding.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct VerifyOptions {
  bool hash_keys = true;  // compute the SHA-256 of contents whose key claims to be it; reads them all
  unsigned threads = 1;   // for hashing; the result is the same with any number
};

// What is wrong with one file, errors and warnings in the order of finding, at most a hundred of each origin.
struct FileFindings {
  std::string file;
  std::vector<Finding> findings;
};

// Looks at a .pte, .ptd or .bpte and at the data files that are loaded together with it, see VerifyProfile for
// dumps and records. The first element of the result is of `file`, the others of `data` in their order. A file whose
// tables are damaged is not looked at behind them, and a set with such a file not together. Damage of any kind is a
// finding, also where only the file's name tells what it should be; fails with kUnsupported where a file is none of our
// kinds by content or name, with kIo where one cannot be read, with kInvalidArgument where `data` belongs to anything
// but a program or one of them is no data file.
PTEEDIT_API Result<std::vector<FileFindings>> Verify(const std::shared_ptr<const Source>& file,
                                                     const std::vector<std::shared_ptr<const Source>>& data,
                                                     const VerifyOptions& options = {});

// The same for files that are open already, with what only opening finds left out.
PTEEDIT_API Result<std::vector<FileFindings>> VerifyOpened(const ProgramSet& set, const VerifyOptions& options = {});

// An adapter that is no part of the program: the data file whose entries, in their order, an application gives a method
// as inputs. What is wrong with the file, and whether number, element types, sizes and bytes of its entries are those
// of inputs that follow each other in a method; of which the file says nothing, so where no such inputs are the last
// ones are meant. A program that is damaged is not compared with. Fails as Verify does.
PTEEDIT_API Result<FileFindings> VerifyAdapter(const std::shared_ptr<const Source>& program,
                                               const std::shared_ptr<const Source>& adapter,
                                               const VerifyOptions& options = {});

PTEEDIT_API bool HasErrors(const std::vector<FileFindings>& all);

}  // namespace pteedit

#endif  // PTEEDIT_VERIFY_H_
