#include "inspect/claimed_tree.h"

#include <cassert>
#include <map>

#include "pteedit/try.h"

namespace pteedit {
namespace {

uint64_t SumOf(const std::vector<SizeNode>& nodes) {
  uint64_t sum = 0;
  for (const SizeNode& node : nodes) sum += node.size;
  return sum;
}

}  // namespace

ClaimedTree::Owner ClaimedTree::AddComponent(SizeNode node) {
  components_.push_back(std::move(node));
  return {components_.size() - 1, kNoRow};
}

ClaimedTree::Owner ClaimedTree::AddRow(Owner component, SizeNode row) {
  std::vector<SizeNode>& rows = components_[component.component].components;
  rows.push_back(std::move(row));
  return {component.component, rows.size() - 1};
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
  for (SizeNode& component : components_) {
    JoinPieces(component.pieces);
    for (SizeNode& row : component.components) {
      JoinPieces(row.pieces);
      if (SumOf(row.components) != row.size) row.components.clear();
    }
  }
  std::erase_if(components_,
                [](const SizeNode& node) { return node.size == 0 && node.components.empty() && !node.place; });
  assert(SumOf(components_) == file_size_);
  SizeNode root = NamedNode("Total Size");
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  if (file_size_ != 0) root.pieces = {*root.place};
  root.components = std::move(components_);
  return root;
}

SizeNode& ClaimedTree::NodeOf(Owner owner) {
  SizeNode& component = components_[owner.component];
  return owner.row == kNoRow ? component : component.components[owner.row];
}

void ClaimedTree::NoteSharedRows() {
  std::map<std::pair<uint64_t, uint64_t>, size_t> first;
  for (size_t i = 0; i < owners_.size(); ++i) {
    const Extent place = claims_.claims()[i];
    if (owners_[i].row == kNoRow || NodeOf(owners_[i]).place != place) continue;
    const auto [known, is_new] = first.emplace(std::pair(place.offset, place.size), i);
    if (!is_new) NodeOf(owners_[i]).note = "same as " + NodeOf(owners_[known->second]).name;
  }
}

void ClaimedTree::Give(Owner owner, const std::vector<Extent>& pieces) {
  const auto give = [&](SizeNode& node) {
    node.pieces.insert(node.pieces.end(), pieces.begin(), pieces.end());
    for (const Extent& piece : pieces) node.size += piece.size;
  };
  give(components_[owner.component]);
  if (owner.row != kNoRow) give(NodeOf(owner));
}

}  // namespace pteedit
