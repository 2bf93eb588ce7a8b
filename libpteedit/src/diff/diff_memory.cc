#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "diff/diff_meaning.h"
#include "program/container_state.h"
#include "pteedit/execution.h"

namespace pteedit {
namespace {

using Tensors = std::map<uint64_t, const PlannedTensor*>;  // by value

Tensors TensorsOf(const MethodMemory& memory) {
  Tensors tensors;
  for (const PlannedTensor& tensor : memory.tensors) tensors.emplace(tensor.value, &tensor);
  return tensors;
}

std::string PlaceWords(const PlannedTensor* tensor) {
  if (tensor == nullptr) return {};
  const std::string place = Text("arena ", tensor->arena, " at ", Hex(tensor->offset));
  return tensor->bytes ? Text(place, ", ", *tensor->bytes, " bytes") : place;
}

// In an arena: all, and those of them that lie elsewhere on the other side.
struct TensorCount {
  uint64_t all = 0, moved = 0;

  std::string Words() const {
    const std::string words = Text(all, all == 1 ? " tensor" : " tensors");
    return moved == 0 ? words : Text(words, ", ", moved, " moved");
  }
};

class MemoryComparer {
 public:
  explicit MemoryComparer(std::vector<MeaningChange>& changes) : changes_(changes) {}

  // Values of one number are one tensor where both have as many values.
  void Compare(const MethodMemory& before, const MethodMemory& after, bool has_same_values) {
    Tensors then = TensorsOf(before), now = TensorsOf(after);
    std::map<uint32_t, std::pair<TensorCount, TensorCount>> arenas;
    for (const auto& [value, tensor] : then) ++arenas[tensor->arena].first.all;
    for (const auto& [value, tensor] : now) {
      ++arenas[tensor->arena].second.all;
      const auto old = then.find(value);
      if (!has_same_values || old == then.end()) continue;
      const bool has_moved = old->second->arena != tensor->arena || old->second->offset != tensor->offset;
      if (!has_moved || old->second->bytes != tensor->bytes) continue;
      ++arenas[old->second->arena].first.moved;
      ++arenas[tensor->arena].second.moved;
    }
    for (const auto& [arena, counts] : arenas) {
      const auto& [old, current] = counts;
      if (old.all != current.all || old.moved + current.moved != 0)
        changes_.push_back({"planned tensors", Text(after.method, " arena ", arena), old.Words(), current.Words()});
    }
    if (has_same_values) CompareSizes(after.method, then, now);
  }

 private:
  void CompareSizes(const std::string& method, const Tensors& then, Tensors now) {
    for (const auto& [value, tensor] : then) now.emplace(value, nullptr);
    for (const auto& [value, tensor] : now) {
      const auto old = then.find(value);
      const PlannedTensor* before = old == then.end() ? nullptr : old->second;
      const bool is_as_large = before != nullptr && tensor != nullptr && before->bytes == tensor->bytes;
      if (!is_as_large)
        changes_.push_back({"planned tensor", Text(method, " value ", value), PlaceWords(before), PlaceWords(tensor)});
    }
  }

  std::vector<MeaningChange>& changes_;
};

std::map<std::string_view, uint64_t> ValueCounts(const Container& program) {
  std::map<std::string_view, uint64_t> counts;
  for (const auto* plan : OrEmpty(program.state().program_root().execution_plan()))
    counts.emplace(ViewOf(plan->name()), OrEmpty(plan->values()).size());
  return counts;
}

}  // namespace

void AddMemoryChanges(const Container& before, const Container& after, std::vector<MeaningChange>& changes) {
  const std::vector<MethodMemory> old_methods = DescribeMemory(before);
  std::map<std::string_view, const MethodMemory*> then;
  for (const MethodMemory& memory : old_methods) then.emplace(memory.method, &memory);
  const auto old_counts = ValueCounts(before), new_counts = ValueCounts(after);
  MemoryComparer comparer(changes);
  std::set<std::string_view> seen;  // a second one of a name is hidden
  for (const MethodMemory& memory : DescribeMemory(after)) {
    const auto old = then.find(memory.method);
    if (old == then.end() || !seen.insert(old->first).second) continue;
    comparer.Compare(*old->second, memory, old_counts.at(memory.method) == new_counts.at(memory.method));
  }
}

}  // namespace pteedit
