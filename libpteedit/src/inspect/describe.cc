#include "pteedit/describe.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "delegates/native.h"
#include "edit/model.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/file_set.h"
#include "program/found_names.h"
#include "program/layout.h"
#include "program/segment_users.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// Inputs and outputs of one method. A value that is named more than once has its layout copied once.
class ValueDescriber {
 public:
  explicit ValueDescriber(const schema::ExecutionPlan& plan) : plan_(plan) {}

  std::vector<ValueDescription> Describe(const flatbuffers::Vector<int32_t>& indices) {
    std::vector<ValueDescription> values;
    values.reserve(indices.size());
    for (const int32_t index : indices) values.push_back(DescribeOne(static_cast<uint32_t>(index)));
    return values;
  }

 private:
  ValueDescription DescribeOne(uint32_t index) {
    const schema::EValue& value = *plan_.values()->Get(index);
    ValueDescription description{index, TypeName(value.val_type()), nullptr};
    if (const schema::Tensor* tensor = value.val_as_Tensor()) {
      std::shared_ptr<const TensorLayout>& layout = layouts_[index];
      if (layout == nullptr) layout = std::make_shared<TensorLayout>(LayoutOf(*tensor));
      description.layout = layout;
    }
    return description;
  }

  const schema::ExecutionPlan& plan_;
  std::map<uint32_t, std::shared_ptr<const TensorLayout>> layouts_;
};

MethodDescription DescribeMethod(const schema::ExecutionPlan& plan) {
  MethodDescription method;
  method.name = ViewOf(plan.name());
  ValueDescriber values(plan);
  method.inputs = values.Describe(OrEmpty(plan.inputs()));
  method.outputs = values.Describe(OrEmpty(plan.outputs()));
  for (const schema::Chain* chain : OrEmpty(plan.chains())) {
    for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
      ++method.instructions;
      if (instruction->instr_args_as_KernelCall() != nullptr) ++method.kernel_calls;
      if (instruction->instr_args_as_DelegateCall() != nullptr) ++method.delegate_calls;
    }
  }
  method.planned_bytes = SumOfArenas(plan);
  return method;
}

// Values of a constant that read it with the same layout become one row.
void AppendConstant(const Constant& constant, uint64_t file_offset, const std::vector<SharedText>& methods,
                    SharedLayouts& layouts, std::vector<TensorDescription>& rows) {
  std::set<const TensorLayout*> seen;
  for (const ConstantUse& use : constant.uses) {
    TensorDescription row;
    row.layout = layouts(use.layout());
    if (!seen.insert(row.layout.get()).second) continue;
    row.name = constant.name;
    if (!constant.aliases.empty()) row.aliases.Edit() = constant.aliases;
    row.method = methods[use.method];
    row.value = use.value;
    row.bytes = ByteSize(*row.layout);
    row.store = StoreName(constant.store);
    row.extent = Extent{file_offset + constant.extent.offset, constant.extent.size};
    rows.push_back(std::move(row));
  }
}

// What names its bytes in a data file, and what people call them.
void SetKey(const Container& file, std::string key, TensorDescription& row) {
  std::vector<std::string> names = NamesAndKeys(file, {key});
  row.name = std::move(names.front());
  if (row.name != key && names.size() > 2) row.aliases.Edit().assign(names.begin() + 1, names.end() - 1);
  row.key.Edit() = std::move(key);
}

// The tensors of a method whose bytes are not in the file.
void AppendUnstored(const Container& program_file, const schema::ExecutionPlan& plan, const SharedText& method,
                    SharedLayouts& layouts, std::vector<TensorDescription>& rows) {
  const schema::Program& program = program_file.state().program_root();
  const auto& values = OrEmpty(plan.values());
  for (uoffset_t i = 0; i < values.size(); ++i) {
    const schema::Tensor* tensor = values.Get(i)->val_as_Tensor();
    if (tensor == nullptr) continue;
    const Store store = StoreOf(program, *tensor);
    if (IsStored(store)) continue;
    TensorDescription row;
    if (tensor->extra_tensor_info() != nullptr) row.name = ViewOf(tensor->extra_tensor_info()->fully_qualified_name());
    row.method = method;
    row.value = i;
    row.layout = layouts(LayoutOf(*tensor));
    row.bytes = ByteSize(*row.layout);
    row.store = StoreName(store);
    if (store == Store::kExternal) SetKey(program_file, row.name, row);
    rows.push_back(std::move(row));
  }
}

