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

  const Chunked<Extent>& claims() const { return claims_; }

 private:
  uint64_t End(size_t claim) const { return claims_[claim].offset + claims_[claim].size; }
  std::vector<uint32_t> ClaimsByBegin() const;

  uint64_t file_size_;
  Chunked<Extent> claims_;
  std::vector<uint64_t> cuts_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_BYTE_CLAIMS_H_
