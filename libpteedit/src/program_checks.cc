#include "program_checks.h"

#include "checked.h"
#include "layout.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

// Where the checker is. Words are made of it only when something is wrong: programs have hundreds of thousands of
// values.
struct Place {
  const schema::ExecutionPlan* plan = nullptr;  // null outside methods
  size_t plan_index = 0;
  const char* item = "";
  uint64_t index = 0;

  std::string Words() const {
    const std::string inner = Text(item, " ", index);
    return plan == nullptr ? inner : Text(inner, " of method ", plan_index, " ", Quoted(ViewOf(plan->name())));
  }
};

class ProgramChecker {
 public:
  ProgramChecker(const schema::Program& program, const std::vector<Extent>& segments)
      : program_(program), segments_(segments) {}

  Status Check() {
    if (program_.constant_segment() != nullptr) {
      at_ = {nullptr, 0, "constant segment", 0};
      PTEEDIT_TRY(CheckOffsets(*program_.constant_segment()));
    }
    if (HasConstantSegment(program_) && OrEmpty(program_.constant_buffer()).size() > 1) {
      return Malformed("program has both a constant segment and inline constants");
    }
    PTEEDIT_TRY(CheckMutableSegments());
    PTEEDIT_TRY(CheckNamedData());
    const auto& plans = OrEmpty(program_.execution_plan());
    for (flatbuffers::uoffset_t i = 0; i < plans.size(); ++i) PTEEDIT_TRY(CheckPlan(*plans.Get(i), i));
    return {};
  }

 private:
  Error Wrong(const std::string& what) const { return Malformed(Text(at_.Words(), " ", what)); }

  Status CheckIndex(uint64_t index, uint64_t count, const char* what) const {
    if (index < count) return {};
    return Wrong(Text("uses ", what, " ", index, ", which does not exist: there are ", count));
  }

  Status CheckOffsets(const schema::SubsegmentOffsets& part) const {
    const auto& offsets = OrEmpty(part.offsets());
    if (offsets.size() == 0) return {};  // then the index means nothing either
    PTEEDIT_TRY(CheckIndex(part.segment_index(), segments_.size(), "segment"));
    const uint64_t size = segments_[part.segment_index()].size;
    for (flatbuffers::uoffset_t i = 0; i < offsets.size(); ++i) {
      if (offsets.Get(i) <= size) continue;
      return Wrong(Text("has buffer ", i, " at byte ", offsets.Get(i), ", after its end (", size, " bytes)"));
    }
    return {};
  }

  Status CheckMutableSegments() {
    const auto& parts = OrEmpty(program_.mutable_data_segments());
    for (flatbuffers::uoffset_t i = 0; i < parts.size(); ++i) {
      at_ = {nullptr, 0, "mutable data", i};
      PTEEDIT_TRY(CheckOffsets(*parts.Get(i)));
    }
    return {};
  }

  Status CheckNamedData() {
    const auto& entries = OrEmpty(program_.named_data());
    for (flatbuffers::uoffset_t i = 0; i < entries.size(); ++i) {
      at_ = {nullptr, 0, "named data", i};
      if (entries.Get(i)->key() == nullptr) return Wrong("has no key");
      PTEEDIT_TRY(CheckIndex(entries.Get(i)->segment_index(), segments_.size(), "segment"));
    }
    return {};
  }

  Status CheckPlan(const schema::ExecutionPlan& plan, size_t index) {
    if (plan.name() == nullptr) return Malformed(Text("method ", index, " has no name"));
    at_ = {&plan, index, "input list", 0};
    PTEEDIT_TRY(CheckValueIndices(OrEmpty(plan.inputs()), 0));
    at_.item = "output list";
    PTEEDIT_TRY(CheckValueIndices(OrEmpty(plan.outputs()), 0));
    PTEEDIT_TRY(CheckDelegates(plan));
    at_.item = "value";
    for (at_.index = 0; at_.index < OrEmpty(plan.values()).size(); ++at_.index) {
      PTEEDIT_TRY(CheckValue(*plan.values()->Get(static_cast<flatbuffers::uoffset_t>(at_.index))));
    }
    for (const schema::Operator* op : OrEmpty(plan.operators())) {
      if (op->name() == nullptr) return Malformed(Text("method ", index, " has an operator without a name"));
    }
    for (const schema::Chain* chain : OrEmpty(plan.chains())) PTEEDIT_TRY(CheckChain(*chain));
    return {};
  }

