#include "program/program_checks.h"

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"
#include "program/layout.h"
#include "program/segment_users.h"
#include "pteedit/try.h"

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

  std::vector<Error> Find() {
    if (program_.constant_segment() != nullptr) {
      at_ = {nullptr, 0, "constant segment", 0};
      Keep(CheckOffsets(*program_.constant_segment()));
    }
    if (HasConstantSegment(program_) && OrEmpty(program_.constant_buffer()).size() > 1) {
      Keep(Damaged("constants-in-two-stores", "program has both a constant segment and inline constants"));
    }
    CheckMutableSegments();
    CheckNamedData();
    const auto& plans = OrEmpty(program_.execution_plan());
    for (flatbuffers::uoffset_t i = 0; i < plans.size() && !full(); ++i) CheckPlan(*plans.Get(i), i);
    return std::move(problems_);
  }

 private:
  void Keep(Status status) {
    if (!status && !full()) problems_.push_back(std::move(status).error());
  }
  bool full() const { return problems_.size() >= kMaxProblems; }

  Error Wrong(const char* finding, const std::string& what) const { return Damaged(finding, at_.Words(), what); }

  Status CheckIndex(const char* finding, uint64_t index, uint64_t count, const char* what) const {
    if (index < count) return {};
    return Wrong(finding, Text("uses ", what, " ", index, ", which does not exist: there are ", count));
  }

  Status CheckOffsets(const schema::SubsegmentOffsets& part) const {
    const auto& offsets = OrEmpty(part.offsets());
    if (SaysNoBuffers(part, segments_.size())) return {};
    PTEEDIT_TRY(CheckIndex("segment-index", part.segment_index(), segments_.size(), "segment"));
    const uint64_t size = segments_[part.segment_index()].size;
    for (flatbuffers::uoffset_t i = 0; i < offsets.size(); ++i) {
      if (offsets.Get(i) <= size) continue;
      return Wrong("buffer-outside-segment",
                   Text("has buffer ", i, " at byte ", offsets.Get(i), ", after its end (", size, " bytes)"));
    }
    return {};
  }

  void CheckMutableSegments() {
    const auto& parts = OrEmpty(program_.mutable_data_segments());
    for (flatbuffers::uoffset_t i = 0; i < parts.size(); ++i) {
      at_ = {nullptr, 0, "mutable data", i};
      Keep(CheckOffsets(*parts.Get(i)));
    }
  }

  void CheckNamedData() {
    const auto& entries = OrEmpty(program_.named_data());
    for (flatbuffers::uoffset_t i = 0; i < entries.size(); ++i) {
      at_ = {nullptr, 0, "named data", i};
      if (entries.Get(i)->key() == nullptr) Keep(Wrong("field-missing", "has no key"));
      Keep(CheckIndex("segment-index", entries.Get(i)->segment_index(), segments_.size(), "segment"));
    }
  }

  void CheckPlan(const schema::ExecutionPlan& plan, size_t index) {
    if (plan.name() == nullptr) Keep(Damaged("field-missing", Text("method ", index), "has no name"));
    at_ = {&plan, index, "input list", 0};
    Keep(CheckValueIndices(OrEmpty(plan.inputs()), 0));
    at_.item = "output list";
    Keep(CheckValueIndices(OrEmpty(plan.outputs()), 0));
    CheckDelegates(plan);
    at_.item = "value";
    for (at_.index = 0; at_.index < OrEmpty(plan.values()).size() && !full(); ++at_.index) {
      Keep(CheckValue(*plan.values()->Get(static_cast<flatbuffers::uoffset_t>(at_.index))));
    }
    for (const schema::Operator* op : OrEmpty(plan.operators())) {
      if (op->name() != nullptr) continue;
      Keep(Damaged("field-missing", Text("method ", index), "has an operator without a name"));
    }
    for (const schema::Chain* chain : OrEmpty(plan.chains())) CheckChain(*chain);
  }

  void CheckDelegates(const schema::ExecutionPlan& plan) {
    const auto& delegates = OrEmpty(plan.delegates());
    at_.item = "delegate";
    for (at_.index = 0; at_.index < delegates.size() && !full(); ++at_.index) {
      const schema::BackendDelegate& delegate = *delegates.Get(static_cast<flatbuffers::uoffset_t>(at_.index));
      if (delegate.id() == nullptr) Keep(Wrong("field-missing", "has no backend id"));
      Keep(CheckBlob(delegate.processed()));
    }
  }

  Status CheckBlob(const schema::BackendDelegateDataReference* blob) const {
    if (blob == nullptr) return Wrong("field-missing", "has no processed blob");
    if (blob->location() == schema::DataLocation::SEGMENT) {
      return CheckIndex("segment-index", blob->index(), segments_.size(), "segment");
    }
    if (blob->location() == schema::DataLocation::INLINE) {
      const size_t count = OrEmpty(program_.backend_delegate_data()).size();
      return CheckIndex("inline-index", blob->index(), count, "inline blob");
    }
    return Wrong("blob-location", Text("has its blob at location ", static_cast<int>(blob->location()),
                                       ", only 0 (inline) and 1 (segment) exist"));
  }

  Status CheckValue(const schema::EValue& value) const {
    if (value.val() == nullptr && value.val_type() != schema::KernelTypes::NONE)
      return Wrong("value-empty", "is empty");
    if (const auto* tensor = value.val_as_Tensor()) return CheckTensor(*tensor);
    if (const auto* list = value.val_as_TensorList()) return CheckValueIndices(OrEmpty(list->items()), 0);
    if (const auto* list = value.val_as_OptionalTensorList()) return CheckValueIndices(OrEmpty(list->items()), -1);
    if (const auto* list = value.val_as_IntList()) return CheckValueIndices(OrEmpty(list->items()), int64_t{0});
    return {};
  }

  Status CheckTensor(const schema::Tensor& tensor) const {
    const TensorLayout layout = LayoutOf(tensor);
    if (Status status = CheckLayout(layout); !status) return Wrong("tensor-layout", status.error().message);
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
          return Wrong("field-missing", "is external but has no key");
        return {};
    }
    return {};
  }

  Status CheckMutable(const schema::Tensor& tensor, uint64_t bytes) const {
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const uint64_t index = extra != nullptr ? extra->mutable_data_segments_idx() : 0;
    const auto& parts = OrEmpty(program_.mutable_data_segments());
    PTEEDIT_TRY(CheckIndex("buffer-index", index, parts.size(), "mutable data"));
    return CheckBuffer(*parts.Get(static_cast<flatbuffers::uoffset_t>(index)), tensor.data_buffer_idx(), bytes);
  }

  Status CheckBuffer(const schema::SubsegmentOffsets& part, uint32_t buffer, uint64_t bytes) const {
    PTEEDIT_TRY(CheckIndex("buffer-index", buffer, OrEmpty(part.offsets()).size(), "buffer"));
    if (part.segment_index() >= segments_.size()) return {};  // told once, of the part
    const uint64_t offset = part.offsets()->Get(buffer);
    const uint64_t size = segments_[part.segment_index()].size;
    if (Fits(offset, bytes, size)) return {};
    return Wrong("buffer-too-short", Text("needs ", bytes, " bytes from byte ", offset, " of segment ",
                                          part.segment_index(), ", which has ", size, " bytes"));
  }

  Status CheckInline(const schema::Tensor& tensor, uint64_t bytes) const {
    const auto& buffers = OrEmpty(program_.constant_buffer());
    PTEEDIT_TRY(CheckIndex("buffer-index", tensor.data_buffer_idx(), buffers.size(), "inline constant"));
    const uint64_t size = OrEmpty(buffers.Get(tensor.data_buffer_idx())->storage()).size();
    if (size >= bytes) return {};
    return Wrong("buffer-too-short",
                 Text("needs ", bytes, " bytes, inline constant ", tensor.data_buffer_idx(), " has ", size, " bytes"));
  }

  // `lowest` is -1 where "none" is allowed.
  template <class T>
  Status CheckValueIndices(const flatbuffers::Vector<T>& indices, T lowest) const {
    const auto count = static_cast<int64_t>(OrEmpty(at_.plan->values()).size());
    for (const T index : indices) {
      if (index >= lowest && index < count) continue;
      return Wrong("value-index", Text("uses value ", index, ", which does not exist: there are ", count));
    }
    return {};
  }

  Status CheckValueIndex(int32_t index) const {
    return CheckIndex("value-index", static_cast<uint32_t>(index), OrEmpty(at_.plan->values()).size(), "value");
  }

  void CheckChain(const schema::Chain& chain) {
    at_.item = "chain input or output list";
    Keep(CheckValueIndices(OrEmpty(chain.inputs()), 0));
    Keep(CheckValueIndices(OrEmpty(chain.outputs()), 0));
    const auto& instructions = OrEmpty(chain.instructions());
    at_.item = "instruction";
    for (at_.index = 0; at_.index < instructions.size() && !full(); ++at_.index) {
      const auto i = static_cast<flatbuffers::uoffset_t>(at_.index);
      Keep(CheckInstruction(*instructions.Get(i), instructions.size()));
    }
  }

  Status CheckInstruction(const schema::Instruction& instruction, size_t count) const {
    if (const auto* call = instruction.instr_args_as_KernelCall()) {
      const size_t operators = OrEmpty(at_.plan->operators()).size();
      PTEEDIT_TRY(CheckIndex("operator-index", static_cast<uint32_t>(call->op_index()), operators, "operator"));
      return CheckValueIndices(OrEmpty(call->args()), 0);
    }
    if (const auto* call = instruction.instr_args_as_DelegateCall()) {
      const size_t delegates = OrEmpty(at_.plan->delegates()).size();
      PTEEDIT_TRY(CheckIndex("delegate-index", static_cast<uint32_t>(call->delegate_index()), delegates, "delegate"));
      return CheckValueIndices(OrEmpty(call->args()), 0);
    }
    if (const auto* move = instruction.instr_args_as_MoveCall()) {
      PTEEDIT_TRY(CheckValueIndex(move->move_from()));
      return CheckValueIndex(move->move_to());
    }
    if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
      PTEEDIT_TRY(CheckValueIndex(jump->cond_value_index()));
      // One past the last instruction is what the exporter writes for "to the end".
      const auto target = static_cast<uint32_t>(jump->destination_instruction());
      return CheckIndex("jump-target", target, count + 1, "instruction");
    }
    if (const auto* release = instruction.instr_args_as_FreeCall()) return CheckValueIndex(release->value_index());
    return {};
  }

  const schema::Program& program_;
  const std::vector<Extent>& segments_;
  Place at_;
  std::vector<Error> problems_;
};

}  // namespace

std::vector<Error> FindProgramProblems(const schema::Program& program, const std::vector<Extent>& segments) {
  return ProgramChecker(program, segments).Find();
}

}  // namespace pteedit
