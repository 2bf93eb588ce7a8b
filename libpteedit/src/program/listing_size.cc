#include "program/listing_size.h"

#include <limits>

#include "base/checked.h"
#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr uint64_t kRowBytes = 32;    // what a row takes beside its texts
constexpr uint64_t kNumberBytes = 8;  // what a number takes

template <class T>
uint64_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}
uint64_t SizeOf(const flatbuffers::String* text) { return ViewOf(text).size(); }

// Of one method.
class MethodMeter {
 public:
  MethodMeter(const schema::ExecutionPlan& plan, ListingBudget& budget)
      : plan_(plan), budget_(budget), name_bytes_(SizeOf(plan.name())) {}

  Status Measure() {
    for (const schema::EValue* value : OrEmpty(plan_.values())) PTEEDIT_TRY(AddValue(*value));
    for (const auto* list : {plan_.inputs(), plan_.outputs()}) {
      for (const int32_t value : OrEmpty(list)) PTEEDIT_TRY(AddResult(value));
    }
    for (const schema::BackendDelegate* delegate : OrEmpty(plan_.delegates())) PTEEDIT_TRY(AddDelegate(*delegate));
    for (const schema::Chain* chain : OrEmpty(plan_.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions()))
        PTEEDIT_TRY(AddInstruction(*instruction));
    }
    return {};
  }

 private:
  Status Take(uint64_t bytes) { return budget_.Take(kRowBytes + bytes, "names, texts and arguments"); }

  // A tensor's row, with its name, which may be made of the method's.
  Status AddValue(const schema::EValue& value) {
    const schema::Tensor* tensor = value.val_as_Tensor();
    if (tensor == nullptr) return {};
    const schema::ExtraTensorInfo* extra = tensor->extra_tensor_info();
    const uint64_t own_bytes = extra == nullptr ? 0 : SizeOf(extra->fully_qualified_name());
    return Take(2 * name_bytes_ + own_bytes + kNumberBytes * SizeOf(tensor->sizes()));
  }

  // An input or output: its layout, or its text where the method is a constant one.
  Status AddResult(int32_t index) {
    const schema::EValue& value = *plan_.values()->Get(static_cast<uoffset_t>(index));
    const schema::Tensor* tensor = value.val_as_Tensor();
    return Take(tensor == nullptr ? TextBytes(value) : kNumberBytes * SizeOf(tensor->sizes()));
  }

  // Of an argument: a number, text, or list.
  static uint64_t TextBytes(const schema::EValue& value) {
    if (const auto* list = value.val_as_TensorList()) return kNumberBytes * SizeOf(list->items());
    if (const auto* list = value.val_as_OptionalTensorList()) return kNumberBytes * SizeOf(list->items());
    if (const auto* text = value.val_as_String()) return SizeOf(text->string_val());
    if (const auto* list = value.val_as_IntList()) return kNumberBytes * SizeOf(list->items());
    if (const auto* list = value.val_as_DoubleList()) return kNumberBytes * SizeOf(list->items());
    if (const auto* list = value.val_as_BoolList()) return kNumberBytes * SizeOf(list->items());
    return 0;
  }

  Status AddDelegate(const schema::BackendDelegate& delegate) {
    uint64_t bytes = 2 * SizeOf(delegate.id()) + name_bytes_;
    for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs()))
      bytes += kRowBytes + SizeOf(spec->key()) + SizeOf(spec->value());
    return Take(bytes);
  }

  Status AddInstruction(const schema::Instruction& instruction) {
    uint64_t bytes = name_bytes_;
    if (const auto* call = instruction.instr_args_as_KernelCall()) {
      const schema::Operator& op = *plan_.operators()->Get(static_cast<uoffset_t>(call->op_index()));
      bytes += SizeOf(op.name()) + SizeOf(op.overload()) + ArgumentBytes(call->args());
    } else if (const auto* to = instruction.instr_args_as_DelegateCall()) {
      const schema::BackendDelegate& delegate = *plan_.delegates()->Get(static_cast<uoffset_t>(to->delegate_index()));
      bytes += SizeOf(delegate.id()) + ArgumentBytes(to->args());
    }
    return Take(bytes);
  }

  uint64_t ArgumentBytes(const flatbuffers::Vector<int32_t>* args) const {
    uint64_t bytes = 0;
    for (const int32_t index : OrEmpty(args))
      bytes += kNumberBytes + TextBytes(*plan_.values()->Get(static_cast<uoffset_t>(index)));
    return bytes;
  }

  const schema::ExecutionPlan& plan_;
  ListingBudget& budget_;
  const uint64_t name_bytes_;
};

}  // namespace

uint64_t MostListedBytes(uint64_t tables_bytes, const ParseLimits& limits) {
  const auto times = CheckedMultiply(tables_bytes, limits.max_listing_factor);
  const auto sum = times ? CheckedAdd(*times, limits.listing_base_bytes) : std::nullopt;
  return sum.value_or(std::numeric_limits<uint64_t>::max());
}

uint64_t MostListedBytes(const Container& file) { return MostListedBytes(file.tables().size, file.state().limits); }

Status CheckListingSize(const schema::Program& program, uint64_t most) {
  ListingBudget budget(most);
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan()))
    PTEEDIT_TRY(MethodMeter(*plan, budget).Measure());
  return {};
}

uint64_t ListedBytes(const std::vector<std::string>& texts) {
  uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += kRowBytes + text.size();
  return bytes;
}

Status ListingBudget::Take(uint64_t bytes, const char* what) {
  if (bytes > left_) {
    return Unsupported(Text("listing ", what, " would take more than ", most_, " bytes (ParseLimits::", limit_, ")"));
  }
  left_ -= bytes;
  return {};
}

}  // namespace pteedit
