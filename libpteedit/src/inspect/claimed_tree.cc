#include "inspect/claimed_tree.h"

namespace pteedit {

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

SizeNode ClaimedTree::Build(const std::function<Owner(Extent gap)>& owner_of) && {
  const ByteClaims::Shares shares = claims_.Share();
  for (size_t i = 0; i < owners_.size(); ++i) Give(owners_[i], shares.pieces[i]);
  for (const Extent& gap : shares.gaps) Give(owner_of(gap), {gap});
  SizeNode root;
  root.name = "Total Size";
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  root.pieces = {*root.place};
  for (SizeNode& component : components_) {
    JoinPieces(component.pieces);
    for (SizeNode& row : component.components) JoinPieces(row.pieces);
  }
  root.components = std::move(components_);
  return root;
}

void ClaimedTree::Give(Owner owner, const std::vector<Extent>& pieces) {
  const auto give = [&](SizeNode& node) {
    node.pieces.insert(node.pieces.end(), pieces.begin(), pieces.end());
    for (const Extent& piece : pieces) node.size += piece.size;
  };
  SizeNode& component = components_[owner.component];
  give(component);
  if (owner.row != kNoRow) give(component.components[owner.row]);
}

}  // namespace pteedit
