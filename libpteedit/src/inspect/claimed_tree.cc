#include "inspect/claimed_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

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
  return nodes_.size() - 1;
}

ClaimedTree::Owner ClaimedTree::AddRow(Owner parent, SizeNode row) {
  nodes_.push_back({std::move(row), parent, nodes_[parent].level + 1});
  return nodes_.size() - 1;
}

void ClaimedTree::Claim(Owner owner, Extent place) {
  if (place.size == 0) return;
  claims_.Claim(place);
  owners_.push_back(owner);
}

void ClaimedTree::ClaimWhole(Owner owner, Extent place) {
  NodeOf(owner).place = place;
  Claim(owner, place);
}

Result<SizeNode> ClaimedTree::Build(const std::function<Result<Owner>(Extent gap)>& owner_of) && {
  const ByteClaims::Shares shares = claims_.Share();
  NoteSharedRows();
  for (size_t i = 0; i < owners_.size(); ++i) Give(owners_[i], shares.pieces[i]);
  for (const Extent& gap : shares.gaps) {
    PTEEDIT_ASSIGN(const Owner owner, owner_of(gap));
    Give(owner, {gap});
  }
  return Assemble();
}

void ClaimedTree::NoteSharedRows() {
  std::map<std::tuple<size_t, uint64_t, uint64_t>, Owner> first;
  for (size_t i = 0; i < owners_.size(); ++i) {
    const Extent place = claims_.claims()[i];
    Entry& entry = nodes_[owners_[i]];
    if (entry.level == 1 || entry.node.place != place) continue;
    const auto [known, is_new] = first.emplace(std::tuple(entry.level, place.offset, place.size), owners_[i]);
    if (!is_new) entry.node.note = "same as " + nodes_[known->second].node.name;
  }
}

void ClaimedTree::Give(Owner owner, const std::vector<Extent>& pieces) {
  for (; owner != kRoot; owner = nodes_[owner].parent) {
    SizeNode& node = nodes_[owner].node;
    node.pieces.insert(node.pieces.end(), pieces.begin(), pieces.end());
    for (const Extent& piece : pieces) node.size += piece.size;
  }
}

SizeNode ClaimedTree::Assemble() {
  SizeNode root = NamedNode("Total Size");
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  if (file_size_ != 0) root.pieces = {*root.place};
  while (!nodes_.empty()) {  // the last first, so that all that is in a node is there before the node moves
    Entry entry = std::move(nodes_.back());
    nodes_.pop_back();
    SizeNode& node = entry.node;
    JoinPieces(node.pieces);
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
