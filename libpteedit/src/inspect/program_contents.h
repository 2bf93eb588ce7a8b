// A program with its data files as one thing: which bytes a tensor, a delegate or a key stands for, wherever they lie.
#ifndef PTEEDIT_SRC_INSPECT_PROGRAM_CONTENTS_H_
#define PTEEDIT_SRC_INSPECT_PROGRAM_CONTENTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/content_index.h"
#include "program/layout.h"
#include "program/schema.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

class ProgramContents {
 public:
  // Fails with kInvalidArgument where files that are loaded together have a key with different
  // contents.
  static Result<ProgramContents> Read(const ProgramSet& set);

  const ProgramSet& set() const { return set_; }
  const Container& program() const { return set_.program(); }
  // Of a key of the program's named data or of a data file; nothing where neither has it.
  std::optional<ContentPlace> Find(std::string_view key) const;

  const schema::Tensor& TensorAt(size_t method, size_t value) const;
  Store StoreAt(size_t method, size_t value) const;
  // Nothing where the tensor has none in any file. Fails with kInvalidArgument where its key is missing.
  Result<std::optional<ContentPlace>> ContentAt(size_t method, size_t value) const;
  ContentPlace Blob(size_t method, size_t delegate) const;

 private:
  explicit ProgramContents(const ProgramSet& set) : set_(set) {}
  void AddConstants();
  Status CheckKeys(const Container& file) const;

  ProgramSet set_;  // keeps what the views look into
  struct Stored {
    std::pair<uint32_t, uint32_t> value;  // method and value
    Extent extent;                        // in the program
  };
  std::vector<Stored> stored_;  // by value
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_PROGRAM_CONTENTS_H_
