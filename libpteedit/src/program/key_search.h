// Finding keys inside bytes whose format is not known. A key that a delegate uses is written out in its processed blob
// or in a compile spec; where it is found, it counts as referenced.
#ifndef PTEEDIT_SRC_PROGRAM_KEY_SEARCH_H_
#define PTEEDIT_SRC_PROGRAM_KEY_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Looks for many keys at once. Time grows with the bytes searched times the logarithm of the number of keys, whatever
// the bytes and keys are. Empty keys and those over 1024 bytes, which no backend writes, are never found.
class KeySearch {
 public:
  // The keys' bytes must outlive the search.
  explicit KeySearch(const std::vector<std::string_view>& keys);

  // Indices into the constructor's list, ascending, of the keys that occur.
  Result<std::vector<size_t>> FindIn(const Source& source, Extent extent) const;
  // In any of the texts, but not across two of them.
  std::vector<size_t> FindInAny(const std::vector<ByteSpan>& texts) const;

 private:
  struct Key {
    std::string_view text;
    size_t first = 0;       // of those in order_ with this text, which may occur more than once in the list
    size_t prefix = kNone;  // longest other key that this one begins with
    size_t jump = kNone;    // some shorter one: with them every one is few steps away
    size_t depth = 0;       // how many keys this one begins with
  };
  using Found = std::set<size_t>;  // of keys_; with each also those that it begins with
  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kMaxKeyBytes = 1024;
  void AddKey(std::string_view text, size_t first);
  void Scan(ByteSpan bytes, Found& found) const;
  size_t LongestMatch(std::string_view text) const;
  std::vector<size_t> IndicesOf(const Found& found) const;

  std::vector<size_t> order_;  // indices into the constructor's list, by key
  std::vector<Key> keys_;      // sorted
  size_t longest_ = 0;
  // Whether a key may begin with what lies `left` bytes before an end, at least `head_`. Of most bytes where none
  // begins that is told without comparing keys.
  bool MayStart(const uint8_t* bytes, size_t left) const;
  size_t BitOf(const uint8_t* bytes, size_t left) const;

  size_t head_ = 0;               // bytes that filter_ knows keys by: those of the shortest, at most eight
  std::vector<uint64_t> filter_;  // a bit for each that a key begins with, by hash
};

// Which of the keys each delegate's blob and compile specs mention: indices into `keys`, ascending, by
// [plan][delegate]. A blob that several delegates share is read once. Fails with kUnsupported where listing the
// mentions would take more than the program's limits allow.
Result<std::vector<std::vector<std::vector<size_t>>>> KeysOfDelegates(const Container& program,
                                                                      const std::vector<std::string_view>& keys);

// By data file, whether the program refers to any of its keys: a tensor names it or a delegate mentions it. The others
// are no part of the program, such as adapters, whose tensors an application gives it as inputs.
Result<std::vector<bool>> FindReferredData(const ProgramSet& set);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_KEY_SEARCH_H_
