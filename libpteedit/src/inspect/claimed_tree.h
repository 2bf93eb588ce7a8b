// A size tree whose nodes claim places all over a file, with rows one level down.
#ifndef PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
#define PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "program/sizes_claims.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"

namespace pteedit {

inline SizeNode NamedNode(std::string name) {
  SizeNode node;
  node.name = std::move(name);
  return node;
}

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
  Owner AddComponent(std::string name) { return AddComponent(NamedNode(std::move(name))); }
  Owner AddRow(Owner component, SizeNode row);
  // A place inside the file, of any owner. Bytes belong to the first that claims them.
  void Claim(Owner owner, Extent place);
  // All that the owner can have: also where the node says that it is.
  void ClaimWhole(Owner owner, Extent place);
  // No gap reaches over `offset`.
  void SplitGapsAt(uint64_t offset) { claims_.SplitGapsAt(offset); }

  // What nobody claims goes to whom `owner_of` names, a component without rows. A row that is a place which another row
  // claimed first has a note that says so. Parts of rows stay only where the row has all their bytes, components
  // without bytes only where they have rows or a place. Fails as `owner_of` does.
  Result<SizeNode> Build(const std::function<Result<Owner>(Extent gap)>& owner_of) &&;

 private:
  SizeNode& NodeOf(Owner owner);
  void NoteSharedRows();
  void Give(Owner owner, const std::vector<Extent>& pieces);

  uint64_t file_size_;
  std::vector<SizeNode> components_;
  std::vector<Owner> owners_;  // by claim
  ByteClaims claims_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
