#include "advise/repeated_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// Items of lists are looked at in each call, and a file may have the same long list in all of them.
constexpr size_t kMostItems = 10'000'000;

// Kernels whose results differ though their arguments do not, or mean nothing yet.
bool IsRepeatable(std::string_view op) {
  constexpr std::array<std::string_view, 6> kOthers = {"rand",   "bernoulli",   "dropout",
                                                       "normal", "multinomial", "empty"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view word) { return op.find(word) != std::string_view::npos; });
}

bool MovesNoByte(std::string_view op) { return op.find("et_view") != std::string_view::npos || op.ends_with("_nop"); }

// Gives values numbers: those with equal numbers hold the same.
class MethodWalk {
 public:
  MethodWalk(const schema::ExecutionPlan& plan, RepeatedCalls& found)
      : plan_(plan), found_(found), values_(OrEmpty(plan.values())), numbers_(values_.size()) {
    for (const int32_t input : OrEmpty(plan.inputs())) NumberOf(static_cast<uint32_t>(input)) = Fresh();
    for (uint32_t i = 0; i < values_.size(); ++i) {
      if (numbers_[i] == 0) numbers_[i] = InitialNumber(i);
    }
  }

  void Walk() {
    for (const schema::Instruction* instruction : OrEmpty(plan_.chains()->Get(0)->instructions())) {
      if (items_ > kMostItems) return;
      if (const auto* call = instruction->instr_args_as_KernelCall()) AddCall(*call);
      if (const auto* call = instruction->instr_args_as_DelegateCall()) {
        for (const int32_t arg : OrEmpty(call->args())) Define(static_cast<uint32_t>(arg));
      }
      if (const auto* move = instruction->instr_args_as_MoveCall())
        NumberOf(static_cast<uint32_t>(move->move_to())) = Fresh();
    }
  }

 private:
  uint64_t Fresh() { return ++last_; }
  uint64_t& NumberOf(uint32_t value) { return numbers_[value]; }
  uint64_t NumberOf(const std::string& words) {
    uint64_t& number = by_words_[words];
    if (number == 0) number = Fresh();
    return number;
  }

  // Of what is there before anything runs. 0: a tensor that has to be computed, or a list.
  uint64_t InitialNumber(uint32_t value) {
    const schema::EValue& one = *values_.Get(value);
    const schema::Tensor* tensor = one.val_as_Tensor();
    const bool is_list = TypeName(one.val_type()) != std::string_view("string") &&
                         std::string_view(TypeName(one.val_type())).ends_with("_list");
    if (is_list) return 0;
    if (tensor == nullptr) return NumberOf(Text(TypeName(one.val_type()), ' ', ValueWords(one)));
    if (tensor->data_buffer_idx() == 0 && tensor->extra_tensor_info() == nullptr) return 0;
    if (tensor->allocation_info() != nullptr || tensor->data_buffer_idx() == 0) return Fresh();  // state, or outside
    return NumberOf(Text("constant ", tensor->data_buffer_idx(), ' ', ValueWords(one)));
  }

  // What is not computed yet gets a number of its own.
  void Define(uint32_t value) {
    if (NumberOf(value) == 0 && Items(value).empty()) NumberOf(value) = Fresh();
    for (const uint32_t item : Items(value)) {
      if (NumberOf(item) == 0) NumberOf(item) = Fresh();
    }
  }

  std::vector<uint32_t> Items(uint32_t value) {
    std::vector<uint32_t> items;
    const schema::EValue& one = *values_.Get(value);
    ForEachItemOf(one, [&](uint32_t item) { items.push_back(item); });
    if (const auto* list = one.val_as_IntList()) {
      for (const int64_t item : OrEmpty(list->items())) {
        if (item >= 0 && static_cast<uint64_t>(item) < numbers_.size()) items.push_back(static_cast<uint32_t>(item));
      }
    }
    items_ += items.size();
    return items;
  }

