// Who owns which bytes of a file. Claims may overlap; each byte goes to the first claim made on it, so shares never
// count a byte twice, whatever a file says about itself.
#ifndef PTEEDIT_SRC_PROGRAM_BYTE_CLAIMS_H_
#define PTEEDIT_SRC_PROGRAM_BYTE_CLAIMS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/chunked.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

// Extents, of which those in the first 4 GiB take half of what they would: there may be several for each table.
class ExtentList {
 public:
  bool empty() const { return short_.empty(); }
  size_t size() const { return short_.size(); }

  Extent operator[](size_t i) const {
    const Short& one = short_[i];
    return one.size != 0 ? Extent{one.offset, one.size} : long_[one.offset];
  }

  void push_back(Extent extent) {
    constexpr uint64_t kMost = ~uint32_t{0};
    if (extent.size != 0 && extent.offset <= kMost && extent.size <= kMost) {
      short_.push_back({static_cast<uint32_t>(extent.offset), static_cast<uint32_t>(extent.size)});
    } else {
      short_.push_back({static_cast<uint32_t>(long_.size()), 0});
      long_.push_back(extent);
    }
  }

  void pop_back() {
    if (short_.back().size == 0) long_.pop_back();
    short_.pop_back();
  }

 private:
  struct Short {
    uint32_t offset = 0, size = 0;  // of size 0: a number of long_
  };

  Chunked<Short> short_;
  Chunked<Extent> long_;
};

class ByteClaims {
 public:
  // All extents lie in a file of `file_size` bytes.
  explicit ByteClaims(uint64_t file_size) : file_size_(file_size) {}

  // Returns the number of the claim, counted from 0. Earlier claims win.
  size_t Claim(Extent extent);
  // Lets the last claim have `extent` too where that lies right before or behind it. Returns whether it does.
  bool ExtendLast(Extent extent);
  // Lets unclaimed bytes before and after `offset` be separate gaps.
  void SplitGapsAt(uint64_t offset) {
    if (cuts_.empty() || cuts_.back() != offset) cuts_.push_back(offset);
  }

  struct Share {
    std::optional<size_t> claim;  // nothing where nobody claims the bytes
    Extent extent;
  };
  // Calls `take` for all of the file, ascending; what lies together of a claim is one piece. Takes time n log n in the
  // number of claims. Fails as `take` does.
  Status ForEachShare(const std::function<Status(const Share&)>& take);

  const ExtentList& claims() const { return claims_; }

 private:
  uint64_t End(size_t claim) const { return claims_[claim].offset + claims_[claim].size; }
  std::vector<uint32_t> ClaimsByBegin() const;

  uint64_t file_size_;
  ExtentList claims_;
  std::vector<uint64_t> cuts_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_BYTE_CLAIMS_H_
