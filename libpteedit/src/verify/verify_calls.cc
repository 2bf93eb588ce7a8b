#include "verify/verify_calls.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/text.h"
#include "program/container_state.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;
using Kind = schema::KernelTypes;

// The operators that are part of the runtime take their arguments as a program gives them. How many others take is in
// no file.
struct RuntimeOperator {
  std::string_view name, overload;
  uoffset_t arguments;
};
constexpr std::string_view kCopy = "executorch_prim::et_copy_index";
constexpr RuntimeOperator kRuntimeOperators[] = {
    {"aten::_local_scalar_dense", "", 2},
    {"aten::sym_numel", "", 2},
    {"aten::sym_size", "int", 3},
    {"executorch_prim::add", "Scalar", 3},
    {"executorch_prim::ceil", "Scalar", 2},
    {"executorch_prim::eq", "Scalar", 3},
    {kCopy, "tensor", 3},
    {"executorch_prim::et_view", "default", 3},
    {"executorch_prim::floordiv", "Scalar", 3},
    {"executorch_prim::floordiv", "int", 3},
    {"executorch_prim::ge", "Scalar", 3},
    {"executorch_prim::gt", "Scalar", 3},
    {"executorch_prim::le", "Scalar", 3},
    {"executorch_prim::lt", "Scalar", 3},
    {"executorch_prim::mod", "Scalar", 3},
    {"executorch_prim::mod", "int", 3},
    {"executorch_prim::mul", "Scalar", 3},
    {"executorch_prim::neg", "Scalar", 2},
    {"executorch_prim::round", "Scalar", 2},
    {"executorch_prim::sub", "Scalar", 3},
    {"executorch_prim::sym_float", "Scalar", 2},
    {"executorch_prim::sym_int", "Scalar", 2},
    {"executorch_prim::sym_ite", "Scalar", 4},
    {"executorch_prim::sym_max", "Scalar", 3},
    {"executorch_prim::sym_min", "Scalar", 3},
    {"executorch_prim::sym_not", "Scalar", 2},
    {"executorch_prim::truediv", "Scalar", 3},
    {"executorch_prim::trunc", "Scalar", 2},
};

class CallVerifier {
 public:
  explicit CallVerifier(const schema::Program& program) : program_(program) {}

  std::vector<Finding> Verify() {
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.execution_plan())) {
      plan_ = plan;
      for (const schema::Chain* chain : OrEmpty(plan->chains())) {
        const auto& instructions = OrEmpty(chain->instructions());
        for (uoffset_t i = 0; i < instructions.size() && !found_.full(); ++i) CheckOne(*instructions.Get(i), i);
      }
      ++plan_index_;
    }
    return std::move(found_).Take();
  }

 private:
  void Wrong(const char* id, uoffset_t index, const std::string& what) {
    const std::string where =
        Text("instruction ", index, " of method ", plan_index_, " ", Quoted(ViewOf(plan_->name())));
    found_.AddError(id, where, what);
  }

  const schema::EValue& ValueAt(int32_t index) const { return *plan_->values()->Get(static_cast<uoffset_t>(index)); }

  void CheckOne(const schema::Instruction& instruction, uoffset_t index) {
    const auto* call = instruction.instr_args_as_KernelCall();
    if (call != nullptr && call->args() != nullptr) CheckCall(*call, index);
    const auto* move = instruction.instr_args_as_MoveCall();
    if (move != nullptr && ValueAt(move->move_to()).val_type() == Kind::Tensor &&
        ValueAt(move->move_from()).val_type() != Kind::Tensor) {
      Wrong("argument-type", index,
            Text("moves value ", move->move_from(), ", which is no tensor, to tensor ", move->move_to()));
    }
    const auto* jump = instruction.instr_args_as_JumpFalseCall();
    if (jump != nullptr && static_cast<uint32_t>(jump->destination_instruction()) == index) {
      Wrong("jump-endless", index,
            Text("jumps to itself, for ever where value ", jump->cond_value_index(), " is false"));
    }
  }

  void CheckCall(const schema::KernelCall& call, uoffset_t index) {
    const schema::Operator& called = *plan_->operators()->Get(static_cast<uoffset_t>(call.op_index()));
    const auto* known = std::find_if(std::begin(kRuntimeOperators), std::end(kRuntimeOperators), [&](const auto& one) {
      return one.name == ViewOf(called.name()) && one.overload == ViewOf(called.overload());
    });
    if (known == std::end(kRuntimeOperators)) return;
    if (call.args()->size() != known->arguments) {
      return Wrong(
          "operator-arguments", index,
          Text("gives ", known->name, " ", call.args()->size(), " arguments, ", known->arguments, " expected"));
    }
    if (known->name == kCopy) CheckCopy(*call.args(), index);
  }

  // It copies a tensor to where the items of another one lie.
  void CheckCopy(const flatbuffers::Vector<int32_t>& args, uoffset_t index) {
    const schema::Tensor* to = ValueAt(args.Get(0)).val_as_Tensor();
    const schema::Tensor* from = ValueAt(args.Get(1)).val_as_Tensor();
    if (to == nullptr || from == nullptr || to->sizes() == nullptr || from->sizes() == nullptr) return;
    const auto& item = *from->sizes();
    const auto& all = *to->sizes();
    if (all.size() == item.size() + 1 && std::equal(item.begin(), item.end(), all.begin() + 1)) return;
    Wrong("operator-arguments", index,
          Text("copies value ", args.Get(1), " into value ", args.Get(0), ", whose items have other sizes"));
  }

  const schema::Program& program_;
  const schema::ExecutionPlan* plan_ = nullptr;
  size_t plan_index_ = 0;
  Findings found_;
};

}  // namespace

std::vector<Finding> VerifyCalls(const Container& program) {
  return CallVerifier(program.state().program_root()).Verify();
}

}  // namespace pteedit
