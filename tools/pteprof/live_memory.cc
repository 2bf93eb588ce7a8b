#include "live_memory.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace pteedit::cli {
namespace {

// How many bytes of an arena any of many extents covers, as they come and go: a segment tree over their edges.
class CoveredBytes {
 public:
  explicit CoveredBytes(std::vector<uint64_t> edges) : edges_(std::move(edges)) {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    counts_.resize(4 * edges_.size());
    bytes_.resize(4 * edges_.size());
  }

  // `change` is 1 where an extent comes, and -1 where it goes.
  void Change(uint64_t begin, uint64_t end, int change) {
    Change(1, 0, edges_.size() - 1, {IndexOf(begin), IndexOf(end)}, change);
  }

  uint64_t bytes() const { return bytes_[1]; }

 private:
  struct Range {
    size_t begin = 0, end = 0;
  };

  size_t IndexOf(uint64_t edge) const {
    return static_cast<size_t>(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin());
  }

  // As deep as the logarithm of the number of edges.
  void Change(size_t node, size_t first, size_t last, Range range, int change) {  // NOLINT(misc-no-recursion)
    if (range.end <= first || last <= range.begin) return;
    const bool is_leaf = first + 1 == last;
    if (range.begin <= first && last <= range.end) {
      counts_[node] += change;
    } else {
      const size_t middle = (first + last) / 2;
      Change(2 * node, first, middle, range, change);
      Change(2 * node + 1, middle, last, range, change);
    }
    const uint64_t below = is_leaf ? 0 : bytes_[2 * node] + bytes_[2 * node + 1];
    bytes_[node] = counts_[node] > 0 ? edges_[last] - edges_[first] : below;
  }

  std::vector<uint64_t> edges_;
  std::vector<int> counts_;
  std::vector<uint64_t> bytes_;
};

bool IsUsed(const PlannedTensor& tensor) {
  return tensor.first && tensor.last && tensor.bytes && *tensor.bytes != 0 &&
         tensor.offset + *tensor.bytes > tensor.offset;
}

void AddSteps(uint32_t arena, const std::vector<const PlannedTensor*>& tensors, std::vector<MemoryStep>& steps) {
  std::vector<uint64_t> edges;
  std::map<uint64_t, std::vector<std::pair<const PlannedTensor*, int>>> changes;  // by instruction
  for (const PlannedTensor* tensor : tensors) {
    edges.insert(edges.end(), {tensor->offset, tensor->offset + *tensor->bytes});
    changes[*tensor->first].emplace_back(tensor, 1);
    changes[*tensor->last + 1].emplace_back(tensor, -1);
  }
  CoveredBytes covered(std::move(edges));
  for (const auto& [instruction, list] : changes) {
    for (const auto& [tensor, change] : list) covered.Change(tensor->offset, tensor->offset + *tensor->bytes, change);
    steps.push_back({instruction, arena, covered.bytes()});
  }
}

}  // namespace

std::vector<MemoryStep> LiveMemory(const MethodMemory& memory) {
  std::vector<MemoryStep> steps;
  if (!memory.has_lifetimes) return steps;
  std::map<uint32_t, std::vector<const PlannedTensor*>> arenas;
  for (const PlannedTensor& tensor : memory.tensors) {
    if (IsUsed(tensor)) arenas[tensor.arena].push_back(&tensor);
  }
  for (const auto& [arena, tensors] : arenas) AddSteps(arena, tensors, steps);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const MemoryStep& a, const MemoryStep& b) { return a.instruction < b.instruction; });
  return steps;
}

}  // namespace pteedit::cli