  Status CheckDelegates(const schema::ExecutionPlan& plan) {
    const auto& delegates = OrEmpty(plan.delegates());
    at_.item = "delegate";
    for (at_.index = 0; at_.index < delegates.size(); ++at_.index) {
      const schema::BackendDelegate& delegate = *delegates.Get(static_cast<flatbuffers::uoffset_t>(at_.index));
      if (delegate.id() == nullptr) return Wrong("has no backend id");
      if (delegate.processed() == nullptr) return Wrong("has no processed blob");
      PTEEDIT_TRY(CheckBlob(*delegate.processed()));
    }
    return {};
  }

  Status CheckBlob(const schema::BackendDelegateDataReference& blob) const {
    if (blob.location() == schema::DataLocation::SEGMENT) return CheckIndex(blob.index(), segments_.size(), "segment");
    if (blob.location() == schema::DataLocation::INLINE) {
      return CheckIndex(blob.index(), OrEmpty(program_.backend_delegate_data()).size(), "inline blob");
    }
    return Wrong(Text("has its blob at location ", static_cast<int>(blob.location()),
                      ", only 0 (inline) and 1 (segment) exist"));
  }

  Status CheckValue(const schema::EValue& value) const {
    if (value.val() == nullptr && value.val_type() != schema::KernelTypes::NONE) return Wrong("is empty");
    if (const auto* tensor = value.val_as_Tensor()) return CheckTensor(*tensor);
    if (const auto* list = value.val_as_TensorList()) return CheckValueIndices(OrEmpty(list->items()), 0);
    if (const auto* list = value.val_as_OptionalTensorList()) return CheckValueIndices(OrEmpty(list->items()), -1);
    if (const auto* list = value.val_as_IntList()) return CheckValueIndices(OrEmpty(list->items()), int64_t{0});
    return {};
  }

  Status CheckTensor(const schema::Tensor& tensor) const {
    const TensorLayout layout = LayoutOf(tensor);
    if (Status status = CheckLayout(layout); !status) return Wrong(status.error().message);
    const uint64_t bytes = ByteSize(layout).value_or(0);
    switch (StoreOf(program_, tensor)) {
      case Store::kPlanned:
        return {};
      case Store::kSegment:
        return CheckBuffer(*program_.constant_segment(), tensor.data_buffer_idx(), bytes);
      case Store::kMutable:
        return CheckMutable(tensor, bytes);
      case Store::kInline:
        return CheckInline(tensor, bytes);
      case Store::kExternal:
        if (ViewOf(tensor.extra_tensor_info()->fully_qualified_name()).empty())
          return Wrong("is external but has no key");
        return {};
    }
    return {};
  }

  Status CheckMutable(const schema::Tensor& tensor, uint64_t bytes) const {
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const uint64_t index = extra != nullptr ? extra->mutable_data_segments_idx() : 0;
    const auto& parts = OrEmpty(program_.mutable_data_segments());
    PTEEDIT_TRY(CheckIndex(index, parts.size(), "mutable data"));
    return CheckBuffer(*parts.Get(static_cast<flatbuffers::uoffset_t>(index)), tensor.data_buffer_idx(), bytes);
  }

