// A size tree whose nodes claim places all over a file, with rows one level down.
#ifndef PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
#define PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "program/sizes_claims.h"
#include "pteedit/sizes.h"

namespace pteedit {

class ClaimedTree {
 public:
  explicit ClaimedTree(uint64_t file_size) : file_size_(file_size), claims_(file_size) {}

  static constexpr size_t kNoRow = ~size_t{0};
  // A node of level 1, or a row in it.
  struct Owner {
    size_t component = 0;
    size_t row = kNoRow;
  };

  Owner AddComponent(SizeNode node);
  Owner AddRow(Owner component, SizeNode row);
  // A place inside the file, of any owner. Bytes belong to the first that claims them.
  void Claim(Owner owner, Extent place);
  // No gap reaches over `offset`.
  void SplitGapsAt(uint64_t offset) { claims_.SplitGapsAt(offset); }

  // What nobody claims goes to whom `owner_of` names, a component without rows.
  SizeNode Build(const std::function<Owner(Extent gap)>& owner_of) &&;

 private:
  void Give(Owner owner, const std::vector<Extent>& pieces);

  uint64_t file_size_;
  std::vector<SizeNode> components_;
  std::vector<Owner> owners_;  // by claim
  ByteClaims claims_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
