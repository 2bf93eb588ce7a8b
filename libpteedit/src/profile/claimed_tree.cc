#include "profile/claimed_tree.h"

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
  for (size_t i = 0; i < owners_.size(); ++i) Give(owners_[i], shares.bytes[i]);
  for (const Extent& gap : shares.gaps) Give(owner_of(gap), gap.size);
  SizeNode root;
  root.name = "Total Size";
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  root.components = std::move(components_);
  return root;
}

void ClaimedTree::Give(Owner owner, uint64_t bytes) {
  SizeNode& component = components_[owner.component];
  component.size += bytes;
  if (owner.row != kNoRow) component.components[owner.row].size += bytes;
}

}  // namespace pteedit
