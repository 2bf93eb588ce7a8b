#include "inspect/claimed_tree.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "pteedit/try.h"

namespace pteedit {
namespace {

bool HasAllOf(const SizeNode& node) {
  uint64_t sum = 0;
  for (const SizeNode& component : node.components) sum += component.size;
  return sum == node.size && (!node.place || node.place->size == node.size);
}

}  // namespace

ClaimedTree::Owner ClaimedTree::AddComponent(SizeRow row) {
  entries_.push_back({std::move(row), kRoot, 1});
  return static_cast<Owner>(entries_.size() - 1);
}

ClaimedTree::Owner ClaimedTree::AddRow(Owner parent, SizeRow row) {
  entries_.push_back({std::move(row), parent, static_cast<uint16_t>(entries_[parent].level + 1)});
  return static_cast<Owner>(entries_.size() - 1);
}

void ClaimedTree::Claim(Owner owner, Extent place) {
  if (place.size == 0) return;
  if (!owners_.empty() && owners_.back() == owner && !RowOf(owner).place && claims_.ExtendLast(place)) return;
  claims_.Claim(place);
  owners_.push_back(owner);
}

void ClaimedTree::ClaimWhole(Owner owner, Extent place) {
  RowOf(owner).place = place;
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
  owners_ = Chunked<Owner>();
  return Assemble();
}

void ClaimedTree::NoteSharedRows() {
  std::vector<uint32_t> rows;  // by the numbers of their claims
  for (uint32_t i = 0; i < owners_.size(); ++i) {
    const Entry& entry = entries_[owners_[i]];
    if (entry.level != 1 && entry.row.place == claims_.claims()[i]) rows.push_back(i);
  }
  const auto key = [&](uint32_t row) {
    const Extent place = claims_.claims()[row];
    return std::tuple(entries_[owners_[row]].level, place.offset, place.size);
  };
  std::ranges::sort(rows, [&](uint32_t a, uint32_t b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
  for (size_t i = 1, first = 0; i < rows.size(); ++i) {
    if (key(rows[i]) != key(rows[first])) first = i;
    if (i != first) RowOf(owners_[rows[i]]).more.Edit().note = "same as " + RowOf(owners_[rows[first]]).name;
  }
}

void ClaimedTree::Give(Owner owner, Extent piece) {
  for (; owner != kRoot; owner = entries_[owner].parent) {
    if (HasPieces(entries_[owner])) AddPiece(piece, RowOf(owner));
    RowOf(owner).size += piece.size;
  }
}

// Behind those that it has. A row that is its place needs no list.
void ClaimedTree::AddPiece(Extent piece, SizeRow& row) {
  if (row.size == 0 && row.place == piece) return;
  Extents& pieces = row.more.Edit().pieces;
  if (row.size != 0 && pieces.empty()) pieces.Add(*row.place);
  pieces.Add(piece);
}

bool ClaimedTree::HasPieces(const Entry& entry) const {
  if (pieces_ == SizePieces::kOfUsers) return entry.level == 1 || entry.is_user || !entry.row.dtype.empty();
  return pieces_ == SizePieces::kAll;
}

// The last entry first, so that all that is in a row is there before the row.
SizeNode ClaimedTree::Assemble() {
  SizeNode root;
  root.name = "Total Size";
  root.size = file_size_;
  root.place = Extent{0, file_size_};
  std::vector<uint32_t> counts(entries_.size());  // of what is in each
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].parent != kRoot) ++counts[entries_[i].parent];
  }
  std::map<Owner, std::vector<SizeNode>> begun;  // what is in those that are still entries
  const auto components_of = [&](Owner owner) -> std::vector<SizeNode>& {
    if (owner == kRoot) return root.components;
    const auto [place, is_new] = begun.try_emplace(owner);
    if (is_new) place->second.reserve(counts[owner]);
    return place->second;
  };
  while (!entries_.empty()) {
    Entry entry = std::move(entries_.back());
    entries_.pop_back();
    SizeNode node{std::move(entry.row), {}, {}};
    if (const auto in_it = begun.find(static_cast<Owner>(entries_.size())); in_it != begun.end()) {
      node.components = std::move(in_it->second);
      std::reverse(node.components.begin(), node.components.end());
      begun.erase(in_it);
    }
    if (node.place && node.more->pieces == Extents{*node.place}) node.more.Edit().pieces = {};
    if (entry.level > 1 && !HasAllOf(node)) node.components.clear();
    if (node.size == 0 && node.components.empty() && !node.place) continue;
    components_of(entry.parent).push_back(std::move(node));
  }
  std::reverse(root.components.begin(), root.components.end());
  return root;
}

}  // namespace pteedit
