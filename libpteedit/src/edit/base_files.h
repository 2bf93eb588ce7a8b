// Data files that devices have already: what they hold is referred to and never copied, and they stay as they are.
#ifndef PTEEDIT_SRC_EDIT_BASE_FILES_H_
#define PTEEDIT_SRC_EDIT_BASE_FILES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/content_index.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

// Bytes of one program with its data files, and who reads them.
struct WantedContent {
  ContentPlace place;
  SharedOptional<TensorLayout> layout;  // of the tensors that read it; none where only delegates do
  std::string_view key;                 // that it has; empty for a constant inside the program
  bool needs_key = false;               // cannot be told another: a delegate or the application asks for it
  bool stays = false;                   // under its key in the program, whoever else has it
};

// Where a base has them, or why the program keeps its copy all the same.
struct BaseAnswer {
  std::optional<size_t> file;  // index of the base
  const NamedEntry* entry = nullptr;
  std::string reason;  // empty where no base holds these bytes
};

class BaseFiles {
 public:
  // Data files, and programs, whose contents no other program can be given; that is only told. Fails with
  // kInvalidArgument where two data files have one key, as the runtime refuses such together, with kUnsupported where
  // one has the layout of release 0.6.
  static Result<BaseFiles> Open(const std::vector<Container>& files);

  const std::vector<Container>& files() const { return files_; }
  bool empty() const { return files_.empty(); }
  // The base that has an entry of this key; null where none has.
  const Container* FileWith(std::string_view key) const;

  // One answer for each. A tensor is served by an entry of the very layout, whatever its key where it can be told
  // another; a delegate by its very key only. A base that has one of the program's keys with another meaning would hide
  // that, so it serves nothing.
  Result<std::vector<BaseAnswer>> Find(const std::vector<WantedContent>& wanted, unsigned threads) const;

 private:
  // Bytes of a base.
  struct Held {
    size_t file = 0;
    const NamedEntry* entry = nullptr;  // null: inside a program
    ContentPlace place;
    ContentPlace whole = place;  // of an entry that is longer than its layout says
  };
  class Search;

  void List(size_t file);

  std::vector<Container> files_;
  std::vector<Held> held_;
  std::map<std::string_view, size_t> by_key_;  // index into held_
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_BASE_FILES_H_