std::vector<TensorDescription> DescribeProgramTensors(const Container& program, uint64_t file_offset) {
  const schema::Program& root = program.state().program_root();
  const std::vector<Constant> constants = CollectConstants(program);
  size_t unstored = 0;
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
    if (!IsStored(StoreOf(root, tensor))) ++unstored;
  });
  std::vector<TensorDescription> rows;
  rows.reserve(constants.size() + unstored);  // what grows by itself is there twice
  std::vector<SharedText> methods;
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan()))
    methods.emplace_back(std::string(ViewOf(plan->name())));
  SharedLayouts layouts;
  for (const Constant& constant : constants) AppendConstant(constant, file_offset, methods, layouts, rows);
  for (const size_t plan : MethodsByName(root)) {
    AppendUnstored(program, *root.execution_plan()->Get(static_cast<uoffset_t>(plan)), methods[plan], layouts, rows);
  }
  return rows;
}

std::vector<TensorDescription> DescribeDataTensors(const Container& data) {
  std::vector<TensorDescription> rows;
  for (const NamedEntry& entry : data.named_data()) {
    if (!entry.layout) continue;
    TensorDescription row;
    SetKey(data, std::string(entry.key), row);
    row.layout = entry.layout;
    row.bytes = ByteSize(*entry.layout);
    row.store = StoreName(Store::kSegment);
    row.extent = entry.extent;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<NamedDataDescription> DescribeNamedData(const Container& file, uint64_t file_offset) {
  const std::vector<NamedEntry>& entries = file.named_data();
  std::vector<EntryPlace> places;
  places.reserve(entries.size());
  for (const NamedEntry& entry : entries) places.push_back(PlaceOf(entry));
  std::sort(places.begin(), places.end());
  std::vector<NamedDataDescription> rows;
  rows.reserve(entries.size());
  for (const NamedEntry& entry : entries) {
    const auto [first, last] = std::equal_range(places.begin(), places.end(), PlaceOf(entry));
    rows.push_back({std::string(entry.key),
                    NamesOfKey(file, entry.key),
                    entry.extent.size,
                    entry.layout,
                    static_cast<uint64_t>(last - first),
                    {file_offset + entry.extent.offset, entry.extent.size}});
  }
  return rows;
}

std::vector<SegmentDescription> DescribeSegments(const Container& file, uint64_t file_offset) {
  std::vector<SegmentDescription> rows;
  rows.reserve(file.segments().size());
  const std::vector<uint64_t> alignments = ShownAlignments(file);
  for (size_t i = 0; i < file.segments().size(); ++i) {
    const Extent extent = file.segments()[i];
    rows.push_back({static_cast<uint32_t>(i), {file_offset + extent.offset, extent.size}, alignments[i], {}});
  }
  if (const auto& package = file.state().package) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i].users.push_back(Text("member '", package->members[i].name, "'"));
    return rows;
  }
  std::vector<DelegateNames> delegates;
  if (file.kind() == FileKind::kProgram) delegates = DelegateNamesIn(file.state().program_root());
  ForEachSegmentUser(file, [&](uint32_t segment, const SegmentUser& user) {
    std::vector<std::string>& users = rows[segment].users;
    switch (user.kind) {
      case SegmentUser::Kind::kConstants:
        return users.push_back("constants");
      case SegmentUser::Kind::kMutable:
        return users.push_back(Text("mutable data ", user.index));
      case SegmentUser::Kind::kDelegate:
        return users.push_back(delegates[user.plan][user.index]);
      case SegmentUser::Kind::kNamedData:
        return users.push_back(Text("key '", ShownName(file, file.named_data()[user.index].key), "'"));
    }
  });
  return rows;
}

