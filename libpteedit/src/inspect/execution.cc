#include "pteedit/execution.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/checked.h"
#include "base/text.h"
#include "inspect/instructions.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// Calls visit(plan, names of its delegates) for each method of the program that the file is or holds.
template <class Visit>
void ForEachMethod(const Container& file, Visit visit) {
  if (!HoldsProgram(file)) return;
  const Container& container = ProgramIn(file);
  const schema::Program& program = container.state().program_root();
  const std::vector<DelegateNames> delegates = DelegateNamesIn(program);
  size_t index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) visit(*plan, delegates[index++]);
}

void DescribeOne(const schema::ExecutionPlan& plan, const DelegateNames& delegates,
                 const schema::Instruction& instruction, InstructionDescription& row) {
  ForEachValueOf(instruction, [&](uint32_t value) { row.values.push_back(value); });
  if (const auto* call = instruction.instr_args_as_KernelCall()) {
    row.kind = InstructionKind::kKernel;
    row.target = OperatorName(*plan.operators()->Get(static_cast<uoffset_t>(call->op_index())));
  } else if (const auto* to = instruction.instr_args_as_DelegateCall()) {
    row.kind = InstructionKind::kDelegate;
    row.target = delegates[static_cast<size_t>(to->delegate_index())];
  } else if (instruction.instr_args_as_MoveCall() != nullptr) {
    row.kind = InstructionKind::kMove;
  } else if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
    row.kind = InstructionKind::kJump;
    row.jumps = static_cast<uint64_t>(jump->destination_instruction());
  } else if (instruction.instr_args_as_FreeCall() != nullptr) {
    row.kind = InstructionKind::kFree;
  }
}

// A step as the number of an instruction: inputs are there from the first on, outputs until the last.
uint64_t InstructionOf(uint64_t step, const Lifetimes& lifetimes) {
  const uint64_t last = std::max<uint64_t>(lifetimes.last_step(), 2) - 1;
  return std::clamp<uint64_t>(step, 1, last) - 1;
}

std::vector<PlannedTensor> PlannedTensorsOf(const schema::ExecutionPlan& plan) {
  std::vector<PlannedTensor> tensors;
  const auto& values = OrEmpty(plan.values());
  for (uoffset_t i = 0; i < values.size(); ++i) {
    const schema::Tensor* tensor = values.Get(i)->val_as_Tensor();
    if (tensor == nullptr || tensor->allocation_info() == nullptr) continue;
    const schema::AllocationDetails& place = *tensor->allocation_info();
    const uint64_t offset = uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low();
    tensors.push_back({i, place.memory_id(), offset, ByteSize(LayoutOf(*tensor)), std::nullopt, std::nullopt});
  }
  std::stable_sort(tensors.begin(), tensors.end(), [](const PlannedTensor& a, const PlannedTensor& b) {
    return std::tie(a.arena, a.offset) < std::tie(b.arena, b.offset);
  });
  return tensors;
}

MethodMemory MemoryOf(const schema::ExecutionPlan& plan, const std::vector<InstructionDescription>& instructions) {
  MethodMemory memory;
  memory.method = ViewOf(plan.name());
  const auto& sizes = OrEmpty(plan.non_const_buffer_sizes());
  for (uoffset_t i = 1; i < sizes.size(); ++i) {  // number 0 is reserved
    const uint64_t bytes = sizes.Get(i) > 0 ? static_cast<uint64_t>(sizes.Get(i)) : 0;
    memory.arenas.push_back(bytes);
    memory.planned_bytes = CheckedAdd(memory.planned_bytes, bytes).value_or(std::numeric_limits<uint64_t>::max());
  }
  memory.tensors = PlannedTensorsOf(plan);
  memory.has_lifetimes =
      OrEmpty(plan.chains()).size() == 1 &&
      std::none_of(instructions.begin(), instructions.end(), [](const auto& one) { return one.jumps.has_value(); });
  if (!memory.has_lifetimes) return memory;
  const Lifetimes lifetimes(plan);
  for (PlannedTensor& tensor : memory.tensors) {
    const std::optional<Lifetimes::Span>& span = lifetimes.Of(tensor.value);
    if (!span) continue;
    tensor.first = InstructionOf(span->first, lifetimes);
    tensor.last = InstructionOf(span->last, lifetimes);
  }
  return memory;
}

std::string TensorText(const schema::Tensor& tensor) {
  const TensorLayout layout = LayoutOf(tensor);
  return Text(ScalarTypeName(layout.scalar_type), '[', Joined(layout.sizes, ","), ']');
}

std::string ValueText(const schema::ExecutionPlan& plan, const schema::EValue& value) {
  if (const auto* number = value.val_as_Int()) return std::to_string(number->int_val());
  if (const auto* flag = value.val_as_Bool()) return flag->bool_val() ? "true" : "false";
  if (const auto* number = value.val_as_Double()) return NumberText(number->double_val());
  if (const auto* text = value.val_as_String()) return std::string(ViewOf(text->string_val()));
  if (const auto* tensor = value.val_as_Tensor()) return TensorText(*tensor);
  const auto item_text = [&](int64_t item) -> std::string {
    return item < 0 ? "none" : ValueText(plan, *plan.values()->Get(static_cast<uoffset_t>(item)));
  };
  const auto is_number = [&](int64_t item) {
    return plan.values()->Get(static_cast<uoffset_t>(item))->val_as_Int() != nullptr;
  };
  if (const auto* list = value.val_as_IntList()) {
    return Joined(OrEmpty(list->items()), ",", [&](int64_t item) { return is_number(item) ? item_text(item) : "?"; });
  }
  if (const auto* list = value.val_as_DoubleList()) return Joined(OrEmpty(list->items()), ",", NumberText);
  if (const auto* list = value.val_as_BoolList()) {
    return Joined(OrEmpty(list->items()), ",", [](bool item) -> std::string { return item ? "true" : "false"; });
  }
  return {};
}

