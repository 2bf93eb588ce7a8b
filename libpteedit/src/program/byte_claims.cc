#include "program/byte_claims.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <queue>

#include "base/checked.h"
#include "pteedit/try.h"

namespace pteedit {

size_t ByteClaims::Claim(Extent extent) {
  assert(Fits(extent, file_size_));
  claims_.push_back(extent);
  return claims_.size() - 1;
}

bool ByteClaims::ExtendLast(Extent extent) {
  if (claims_.empty()) return false;
  Extent last = claims_[claims_.size() - 1];
  const bool is_before = extent.offset + extent.size == last.offset;
  if (!is_before && last.offset + last.size != extent.offset) return false;
  if (is_before) last.offset = extent.offset;
  last.size += extent.size;
  claims_.pop_back();
  claims_.push_back(last);
  return true;
}

std::vector<uint32_t> ByteClaims::ClaimsByBegin() const {
  std::vector<uint32_t> order(claims_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return claims_[a].offset < claims_[b].offset; });
  return order;
}

Status ByteClaims::ForEachShare(const std::function<Status(const Share&)>& take) {
  SplitGapsAt(file_size_);
  std::sort(cuts_.begin(), cuts_.end());
  const std::vector<uint32_t> order = ClaimsByBegin();
  // Of those that are open the smallest number is the first claim. Ended ones are dropped when met.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> open;
  auto cut = cuts_.begin();
  auto next = order.begin();
  std::optional<Share> last;
  for (uint64_t begin = 0, end = 0; begin < file_size_; begin = end) {
    for (; next != order.end() && claims_[*next].offset == begin; ++next) open.push(*next);
    while (!open.empty() && End(open.top()) <= begin) open.pop();
    while (*cut <= begin) ++cut;
    end = open.empty() ? *cut : End(open.top());
    if (next != order.end()) end = std::min(end, claims_[*next].offset);
    const Share share{open.empty() ? std::nullopt : std::optional<size_t>(open.top()), {begin, end - begin}};
    if (share.claim && last && last->claim == share.claim) {
      last->extent.size += share.extent.size;
      continue;
    }
    if (last) {
      PTEEDIT_TRY(take(*last));
    }
    last = share;
  }
  return last ? take(*last) : Status();
}

}  // namespace pteedit
