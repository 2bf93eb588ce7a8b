// A program with the data files that it is loaded with: what operations look at and rewrite.
#ifndef PTEEDIT_PROGRAM_SET_H_
#define PTEEDIT_PROGRAM_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

// An entry of the program or of one of the data files.
struct KeyPlace {
  const Container* file = nullptr;
  const NamedEntry* entry = nullptr;
};

// An entry of the data file with this index.
struct DataPlace {
  size_t file = 0;
  const NamedEntry* entry = nullptr;
  std::string_view key() const { return entry->key; }
};

class PTEEDIT_API ProgramSet {
 public:
  // Not checked: what contradicts in the files or lacks is for VerifyOpened to say, and for each operation to refuse.
  ProgramSet(Container file, std::vector<Container> data = {});  // NOLINT: a file alone is a set

  // What was given: a program, a bundle, or a data file, which has no program.
  const Container& file() const;
  const std::string& name() const { return file().name(); }
  // The program; of a bundle the one inside; a data file itself.
  const Container& program() const { return file().program() != nullptr ? *file().program() : file(); }
  const std::vector<Container>& data() const;
  // The program alone, without the bundle around it.
  ProgramSet Inside() const { return {program(), data()}; }

  // As the runtime looks for it: in the data files, in their order, then in the program. The pointers are good as long
  // as the set.
  std::optional<KeyPlace> Find(std::string_view key) const;

  // The keys of the data files, in order; of one that occurs twice, the first place. Tensors look nowhere else.
  const std::vector<DataPlace>& data_keys() const;
  const DataPlace* FindInData(std::string_view key) const;  // null where no data file has it

  uint64_t bytes() const;  // of all files

 private:
  struct State;
  std::shared_ptr<const State> state_;  // copies are cheap
};

// kInvalidArgument, blaming the file, where it is a data file and so holds no program.
PTEEDIT_API Status CheckIsProgram(const Container& file);
// kInvalidArgument, blaming the first, where one of the files is no data file.
PTEEDIT_API Status CheckAreData(const std::vector<Container>& files);

}  // namespace pteedit

#endif  // PTEEDIT_PROGRAM_SET_H_
