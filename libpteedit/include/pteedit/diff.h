// What changed from one file to another, and how many bytes each change takes.
#ifndef PTEEDIT_DIFF_H_
#define PTEEDIT_DIFF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

// A row of the size tree, or a component that has no rows.
struct SizeChange {
  const char* change = "";  // "added", "removed", "changed", "renamed": the same bytes under another name or elsewhere
  std::string what;         // the component in the new file, of what was removed in the old one: "Constant Tensors"
  std::string name;         // of the row there; the component's own where it has none
  std::string old_what, old_name;  // of what is now elsewhere; else empty
  uint64_t old_bytes = 0;          // as the size trees count them: what shares its bytes with another row may have 0
  uint64_t new_bytes = 0;
};

struct MethodChange {
  const char* change = "";  // "added", "removed", "changed"
  std::string name;
  uint64_t old_instructions = 0, new_instructions = 0;
  uint64_t old_planned_bytes = 0, new_planned_bytes = 0;
};

// How often an operator is called, by instructions or inside the graph of a delegate that both files have by name.
struct OperatorChange {
  std::string delegate;  // empty for instructions
  std::string name;
  uint64_t old_calls = 0, new_calls = 0;
};

struct FileDiff {
  uint64_t old_bytes = 0, new_bytes = 0;  // of the files, with their data files
  // Their growth adds up to that of the files. Removed rows stand where the old file has them among the others, the
  // largest growth first, then by name.
  std::vector<SizeChange> sizes;
  std::vector<MethodChange> methods;      // by name
  std::vector<OperatorChange> operators;  // by delegate and name

  bool is_same() const { return sizes.empty() && methods.empty() && operators.empty(); }
};

// Compares two files of one kind, each with the data files that belong to it: rows by name, then by content, byte by
// byte, so that what moved between a program and its data files is renamed; the flatbuffers' bytes count as well, so
// that nothing but padding can differ unseen. `decoders` are those of DescribeDelegates. kInvalidArgument where the
// kinds differ, or a data file is none; kIo where a file can no longer be read.
PTEEDIT_API Result<FileDiff> DiffFiles(const ProgramSet& before, const ProgramSet& after, unsigned threads = 1,
                                       const std::vector<BlobDecoder>& decoders = {});

}  // namespace pteedit

#endif  // PTEEDIT_DIFF_H_