  // An argument in words; lists by their items.
  std::string Words(uint32_t value) {
    const schema::EValue& one = *values_.Get(value);
    const bool is_unknown = one.val_as_Tensor() != nullptr && NumberOf(value) == 0;
    if (is_unknown) NumberOf(value) = Fresh();  // read before it was written: a cache, or a view in place
    if (NumberOf(value) != 0) return std::to_string(NumberOf(value));
    const std::vector<uint32_t> items = Items(value);
    std::string words = Text(TypeName(one.val_type()), '[');
    if (const auto* list = one.val_as_BoolList()) {
      for (const bool item : OrEmpty(list->items())) words += item ? '1' : '0';
    } else if (const auto* numbers = one.val_as_DoubleList()) {
      words += Joined(OrEmpty(numbers->items()), ",", NumberText);
    }
    for (const uint32_t item : items) {
      if (NumberOf(item) == 0) NumberOf(item) = Fresh();
      words += Text(NumberOf(item), ',');
    }
    return words + ']';
  }

  // The exporter adds what a kernel returns behind its arguments, of which a kernel of an out variant has it, too.
  void AddCall(const schema::KernelCall& call) {
    const auto& args = OrEmpty(call.args());
    if (args.size() == 0) return;
    const std::string op = OperatorName(*plan_.operators()->Get(static_cast<uoffset_t>(call.op_index())));
    const auto result = static_cast<uint32_t>(args.Get(args.size() - 1));
    std::vector<uint32_t> outputs = Items(result);
    if (outputs.empty() || values_.Get(result)->val_as_IntList() != nullptr) outputs = {result};
    std::string words = op;
    bool is_new = IsRepeatable(op);
    for (const uint32_t output : outputs) {
      is_new = is_new && NumberOf(output) == 0;
      words += Text(' ', ValueWords(*values_.Get(output)));
    }
    for (const int32_t signed_arg : args) {
      const auto arg = static_cast<uint32_t>(signed_arg);
      if (arg == result || std::find(outputs.begin(), outputs.end(), arg) != outputs.end()) continue;
      words += Text(' ', Words(arg));
    }
    if (is_new) return AddOutputs(op, std::move(words), outputs);
    for (const uint32_t output : outputs) NumberOf(output) = Fresh();
  }

  void AddOutputs(const std::string& op, std::string words, const std::vector<uint32_t>& outputs) {
    const auto [seen, is_first] = calls_.try_emplace(std::move(words), last_ + 1);
    if (is_first) last_ += outputs.size();
    uint64_t number = seen->second;
    for (const uint32_t output : outputs) NumberOf(output) = number++;
    if (!is_first && !MovesNoByte(op)) AddRepeated(op, outputs);
  }

  void AddRepeated(const std::string& op, const std::vector<uint32_t>& outputs) {
    ++found_.count;
    for (const uint32_t output : outputs) {
      const schema::Tensor* tensor = values_.Get(output)->val_as_Tensor();
      const uint64_t bytes = tensor == nullptr ? 0 : ByteSize(LayoutOf(*tensor)).value_or(0);
      found_.bytes += bytes;
      if (bytes <= found_.largest_bytes) continue;
      found_.largest_bytes = bytes;
      found_.largest = op;
      found_.makes = ValueWords(*values_.Get(output));
    }
  }

  const schema::ExecutionPlan& plan_;
  RepeatedCalls& found_;
  const flatbuffers::Vector<flatbuffers::Offset<schema::EValue>>& values_;
  std::vector<uint64_t> numbers_;  // by value; 0: not computed yet
  std::map<std::string, uint64_t> by_words_;
  std::map<std::string, uint64_t> calls_;  // the number of the first output
  uint64_t last_ = 0;
  size_t items_ = 0;
};

bool HasJumps(const schema::ExecutionPlan& plan) {
  const auto& chains = OrEmpty(plan.chains());
  if (chains.size() != 1) return true;
  const auto& instructions = OrEmpty(chains.Get(0)->instructions());
  return std::any_of(instructions.begin(), instructions.end(), [](const schema::Instruction* instruction) {
    return instruction->instr_args_as_JumpFalseCall() != nullptr;
  });
}

}  // namespace

RepeatedCalls FindRepeatedCalls(const Container& program) {
  RepeatedCalls found;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    if (!HasJumps(*plan)) MethodWalk(*plan, found).Walk();
  }
  return found;
}

}  // namespace pteedit
