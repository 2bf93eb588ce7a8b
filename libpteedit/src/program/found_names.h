// The names that the contents of an opened file have beside its own, see ContentNames; and those that are part of keys.
#ifndef PTEEDIT_SRC_PROGRAM_FOUND_NAMES_H_
#define PTEEDIT_SRC_PROGRAM_FOUND_NAMES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pteedit/container.h"

namespace pteedit {

// In a processed blob, not compressed.
struct BlobWeight {
  Extent place;  // in the program
  std::vector<int32_t> sizes;
  bool has_name = false;  // of its own
};

struct FoundNames {
  using List = std::shared_ptr<const std::vector<std::string>>;  // at least one
  // Of constants, initial states and weights in blobs, by offset and size.
  std::map<std::pair<uint64_t, uint64_t>, List> by_place;
  std::map<std::string, List, std::less<>> by_key;  // of entries, and of tensors in other files
  std::vector<BlobWeight> weights;                  // that names were looked for
};

// Null where there are none.
const std::vector<std::string>* FoundNamesAt(const Container& file, Extent place);

// The same of the bytes behind a key.
const std::vector<std::string>* FoundNamesOfKey(const Container& file, std::string_view key);

// What the bytes behind a key of the file, or one that it asks for, are called: the name that the key itself begins
// with, as in "p_fc_weight_<SHA-256>" of XNNPACK, then those found.
std::vector<std::string> NamesOfKey(const Container& file, std::string_view key);

// Names first, then the keys that they stand for: a row for some keys on the same bytes.
std::vector<std::string> NamesAndKeys(const Container& file, std::vector<std::string> keys);

// The first name of the bytes behind a key, or the key: for a row with room for one.
std::string ShownName(const Container& file, std::string_view key);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_FOUND_NAMES_H_
