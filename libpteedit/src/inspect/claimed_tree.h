// A size tree whose nodes claim places all over a file, at any depth.
#ifndef PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
#define PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/chunked.h"
#include "base/shared_texts.h"
#include "program/byte_claims.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"

namespace pteedit {

inline SizeRow NamedRow(std::string name) {
  SizeRow row;
  row.name = std::move(name);
  return row;
}

class ClaimedTree {
 public:
  explicit ClaimedTree(uint64_t file_size, SizePieces pieces = SizePieces::kAll)
      : file_size_(file_size), pieces_(pieces), claims_(file_size) {}

  using Owner = uint32_t;  // a node, by number

  Owner AddComponent(SizeRow row);  // of level 1
  Owner AddComponent(std::string name) { return AddComponent(NamedRow(std::move(name))); }
  Owner AddRow(Owner parent, SizeRow row);
  Owner AddRow(Owner parent, std::string name) { return AddRow(parent, NamedRow(std::move(name))); }
  // A place inside the file, of any owner. Bytes belong to the first that claims them, and to what that is in.
  void Claim(Owner owner, Extent place);
  // All that the owner can have: also where the node says that it is.
  void ClaimWhole(Owner owner, Extent place);
  // For nodes: each is there once.
  const SharedText& Dtype(std::string_view name) { return dtypes_(name); }
  // Until another row is added.
  SizeRow& RowOf(Owner owner) { return entries_[owner].row; }
  // Lets a row have pieces as SizePieces::kOfUsers has them.
  void NoteUser(Owner owner) { entries_[owner].is_user = true; }
  // No gap reaches over `offset`.
  void SplitGapsAt(uint64_t offset) { claims_.SplitGapsAt(offset); }

  // What nobody claims goes to whom `owner_of` names, a component without rows. A row that is a place which another row
  // of its level claimed first has a note that says so. What is in a row stays only where the row has all its bytes,
  // nodes without bytes only where they have rows or a place. Fails as `owner_of` does.
  Result<SizeNode> Build(const std::function<Result<Owner>(Extent gap)>& owner_of) &&;

 private:
  static constexpr Owner kRoot = ~Owner{0};
  struct Entry {
    SizeRow row;
    Owner parent = kRoot;
    uint16_t level = 1;
    bool is_user = false;
  };

  void NoteSharedRows();
  void Give(Owner owner, Extent piece);
  static void AddPiece(Extent piece, SizeRow& row);
  bool HasPieces(const Entry& entry) const;
  SizeNode Assemble();

  uint64_t file_size_;
  SizePieces pieces_;
  Chunked<Entry> entries_;  // each behind that which it is in
  Chunked<Owner> owners_;   // by claim
  ByteClaims claims_;
  SharedTexts dtypes_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_CLAIMED_TREE_H_