// Null where there is none.
const schema::ExecutionPlan* MethodAt(const Container& file, size_t method) {
  if (!HoldsProgram(file)) return nullptr;
  const auto& plans = OrEmpty(ProgramIn(file).state().program_root().execution_plan());
  return method < plans.size() ? plans.Get(static_cast<uoffset_t>(method)) : nullptr;
}

void AddTensor(const schema::Program& program, const schema::Tensor& tensor, MethodValue& value) {
  if (tensor.extra_tensor_info() != nullptr) value.name = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
  value.store = StoreName(StoreOf(program, tensor));
  value.layout = LayoutOf(tensor);
}

}  // namespace

const char* NameOf(InstructionKind kind) {
  static constexpr const char* kNames[] = {"none", "kernel", "delegate", "move", "jump", "free"};
  return kNames[static_cast<size_t>(kind)];
}

size_t CountInstructions(const schema::ExecutionPlan& plan) {
  size_t count = 0;
  for (const schema::Chain* chain : OrEmpty(plan.chains())) count += OrEmpty(chain->instructions()).size();
  return count;
}

void ForEachInstruction(const schema::ExecutionPlan& plan, const DelegateNames& delegates,
                        const std::function<void(InstructionDescription)>& visit) {
  uint64_t chain_index = 0;
  for (const schema::Chain* chain : OrEmpty(plan.chains())) {
    uint64_t index = 0;
    for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
      InstructionDescription row;
      row.method = ViewOf(plan.name());
      row.chain = chain_index;
      row.index = index++;
      DescribeOne(plan, delegates, *instruction, row);
      visit(std::move(row));
    }
    ++chain_index;
  }
}

std::vector<InstructionDescription> InstructionsOf(const schema::ExecutionPlan& plan, const DelegateNames& delegates) {
  std::vector<InstructionDescription> rows;
  rows.reserve(CountInstructions(plan));
  ForEachInstruction(plan, delegates, [&](InstructionDescription row) { rows.push_back(std::move(row)); });
  return rows;
}

std::vector<InstructionDescription> DescribeInstructions(const Container& file) {
  std::vector<InstructionDescription> rows;
  ForEachMethod(file, [&](const schema::ExecutionPlan& plan, const DelegateNames& delegates) {
    std::vector<InstructionDescription> more = InstructionsOf(plan, delegates);
    if (rows.empty()) return rows.swap(more);
    rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  });
  return rows;
}

std::vector<MethodMemory> DescribeMemory(const Container& file) {
  std::vector<MethodMemory> methods;
  ForEachMethod(file, [&](const schema::ExecutionPlan& plan, const DelegateNames& delegates) {
    methods.push_back(MemoryOf(plan, InstructionsOf(plan, delegates)));
  });
  return methods;
}

std::vector<ConstantMethod> DescribeConstantMethods(const Container& file) {
  std::vector<ConstantMethod> methods;
  ForEachMethod(file, [&](const schema::ExecutionPlan& plan, const DelegateNames&) {
    const auto& chains = OrEmpty(plan.chains());
    const bool runs = std::any_of(chains.begin(), chains.end(), [](const schema::Chain* chain) {
      return OrEmpty(chain->instructions()).size() != 0;
    });
    if (runs || OrEmpty(plan.inputs()).size() != 0) return;
    ConstantMethod method{std::string(ViewOf(plan.name())), {}};
    for (const int32_t output : OrEmpty(plan.outputs())) {
      const schema::EValue& value = *plan.values()->Get(static_cast<uoffset_t>(output));
      method.values.push_back({TypeName(value.val_type()), ValueText(plan, value)});
    }
    methods.push_back(std::move(method));
  });
  return methods;
}

uint64_t CountValues(const Container& file, size_t method) {
  const schema::ExecutionPlan* plan = MethodAt(file, method);
  return plan == nullptr ? 0 : OrEmpty(plan->values()).size();
}

std::optional<MethodValue> DescribeValue(const Container& file, size_t method, uint64_t value) {
  if (value >= CountValues(file, method)) return std::nullopt;
  const schema::ExecutionPlan& plan = *MethodAt(file, method);
  const schema::EValue& found = *plan.values()->Get(static_cast<uoffset_t>(value));
  MethodValue description;
  description.type = TypeName(found.val_type());
  const auto add_items = [&](const auto& items) { description.items.assign(items.begin(), items.end()); };
  if (const auto* tensor = found.val_as_Tensor()) {
    AddTensor(ProgramIn(file).state().program_root(), *tensor, description);
  } else if (const auto* list = found.val_as_TensorList()) {
    add_items(OrEmpty(list->items()));
  } else if (const auto* optional = found.val_as_OptionalTensorList()) {
    add_items(OrEmpty(optional->items()));
  } else {
    description.text = ValueText(plan, found);
  }
  return description;
}

}  // namespace pteedit
