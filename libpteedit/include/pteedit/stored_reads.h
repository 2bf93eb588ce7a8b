// Which stored bytes the instructions of a program read: constants, and processed blobs with the keys these ask for.
#ifndef PTEEDIT_STORED_READS_H_
#define PTEEDIT_STORED_READS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

struct StoredItem {
  enum class Kind { kConstant, kBlob, kKey };
  Kind kind = Kind::kConstant;
  std::string name;               // of a constant or key, or of the first delegate that has the blob
  std::optional<uint64_t> bytes;  // nothing where no file has the key, or the element type is unknown
};

struct InstructionReads {
  std::string method;
  uint64_t chain = 0;
  uint64_t index = 0;         // in its chain
  std::vector<size_t> items;  // among StoredReads::items, ascending, each once
};

struct StoredReads {
  std::vector<StoredItem> items;
  std::vector<InstructionReads> instructions;  // those that read any, in file order
};

// Of a bundle, of the program inside; of a data file nothing.
// The initial states of mutable buffers, which no instruction reads but loading a method does, are left out. Fails only
// where a file can no longer be read.
PTEEDIT_API Result<StoredReads> FindStoredReads(const ProgramSet& set);

}  // namespace pteedit

#endif  // PTEEDIT_STORED_READS_H_