  Status CheckBuffer(const schema::SubsegmentOffsets& part, uint32_t buffer, uint64_t bytes) const {
    PTEEDIT_TRY(CheckIndex(buffer, OrEmpty(part.offsets()).size(), "buffer"));
    const uint64_t offset = part.offsets()->Get(buffer);
    const uint64_t size = segments_[part.segment_index()].size;
    if (Fits(offset, bytes, size)) return {};
    return Wrong(Text("needs ", bytes, " bytes from byte ", offset, " of segment ", part.segment_index(),
                      ", which has ", size, " bytes"));
  }

  Status CheckInline(const schema::Tensor& tensor, uint64_t bytes) const {
    const auto& buffers = OrEmpty(program_.constant_buffer());
    PTEEDIT_TRY(CheckIndex(tensor.data_buffer_idx(), buffers.size(), "inline constant"));
    const uint64_t size = OrEmpty(buffers.Get(tensor.data_buffer_idx())->storage()).size();
    if (size >= bytes) return {};
    return Wrong(Text("needs ", bytes, " bytes, inline constant ", tensor.data_buffer_idx(), " has ", size, " bytes"));
  }

  // `lowest` is -1 where "none" is allowed.
  template <class T>
  Status CheckValueIndices(const flatbuffers::Vector<T>& indices, T lowest) const {
    const auto count = static_cast<int64_t>(OrEmpty(at_.plan->values()).size());
    for (const T index : indices) {
      if (index >= lowest && index < count) continue;
      return Wrong(Text("uses value ", index, ", which does not exist: there are ", count));
    }
    return {};
  }

  Status CheckValueIndex(int32_t index) const {
    return CheckIndex(static_cast<uint32_t>(index), OrEmpty(at_.plan->values()).size(), "value");
  }

  Status CheckChain(const schema::Chain& chain) {
    at_.item = "chain input or output list";
    PTEEDIT_TRY(CheckValueIndices(OrEmpty(chain.inputs()), 0));
    PTEEDIT_TRY(CheckValueIndices(OrEmpty(chain.outputs()), 0));
    const auto& instructions = OrEmpty(chain.instructions());
    at_.item = "instruction";
    for (at_.index = 0; at_.index < instructions.size(); ++at_.index) {
      const auto i = static_cast<flatbuffers::uoffset_t>(at_.index);
      PTEEDIT_TRY(CheckInstruction(*instructions.Get(i), instructions.size()));
    }
    return {};
  }

  Status CheckInstruction(const schema::Instruction& instruction, size_t count) const {
    if (const auto* call = instruction.instr_args_as_KernelCall()) {
      PTEEDIT_TRY(
          CheckIndex(static_cast<uint32_t>(call->op_index()), OrEmpty(at_.plan->operators()).size(), "operator"));
      return CheckValueIndices(OrEmpty(call->args()), 0);
    }
    if (const auto* call = instruction.instr_args_as_DelegateCall()) {
      PTEEDIT_TRY(
          CheckIndex(static_cast<uint32_t>(call->delegate_index()), OrEmpty(at_.plan->delegates()).size(), "delegate"));
      return CheckValueIndices(OrEmpty(call->args()), 0);
    }
    if (const auto* move = instruction.instr_args_as_MoveCall()) {
      PTEEDIT_TRY(CheckValueIndex(move->move_from()));
      return CheckValueIndex(move->move_to());
    }
    if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
      PTEEDIT_TRY(CheckValueIndex(jump->cond_value_index()));
      // One past the last instruction is what the exporter writes for "to the end".
      return CheckIndex(static_cast<uint32_t>(jump->destination_instruction()), count + 1, "instruction");
    }
    if (const auto* release = instruction.instr_args_as_FreeCall()) return CheckValueIndex(release->value_index());
    return {};
  }

  const schema::Program& program_;
  const std::vector<Extent>& segments_;
  Place at_;
};

}  // namespace

Status CheckProgram(const schema::Program& program, const std::vector<Extent>& segments) {
  return ProgramChecker(program, segments).Check();
}

}  // namespace pteedit
