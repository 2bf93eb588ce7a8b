#include "pteedit/stored_reads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "program/constants.h"
#include "program/container_state.h"
#include "program/found_names.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "pteedit/delegates.h"
#include "pteedit/execution.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// What each tensor of each method, and each delegate, reads: items by method index and value, and by delegate name.
class ItemFinder {
 public:
  explicit ItemFinder(const Container& program) : program_(program) {}

  void AddConstants() {
    for (const Constant& constant : CollectConstants(program_)) {
      if (constant.store == Store::kMutable) continue;
      const auto bytes = constant.known_size ? std::optional(constant.extent.size) : std::nullopt;
      const size_t item = Add({StoredItem::Kind::kConstant, constant.name, bytes});
      for (const ConstantUse& use : constant.uses) of_value_[{use.method, use.value}] = item;
    }
  }

  void AddExternalTensors() {
    const schema::Program& root = program_.state().program_root();
    size_t method = 0;
    for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
      const auto& values = OrEmpty(plan->values());
      for (uoffset_t i = 0; i < values.size(); ++i) {
        const schema::Tensor* tensor = values.Get(i)->val_as_Tensor();
        if (tensor == nullptr || StoreOf(root, *tensor) != Store::kExternal) continue;
        if (tensor->extra_tensor_info() == nullptr) continue;
        const std::string key(ViewOf(tensor->extra_tensor_info()->fully_qualified_name()));
        of_value_[{method, i}] = KeyItem(key, ByteSize(LayoutOf(*tensor)));
      }
      ++method;
    }
  }

  void AddDelegates(const std::vector<DelegateDescription>& delegates) {
    std::map<std::pair<uint64_t, uint64_t>, size_t> blobs;
    for (const DelegateDescription& delegate : delegates) {
      std::vector<size_t>& items = of_delegate_[delegate.name];
      const auto [blob, is_new] = blobs.try_emplace({delegate.blob.offset, delegate.blob.size}, result_.items.size());
      if (is_new) Add({StoredItem::Kind::kBlob, delegate.name, delegate.blob.size});
      items.push_back(blob->second);
      for (const DelegateDescription::Key& key : delegate.keys) items.push_back(KeyItem(key.key, key.bytes));
    }
  }

  StoredReads Find() && {
    std::map<std::string, size_t> methods;
    const auto& plans = OrEmpty(program_.state().program_root().execution_plan());
    for (uoffset_t i = 0; i < plans.size(); ++i) methods.emplace(ViewOf(plans.Get(i)->name()), i);
    for (const InstructionDescription& one : DescribeInstructions(program_)) {
      std::vector<size_t> items = ItemsOf(one, methods.at(one.method));
      std::sort(items.begin(), items.end());
      items.erase(std::unique(items.begin(), items.end()), items.end());
      if (!items.empty()) result_.instructions.push_back({one.method, one.chain, one.index, std::move(items)});
    }
    return std::move(result_);
  }

 private:
  size_t Add(StoredItem item) {
    result_.items.push_back(std::move(item));
    return result_.items.size() - 1;
  }

  // A tensor and a delegate may ask for the same key.
  size_t KeyItem(const std::string& key, std::optional<uint64_t> bytes) {
    const auto [found, is_new] = of_key_.try_emplace(key, result_.items.size());
    if (is_new) return Add({StoredItem::Kind::kKey, ShownName(program_, key), bytes});
    std::optional<uint64_t>& known = result_.items[found->second].bytes;
    if (bytes) known = std::max(known.value_or(0), *bytes);
    return found->second;
  }

  std::vector<size_t> ItemsOf(const InstructionDescription& one, size_t method) const {
    std::vector<size_t> items;
    if (one.kind == InstructionKind::kDelegate) return of_delegate_.at(one.target);
    if (one.kind != InstructionKind::kKernel) return items;
    for (const uint32_t value : one.values) AddItemsOf(method, value, items);
    return items;
  }

  void AddItemsOf(size_t method, uint32_t index, std::vector<size_t>& items) const {
    if (const auto found = of_value_.find({method, index}); found != of_value_.end()) items.push_back(found->second);
    const schema::ExecutionPlan& plan =
        *program_.state().program_root().execution_plan()->Get(static_cast<uoffset_t>(method));
    ForEachItemOf(*plan.values()->Get(index), [&](uint32_t tensor) {
      const auto found = of_value_.find({method, tensor});
      if (found != of_value_.end()) items.push_back(found->second);
    });
  }

  const Container& program_;
  StoredReads result_;
  std::map<std::pair<size_t, size_t>, size_t> of_value_;
  std::map<std::string, std::vector<size_t>> of_delegate_;
  std::map<std::string, size_t> of_key_;
};

}  // namespace

Result<StoredReads> FindStoredReads(const ProgramSet& set) {
  if (!HoldsProgram(set.file())) return StoredReads();
  const Container& program = set.program();
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(set.Inside()));
  ItemFinder finder(program);
  finder.AddConstants();
  finder.AddExternalTensors();
  finder.AddDelegates(delegates);
  return std::move(finder).Find();
}

}  // namespace pteedit
