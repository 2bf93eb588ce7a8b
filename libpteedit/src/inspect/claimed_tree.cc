#include "inspect/claimed_tree.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "pteedit/try.h"

namespace pteedit {
namespace {

bool HasAllOf(const SizeNode& row) {
  uint64_t sum = 0;
  for (const SizeNode& component : row.components) sum += component.size;
  return sum == row.size && (!row.place || row.place->size == row.size);
}

}  // namespace

ClaimedTree::Owner ClaimedTree::AddComponent(SizeNode node) {
  nodes_.push_back({std::move(node), kRoot, 1});
  return static_cast<Owner>(nodes_.size() - 1);
}

ClaimedTree::Owner ClaimedTree::AddRow(Owner parent, SizeNode row) {
  nodes_.push_back({std::move(row), parent, static_cast<uint16_t>(nodes_[parent].level + 1)});
  return static_cast<Owner>(nodes_.size() - 1);
}

void ClaimedTree::Claim(Owner owner, Extent place) {
  if (place.size == 0) return;
  if (!owners_.empty() && owners_.back() == owner && !NodeOf(owner).place && claims_.ExtendLast(place)) return;
  claims_.Claim(place);
  owners_.push_back(owner);
}

void ClaimedTree::ClaimWhole(Owner owner, Extent place) {
  NodeOf(owner).place = place;
  Claim(owner, place);
}

Result<SizeNode> ClaimedTree::Build(const std::function<Result<Owner>(Extent gap)>& owner_of) && {
  NoteSharedRows();
  PTEEDIT_TRY(claims_.ForEachShare([&](const ByteClaims::Share& share) -> Status {
    Owner owner = share.claim ? owners_[*share.claim] : kRoot;
    if (!share.claim) {
      PTEEDIT_ASSIGN(owner, owner_of(share.extent));
    }
    Give(owner, share.extent);
    return {};
  }));
  claims_ = ByteClaims(0);  // of many tables they take more memory than the tree
  owners_ = {};
  return Assemble();
}

void ClaimedTree::NoteSharedRows() {
  std::vector<uint32_t> rows;  // by the numbers of their claims
  for (uint32_t i = 0; i < owners_.size(); ++i) {
    const Entry& entry = nodes_[owners_[i]];
    if (entry.level != 1 && entry.node.place == claims_.claims()[i]) rows.push_back(i);
  }
  const auto key = [&](uint32_t row) {
    const Extent place = claims_.claims()[row];
    return std::tuple(nodes_[owners_[row]].level, place.offset, place.size);
  };
  std::ranges::sort(rows, [&](uint32_t a, uint32_t b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
  for (size_t i = 1, first = 0; i < rows.size(); ++i) {
    if (key(rows[i]) != key(rows[first])) first = i;
    if (i != first) NodeOf(owners_[rows[i]]).more.Edit().note = "same as " + NodeOf(owners_[rows[first]]).name;
  }
}

void ClaimedTree::Give(Owner owner, Extent piece) {
  for (; owner != kRoot; owner = nodes_[owner].parent) {
    if (HasPieces(nodes_[owner])) AddPiece(piece, NodeOf(owner));
    nodes_[owner].node.size += piece.size;
  }
}

// Behind those that it has. A node that is its place needs no list.
void ClaimedTree::AddPiece(Extent piece, SizeNode& node) {
  if (node.size == 0 && node.place == piece) return;
  Extents& pieces = node.more.Edit().pieces;
  if (node.size != 0 && pieces.empty()) pieces.Add(*node.place);
  pieces.Add(piece);
}

bool ClaimedTree::HasPieces(const Entry& entry) const {
  if (pieces_ == SizePieces::kOfUsers) return entry.level == 1 || entry.is_user || !entry.node.dtype.empty();
  return pieces_ == SizePieces::kAll;
}

SizeNode ClaimedTree::Assemble() {
  SizeNode root = NamedNode("Total Size");
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  std::vector<size_t> counts(nodes_.size());  // of what is in each
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].parent != kRoot) ++counts[nodes_[i].parent];
  }
  for (size_t i = 0; i < counts.size(); ++i) nodes_[i].node.components.reserve(counts[i]);
  while (!nodes_.empty()) {  // the last first, so that all that is in a node is there before the node moves
    Entry entry = std::move(nodes_.back());
    nodes_.pop_back();
    SizeNode& node = entry.node;
    if (node.place && node.more->pieces == Extents{*node.place}) node.more.Edit().pieces = {};
    if (entry.level > 1 && !HasAllOf(node)) node.components.clear();
    if (node.size == 0 && node.components.empty() && !node.place) continue;
    std::reverse(node.components.begin(), node.components.end());
    SizeNode& parent = entry.parent == kRoot ? root : nodes_[entry.parent].node;
    parent.components.push_back(std::move(node));
  }
  std::reverse(root.components.begin(), root.components.end());
  return root;
}

}  // namespace pteedit
