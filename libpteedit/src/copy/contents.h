// What a file stores and what can get other bytes of the same size: constants, initial states, what is behind keys, and
// the constants inside blobs of XNNPACK. Only bytes change then; where keys are the hash of their bytes, they follow,
// also in the blobs that ask for them.
#ifndef PTEEDIT_SRC_COPY_CONTENTS_H_
#define PTEEDIT_SRC_COPY_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edit/model.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct Content {
  const char* what = "";              // "constant", "mutable" or "named-data"
  std::vector<std::string> names;     // that it can be asked for by, the one to show first; none for what is in a blob
  std::string key;                    // of named data
  Extent extent;                      // in the file
  std::vector<TensorLayout> layouts;  // that tensors read it with; `dtype` tells the element type
  std::string dtype;                  // of its elements, as PyTorch calls it; empty where nobody tells
  bool is_scale = false;              // of quantized weights
  std::string why_fixed;              // why it cannot get other bytes; empty where it can
};

// The key to show, or the name.
std::string ShownName(const Content& content);

class StoredContents {
 public:
  // Reads the blobs of delegates. Fails only where the file can no longer be read.
  static Result<StoredContents> Of(const Container& file);

  const Container& file() const { return file_; }
  const std::vector<Content>& list() const { return list_; }
  // Blobs whose weights nobody can tell from the rest: name and bytes of the first delegate that has each.
  const std::map<std::string, uint64_t>& opaque_blobs() const { return opaque_blobs_; }

  // From now on content `index`, which is not fixed, has these bytes, as many as before.
  void Put(size_t index, PlannedFile bytes);

  // The file with what was put. `keys` says what keys are called from then on: blobs have that already, the tables get
  // it with FollowKeys.
  struct Written {
    PlannedFile file;
    std::map<std::string, std::string, std::less<>> keys;
  };
  Result<Written> Write() const;

 private:
  explicit StoredContents(const Container& file) : file_(file) {}
  void AddConstants();
  void AddEntries();
  class DelegateReader;
  void FixWhatOverlaps();

  const Container file_;
  std::vector<Content> list_;
  std::map<std::string, uint64_t> opaque_blobs_;
  std::map<size_t, PlannedFile> put_;
  std::map<std::string, std::vector<uint64_t>, std::less<>> places_of_keys_;  // in blobs, of those that can follow
};

// Calls entries, and the tensors that read them, by their new keys. Entries that become one, since their bytes are
// equal now, are stored once.
void FollowKeys(ProgramModel& model, const std::map<std::string, std::string, std::less<>>& keys);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_CONTENTS_H_
