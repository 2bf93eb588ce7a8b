#include "inspect/kernel_work.h"

#include <set>
#include <string>

#include "delegates/torch_work.h"
#include "needs/release_tables.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

// Nothing of an operator that no stock library has; of the others those that have no row move whole tensors.
std::optional<WorkRule> KernelRule(const std::string& op) {
  if (FindReleasesOf(op, StockKernels()) == nullptr) return std::nullopt;
  std::string name = op.substr(0, op.rfind('.'));
  if (const size_t colons = name.find("::"); colons != std::string::npos) name.replace(colons, 2, ".");
  return TorchWorkRule(name).value_or(WorkRule());
}

WorkValue TensorValue(const schema::Tensor& tensor) {
  const TensorLayout layout = LayoutOf(tensor);
  WorkValue value;
  value.sizes.emplace(layout.sizes.begin(), layout.sizes.end());
  value.bytes = ByteSize(layout);
  value.is_bound = tensor.shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_BOUND;
  value.is_unbound = tensor.shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_UNBOUND;
  return value;
}

}  // namespace

KernelWork::KernelWork(const schema::ExecutionPlan& plan)
    : plan_(plan), values_(OrEmpty(plan.values())), read_(values_.size()) {}

OperatorWork KernelWork::Of(const schema::KernelCall& call) {
  const auto& op = *plan_.operators()->Get(static_cast<flatbuffers::uoffset_t>(call.op_index()));
  const std::optional<WorkRule> rule = KernelRule(OperatorName(op));
  if (!rule) return {{}, {}, false, kUnknownOperator};
  std::vector<WorkArgument> args;
  for (const int32_t arg : OrEmpty(call.args()))
    args.push_back({static_cast<uint32_t>(arg), &At(static_cast<uint32_t>(arg))});
  return MeasureOperator(*rule, args);
}

const WorkValue& KernelWork::At(uint32_t index) {
  if (!read_[index]) read_[index] = Read(index);
  return *read_[index];
}

WorkValue KernelWork::Read(uint32_t index) const {
  if (const auto* tensor = values_.Get(index)->val_as_Tensor()) return TensorValue(*tensor);
  WorkValue value;
  if (const auto* flag = values_.Get(index)->val_as_Bool()) value.flag = flag->bool_val();
  std::set<uint32_t> items;
  ForEachItemOf(*values_.Get(index), [&](uint32_t item) { items.insert(item); });
  for (const uint32_t item : items) {
    const auto* tensor = values_.Get(item)->val_as_Tensor();
    const WorkValue one = tensor ? TensorValue(*tensor) : UntoldValue();
    value.bytes = Sum(value.bytes, one.bytes);
    value.is_bound = value.is_bound || one.is_bound;
    value.is_unbound = value.is_unbound || one.is_unbound;
  }
  return value;
}

}  // namespace pteedit
