// Finding keys inside bytes whose format is not known. A key that a delegate uses is written out in its processed blob
// or in a compile spec; where it is found, it counts as referenced.
#ifndef PTEEDIT_SRC_KEY_SEARCH_H_
#define PTEEDIT_SRC_KEY_SEARCH_H_

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Looks for many keys at once. Time grows with the bytes searched times the logarithm of the number of keys, whatever
// the bytes are. Empty keys and those over 1024 bytes, which no backend writes, are never found.
class KeySearch {
 public:
  // The keys' bytes must outlive the search.
  explicit KeySearch(const std::vector<std::string_view>& keys);

  // Indices into the constructor's list, ascending, of the keys that occur.
  Result<std::vector<size_t>> FindIn(const Source& source, Extent extent) const;
  std::vector<size_t> FindIn(ByteSpan bytes) const;

 private:
  struct Key {
    std::string_view text;
    std::vector<size_t> indices;  // equal keys may occur more than once in the list
    size_t prefix = kNone;        // longest other key that this one begins with
  };
  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kMaxKeyBytes = 1024;
  void Scan(ByteSpan bytes, std::vector<bool>& found) const;
  size_t LongestMatch(std::string_view text) const;

  std::vector<Key> keys_;  // sorted
  size_t longest_ = 0;
  size_t count_ = 0;
  std::bitset<1 << 16> starts_;  // first two bytes of any key
};

// Which of the keys each delegate's blob and compile specs mention: indices into `keys`, ascending, by
// [plan][delegate]. A blob that several delegates share is read once. Fails with kUnsupported where there are over a
// million mentions.
Result<std::vector<std::vector<std::vector<size_t>>>> KeysOfDelegates(const Container& program,
                                                                      const std::vector<std::string_view>& keys);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_KEY_SEARCH_H_