std::vector<uint64_t> CallsByOperator(const schema::ExecutionPlan& plan) {
  std::vector<uint64_t> calls(OrEmpty(plan.operators()).size());
  for (const schema::Chain* chain : OrEmpty(plan.chains())) {
    for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
      const schema::KernelCall* call = instruction->instr_args_as_KernelCall();
      if (call != nullptr) ++calls[static_cast<size_t>(call->op_index())];
    }
  }
  return calls;
}

std::vector<OperatorDescription> DescribeOperators(const schema::Program& program) {
  std::map<std::string, OperatorDescription> by_name;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    const std::vector<uint64_t> calls = CallsByOperator(*plan);
    for (uoffset_t i = 0; i < calls.size(); ++i) {
      const std::string name = OperatorName(*plan->operators()->Get(i));
      OperatorDescription& row = by_name[name];
      row.name = name;
      row.calls += calls[i];
      const std::string_view method = ViewOf(plan->name());
      const bool is_new = calls[i] != 0 && (row.methods.empty() || row.methods.back() != method);
      if (is_new) row.methods.emplace_back(method);
    }
  }
  std::vector<OperatorDescription> rows;
  for (auto& [name, row] : by_name) rows.push_back(std::move(row));
  return rows;
}

std::vector<ValueDescription> ValuesOf(const std::vector<std::shared_ptr<const TensorLayout>>& layouts) {
  std::vector<ValueDescription> values;
  for (const auto& layout : layouts)
    values.push_back({static_cast<uint32_t>(values.size()), layout == nullptr ? "int" : "tensor", layout});
  return values;
}

// Nothing of a graph that is damaged, as verification tells.
void AddGraph(const std::vector<NativeMethod>& methods, Description& description) {
  std::map<std::string, OperatorDescription> by_name;
  for (const NativeMethod& method : methods) {
    MethodDescription row;
    row.name = method.name;
    row.inputs = ValuesOf(method.inputs);
    row.outputs = ValuesOf(method.outputs);
    row.instructions = row.kernel_calls = method.operators.size();
    description.methods.push_back(std::move(row));
    for (const std::string& name : method.operators) {
      OperatorDescription& op = by_name[name];
      op.name = name;
      ++op.calls;
      if (op.methods.empty() || op.methods.back() != method.name) op.methods.push_back(method.name);
    }
  }
  for (auto& [name, row] : by_name) description.operators.push_back(std::move(row));
}

void AddPackage(const Container& file, Description& description) {
  const Result<NativeGraph> graph = ReadNativeGraph({file.source(), file.state().package->graph, {}, nullptr});
  if (graph) AddGraph(graph->methods, description);
}

void AddMethods(const Container& file, Description& description) {
  if (file.kind() == FileKind::kNative) return AddPackage(file, description);
  if (!HoldsProgram(file)) return;
  const schema::Program& root = ProgramIn(file).state().program_root();
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan()))
    description.methods.push_back(DescribeMethod(*plan));
  description.operators = DescribeOperators(root);
}

}  // namespace

Description Describe(const Container& file, unsigned rows) {
  const Container& inner = ProgramIn(file);
  const uint64_t offset = file.program_extent().offset;
  Description description;
  if ((rows & kMethodRows) != 0) AddMethods(file, description);
  if ((rows & kTensorRows) != 0)
    description.tensors = HoldsProgram(file) ? DescribeProgramTensors(inner, offset) : DescribeDataTensors(file);
  if ((rows & kSegmentRows) != 0) description.segments = DescribeSegments(inner, offset);
  if ((rows & kNamedDataRows) != 0) description.named_data = DescribeNamedData(inner, offset);
  return description;
}

}  // namespace pteedit
