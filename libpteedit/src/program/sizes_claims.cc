#include "program/sizes_claims.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

#include "base/checked.h"

namespace pteedit {

size_t ByteClaims::Claim(Extent extent) {
  assert(Fits(extent, file_size_));
  claims_.push_back(extent);
  return claims_.size() - 1;
}

std::vector<uint64_t> ByteClaims::SortedCuts() const {
  std::vector<uint64_t> cuts = cuts_;
  cuts.insert(cuts.end(), {0, file_size_});
  for (size_t i = 0; i < claims_.size(); ++i) cuts.insert(cuts.end(), {claims_[i].offset, End(i)});
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

std::vector<size_t> ByteClaims::ClaimsByBegin() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (claims_[i].size != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return claims_[a].offset < claims_[b].offset; });
  return order;
}

void AppendPiece(Extent piece, std::vector<Extent>& pieces) {
  if (!pieces.empty() && pieces.back().offset + pieces.back().size == piece.offset) {
    pieces.back().size += piece.size;
  } else {
    pieces.push_back(piece);
  }
}

std::vector<ByteClaims::Share> ByteClaims::Shares() const {
  std::vector<Share> shares;
  const std::vector<uint64_t> cuts = SortedCuts();
  const std::vector<size_t> order = ClaimsByBegin();
  // Between two cuts the same claims hold; the smallest number among them is the first. Ended ones are dropped when
  // met.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> open;
  auto next = order.begin();
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Extent piece{cuts[i], cuts[i + 1] - cuts[i]};
    for (; next != order.end() && claims_[*next].offset == piece.offset; ++next) open.push(*next);
    while (!open.empty() && End(open.top()) <= piece.offset) open.pop();
    if (!open.empty() && !shares.empty() && shares.back().claim == open.top()) {
      shares.back().extent.size += piece.size;
    } else {
      shares.push_back({open.empty() ? std::nullopt : std::optional(open.top()), piece});
    }
  }
  return shares;
}

}  // namespace pteedit
