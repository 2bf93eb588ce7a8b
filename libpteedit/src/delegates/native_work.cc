#include "delegates/native_work.h"

#include <algorithm>
#include <set>

#include "delegates/native_meta.h"
#include "delegates/torch_work.h"

namespace pteedit {
namespace {

// Those beside torch's own, by name without overload: what writes into a part of a tensor, and what writes all of one
// where it is not in place.
constexpr NamedRule kNativeRows[] = {
    {"aten.copy_", {Work::kWritten, 1}},  {"aten.index_put", {Work::kAll}},   {"aten.index_put_", {Work::kWritten, 2}},
    {"aten.scatter", {Work::kAll}},       {"aten.scatter_add", {Work::kAll}}, {"aten.select_scatter", {Work::kAll}},
    {"aten.slice_scatter", {Work::kAll}}, {"native.rope", {Work::kAll}},
};
static_assert(std::ranges::is_sorted(kNativeRows, {}, &NamedRule::name));

constexpr std::string_view kTorchPrefix = "torch.ops.";
constexpr std::string_view kNumbersPrefix = "_operator.";  // Python's, of sizes

WorkValue NativeValueOf(const schema::native::TensorMeta& meta) {
  WorkValue value = UntoldValue();
  const auto& dims = OrEmpty(meta.sizes());
  if (dims.size() > kMaxDims) return value;
  std::vector<uint64_t> sizes;
  for (const schema::native::Dim* dim : dims) {
    value.is_unbound = value.is_unbound || dim->max() < 0;
    value.is_bound = value.is_bound || dim->min() != dim->max();
    if (!value.is_unbound && (dim->min() < 0 || dim->min() > dim->max())) return UntoldValue();
    sizes.push_back(value.is_unbound ? 0 : static_cast<uint64_t>(dim->max()));
  }
  if (value.is_unbound) return value;
  value.sizes = std::move(sizes);
  if (const uint64_t bits = NativeBitsOf(meta); bits != 0) value.bytes = BytesOf(value, bits);
  return value;
}

WorkValue ScalesOf(const WorkValue& tensor, int32_t group_size, schema::native::ScalarType type) {
  WorkValue value = UntoldValue();
  value.is_bound = tensor.is_bound;
  value.is_unbound = tensor.is_unbound;
  if (!tensor.sizes) return value;
  value.sizes = NativeScaleSizes(*tensor.sizes, group_size);
  if (const uint64_t bytes = NativeElementBytes(type); bytes != 0) value.bytes = Product({ElementsOf(value), bytes});
  return value;
}

// Whether all that it gives is memory of what it takes, and it writes nothing there.
bool OnlyNames(const schema::native::Node& call) {
  const auto& outputs = OrEmpty(call.outputs());
  const auto is_alias = [](const auto* output) { return !ViewOf(output->alias_of()).empty(); };
  return outputs.size() != 0 && std::ranges::all_of(outputs, is_alias) &&
         std::ranges::none_of(OrEmpty(call.inputs()), [](const auto* input) { return input->mutated(); });
}

std::optional<WorkRule> RuleOf(const schema::native::Node& call) {
  const auto is_body = [](const auto* input) { return input->arg()->value_as_GraphArg() != nullptr; };
  if (std::ranges::any_of(OrEmpty(call.inputs()), is_body)) return WorkRule{Work::kUntoldMacs};
  return OnlyNames(call) ? WorkRule{Work::kNothing} : NativeWorkRule(ViewOf(call.target()));
}

const WorkValue kNoTensor;

}  // namespace

std::optional<WorkRule> NativeWorkRule(std::string_view target) {
  if (target.size() > kMaxNameBytes) return std::nullopt;
  if (target.starts_with(kNumbersPrefix)) return WorkRule{Work::kNothing};
  if (!target.starts_with(kTorchPrefix)) return std::nullopt;
  target.remove_prefix(kTorchPrefix.size());
  const std::string_view name = target.substr(0, target.rfind('.'));
  if (const std::optional<WorkRule> rule = FindRule(kNativeRows, {}, name)) return rule;
  return TorchWorkRule(name.ends_with('_') ? name.substr(0, name.size() - 1) : name);
}

NativeGraphWork::NativeGraphWork(const schema::native::Graph& graph, const Constants* constants, Unfolding& unfolding)
    : unfolding_(unfolding) {
  for (const auto* value : OrEmpty(graph.tensor_values())) Add(ViewOf(value->name()), next_id_++, *value->meta());
  for (const auto* constant : OrEmpty(constants))
    Add(ViewOf(constant->name()), IdOfKey(constant->data_key()), *constant->meta());
}

void NativeGraphWork::Add(std::string_view name, uint64_t id, const schema::native::TensorMeta& meta) {
  if (!unfolding_.Take(name.size())) return;
  Named named{id, NativeValueOf(meta), {}};
  const auto* group = meta.quant() == nullptr ? nullptr : meta.quant()->scheme_as_AffineGroup();
  if (group != nullptr) {
    for (const auto& [key, type] : {std::pair(group->scale_data_key(), group->scale_dtype()),
                                    std::pair(group->zero_point_data_key(), group->zero_point_dtype())}) {
      if (!ViewOf(key).empty())
        named.scales.emplace_back(IdOfKey(key), ScalesOf(named.value, group->group_size(), type));
    }
  }
  values_.emplace(name, std::move(named));
}

uint64_t NativeGraphWork::IdOfKey(const flatbuffers::String* key) {
  if (!unfolding_.Take(ViewOf(key).size())) return next_id_++;
  const auto [found, is_new] = id_of_key_.emplace(ViewOf(key), next_id_);
  if (is_new) ++next_id_;
  return found->second;
}

const NativeGraphWork::Named* NativeGraphWork::Find(const flatbuffers::String* name) {
  if (!unfolding_.Take(ViewOf(name).size() + sizeof(WorkArgument))) return nullptr;
  const auto found = values_.find(ViewOf(name));
  return found == values_.end() ? nullptr : &found->second;
}

OperatorWork NativeGraphWork::Of(const schema::native::Node& call) {
  const std::optional<WorkRule> rule = RuleOf(call);
  if (!rule) return {{}, {}, false, kUnknownOperator};
  Arguments arguments;
  for (const auto* input : OrEmpty(call.inputs())) AddInput(*input->arg(), arguments);
  // Scales are read as the tensors are, but are no arguments of the operator's.
  std::vector<WorkArgument>& all = arguments.all;
  all.insert(all.end(), arguments.scales.begin(), arguments.scales.end());
  arguments.scales.clear();
  if (OrEmpty(call.outputs()).size() == 0) AddTensor(call.name(), arguments);
  for (const auto* output : OrEmpty(call.outputs())) AddOutput(*output, arguments);
  return MeasureOperator(*rule, all);
}

void NativeGraphWork::AddInput(const schema::native::Argument& argument, Arguments& arguments) {
  if (const auto* one = argument.value_as_TensorArg()) return AddTensor(one->name(), arguments);
  if (const auto* list = argument.value_as_TensorListArg()) return AddList(*list->names(), arguments);
  if (const auto* list = argument.value_as_OptionalTensorListArg()) return AddList(*list->names(), arguments);
  const auto* flag = argument.value_as_BoolArg();
  if (flag == nullptr || !ViewOf(flag->ref()).empty()) {
    arguments.all.push_back({next_id_++, &kNoTensor});
    return;
  }
  WorkValue& value = arguments.lists.emplace_back();
  value.flag = flag->value();
  arguments.all.push_back({next_id_++, &value});
}

void NativeGraphWork::AddOutput(const schema::native::Output& output, Arguments& arguments) {
  using Kind = schema::native::OutputValueKind;
  if (output.kind() == Kind::TENSOR) return AddTensor(output.name(), arguments);
  if (output.kind() == Kind::TENSOR_LIST)
    return output.names() == nullptr ? AddMissing(arguments) : AddList(*output.names(), arguments);
  arguments.all.push_back({next_id_++, &kNoTensor});
}

void NativeGraphWork::AddTensor(const flatbuffers::String* name, Arguments& arguments) {
  const Named* named = Find(name);
  if (named == nullptr) return AddMissing(arguments);
  arguments.all.push_back({named->id, &named->value});
  AddScales(*named, arguments);
}

void NativeGraphWork::AddMissing(Arguments& arguments) {
  static const WorkValue kMissing = UntoldValue();
  arguments.all.push_back({next_id_++, &kMissing});
}

void NativeGraphWork::AddScales(const Named& named, Arguments& arguments) {
  for (const auto& [id, value] : named.scales) arguments.scales.push_back({id, &value});
}

// What is optional has an empty name where it is not there.
void NativeGraphWork::AddList(const Names& names, Arguments& arguments) {
  std::set<uint64_t> seen;
  WorkValue& list = arguments.lists.emplace_back();
  for (const flatbuffers::String* name : names) {
    if (ViewOf(name).empty()) continue;
    const Named* named = Find(name);
    if (named == nullptr) list.bytes = std::nullopt;
    if (named == nullptr || !seen.insert(named->id).second) continue;
    list.bytes = Sum(list.bytes, named->value.bytes);
    list.is_bound = list.is_bound || named->value.is_bound;
    list.is_unbound = list.is_unbound || named->value.is_unbound;
    AddScales(*named, arguments);
  }
  arguments.all.push_back({next_id_++, &list});
}

}  // namespace pteedit
