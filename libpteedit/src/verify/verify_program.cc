#include "verify/verify_program.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/checked.h"
#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

constexpr size_t kMaxDimensions = 16;             // of the runtime's tensors
constexpr size_t kOperatorNameRoom = 100;         // the runtime's buffer for "name.overload" and a zero
constexpr uint32_t kMaxVerifiedTables = 1000000;  // of the flatbuffers verifier, which the runtime does not raise
constexpr int kMaxVerifiedDepth = 64;

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Container& program) : container_(program), program_(program.state().program_root()) {}

  std::vector<Finding> Verify() {
    CheckTableCount();
    CheckInlineConstants();
    if (program_.execution_plan() == nullptr) {
      found_.AddError("field-missing", "", "has no list of methods");
    } else if (program_.execution_plan()->size() == 0) {
      found_.AddError("no-methods", "", "has no methods, so nothing of it can run");
    }
    std::set<std::string_view> names;
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.execution_plan())) {
      plan_ = plan;
      CheckPlan();
      if (!names.insert(ViewOf(plan->name())).second) {
        found_.AddWarning("method-twice", MethodWords(), "has the name of an earlier one, which hides it");
      }
      ++plan_index_;
    }
    return std::move(found_).Take();
  }

 private:
  std::string MethodWords() const { return Text("method ", plan_index_, " ", Quoted(ViewOf(plan_->name()))); }
  std::string Place(const char* item, size_t index) const { return Text(item, " ", index, " of ", MethodWords()); }

  void CheckTableCount() {
    flatbuffers::Verifier verifier(container_.tables().data, container_.tables().size, kMaxVerifiedDepth,
                                   kMaxVerifiedTables);
    if (verifier.VerifyBuffer<schema::Program>("ET12")) return;
    found_.AddError("too-many-tables", "",
                    Text("has over ", kMaxVerifiedTables, " tables; loaders that verify the program refuse it"));
  }

  void CheckInlineConstants() {
    const size_t count = OrEmpty(program_.constant_buffer()).size();
    if (count != 0 && HasConstantSegment(program_) && program_.constant_segment()->offsets()->size() > 1) {
      found_.AddError("constants-in-two-stores", "",
                      Text("has ", count, " inline constants beside a constant segment; only one may have any"));
    } else if (count > 1) {
      found_.AddWarning("inline-constants", "", "has its constants in the tables, which newer runtimes no longer read");
    } else if (!HasConstantSegment(program_)) {
      found_.AddWarning(
          "inline-constants", "",
          "has no constant segment, not even an empty one; newer runtimes take its constants to be in the "
          "tables, and refuse that");
    }
  }

  void CheckPlan() {
    const std::array present{CheckPresent(plan_->inputs(), "inputs"), CheckPresent(plan_->outputs(), "outputs"),
                             CheckPresent(plan_->values(), "values"), CheckPresent(plan_->delegates(), "delegates"),
                             CheckPresent(plan_->non_const_buffer_sizes(), "arena sizes")};
    if (OrEmpty(plan_->chains()).size() == 0) found_.AddError("field-missing", MethodWords(), "has no chain");
    if (!std::all_of(present.begin(), present.end(), [](bool one) { return one; })) return;
    CheckZero("method-name", ViewOf(plan_->name()));
    CheckArenas();
    const auto& values = *plan_->values();
    for (flatbuffers::uoffset_t i = 0; i < values.size() && !found_.full(); ++i) CheckValue(*values.Get(i), i);
    CheckOperators();
    CheckDelegates();
    CheckChains();
  }

  template <class Field>
  bool CheckPresent(const Field* field, const char* name) {
    if (field == nullptr) found_.AddError("field-missing", MethodWords(), Text("has no list of ", name));
    return field != nullptr;
  }

  // The runtime compares names up to the first zero byte.
  void CheckZero(const char* what, std::string_view name) {
    if (name.find('\0') == std::string_view::npos) return;
    found_.AddError("zero-in-name", MethodWords(), Text("has a ", what, " with a zero byte in it, ", Quoted(name)));
  }

  void CheckArenas() {
    const auto& sizes = *plan_->non_const_buffer_sizes();
    for (flatbuffers::uoffset_t i = 0; i < sizes.size(); ++i) {
      if (sizes.Get(i) >= 0) continue;
      found_.AddError("arena", MethodWords(), Text("has arena ", i, " of ", sizes.Get(i), " bytes"));
    }
    for (const schema::NonConstBufferDevice* device : OrEmpty(plan_->non_const_buffer_device())) {
      if (device->buffer_idx() >= 0 && static_cast<uint32_t>(device->buffer_idx()) < sizes.size()) continue;
      found_.AddError("arena", MethodWords(),
                      Text("names a device for arena ", device->buffer_idx(), ", there are ", sizes.size()));
    }
  }

  using Kinds = schema::KernelTypes;

  Kinds KindOf(int64_t value) const {
    return plan_->values()->Get(static_cast<flatbuffers::uoffset_t>(value))->val_type();
  }

  void CheckValue(const schema::EValue& value, flatbuffers::uoffset_t index) {
    const auto wrong = [&](const char* id, const std::string& what) {
      found_.AddError(id, Place("value", index), what);
    };
    switch (value.val_type()) {
      case Kinds::Tensor:
        return CheckTensor(*value.val_as_Tensor(), index);
      case Kinds::TensorList:
        return CheckList(value.val_as_TensorList()->items(), index, [](Kinds kind) { return kind == Kinds::Tensor; });
      case Kinds::OptionalTensorList:
        return CheckList(value.val_as_OptionalTensorList()->items(), index,
                         [](Kinds kind) { return kind == Kinds::Tensor || kind == Kinds::Null; });
      case Kinds::IntList:
        return CheckIntList(value.val_as_IntList()->items(), index);
      case Kinds::BoolList:
        if (value.val_as_BoolList()->items() == nullptr) wrong("field-missing", "is a list without items");
        return;
      case Kinds::DoubleList:
        if (value.val_as_DoubleList()->items() == nullptr) wrong("field-missing", "is a list without items");
        return;
      case Kinds::String:
        if (value.val_as_String()->string_val() == nullptr) wrong("field-missing", "is a string without text");
        return;
      case Kinds::NONE:
        return wrong("value-empty", "has no type");
      default:
        if (value.val_type() <= Kinds::MAX) return;
        return wrong("value-type", Text("has type ", static_cast<int>(value.val_type()), ", which no runtime knows"));
    }
  }

  // The runtime makes values one after the other, and a list takes copies of its items when its turn comes.
  template <class MayBe>
  void CheckList(const flatbuffers::Vector<int32_t>* items, flatbuffers::uoffset_t index, MayBe may_be) {
    const std::string where = Place("value", index);
    if (items == nullptr) return found_.AddError("field-missing", where, "is a list without items");
    for (const int32_t item : *items) {
      if (item < 0) continue;
      if (static_cast<uint32_t>(item) >= index) {
        found_.AddError("list-item", where, Text("lists value ", item, ", which comes only after the list"));
      } else if (!may_be(KindOf(item))) {
        found_.AddError("list-item", where, Text("lists value ", item, ", which is no tensor"));
      }
    }
  }

  void CheckIntList(const flatbuffers::Vector<int64_t>* items, flatbuffers::uoffset_t index) {
    const std::string where = Place("value", index);
    if (items == nullptr) return found_.AddError("field-missing", where, "is a list without items");
    for (const int64_t item : *items) {
      if (KindOf(item) != Kinds::Int)
        found_.AddError("list-item", where, Text("lists value ", item, ", which is no integer"));
    }
  }

  void CheckTensor(const schema::Tensor& tensor, flatbuffers::uoffset_t index) {
    const auto wrong = [&](const char* id, const std::string& what) {
      found_.AddError(id, Place("value", index), what);
    };
    if (tensor.sizes() == nullptr) return wrong("field-missing", "is a tensor without sizes");
    if (tensor.dim_order() == nullptr) return wrong("field-missing", "is a tensor without dim order");
    if (tensor.dim_order()->size() != tensor.sizes()->size()) {
      return wrong("tensor-layout",
                   Text("has ", tensor.sizes()->size(), " sizes and a dim order of ", tensor.dim_order()->size()));
    }
    if (tensor.sizes()->size() > kMaxDimensions) {
      wrong("tensor-layout", Text("has ", tensor.sizes()->size(), " dimensions, at most ", kMaxDimensions));
    }
    const auto bytes = ByteSize(LayoutOf(tensor));
    if (!bytes) wrong("scalar-type", Text("has element type ", static_cast<int>(tensor.scalar_type())));
    if (tensor.storage_offset() != 0) wrong("storage-offset", Text("has storage offset ", tensor.storage_offset()));
    if (static_cast<int8_t>(tensor.shape_dynamism()) >= kUnboundShape) {
      wrong("shape-dynamism", Text("has shape dynamism ", static_cast<int>(tensor.shape_dynamism()),
                                   ", only 0 (static) and 1 (bounded) are supported"));
    }
    CheckNames(tensor);
    if (tensor.allocation_info() != nullptr) CheckPlace(*tensor.allocation_info(), bytes.value_or(0), index);
    CheckStored(tensor, index);
  }

  void CheckNames(const schema::Tensor& tensor) {
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    if (extra != nullptr) CheckZero("name of a tensor", ViewOf(extra->fully_qualified_name()));
  }

  void CheckPlace(const schema::AllocationDetails& place, uint64_t bytes, flatbuffers::uoffset_t index) {
    const auto& sizes = *plan_->non_const_buffer_sizes();
    const uint32_t arena = place.memory_id();
    if (arena == 0 || arena >= sizes.size()) {
      return found_.AddError(
          "arena", Place("value", index),
          Text("lies in arena ", arena, ", the last one is ", sizes.size() == 0 ? 0 : sizes.size() - 1));
    }
    const uint64_t offset = static_cast<uint64_t>(place.memory_offset_high()) << 32 | place.memory_offset_low();
    if (sizes.Get(arena) < 0 || Fits(offset, bytes, static_cast<uint64_t>(sizes.Get(arena)))) return;
    found_.AddError("arena", Place("value", index),
                    Text("needs ", bytes, " bytes from byte ", offset, " of arena ", arena, ", which has ",
                         sizes.Get(arena), " bytes"));
  }

  void CheckStored(const schema::Tensor& tensor, flatbuffers::uoffset_t index) {
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const Store store = StoreOf(program_, tensor);
    if (store == Store::kMutable && extra != nullptr && extra->mutable_data_segments_idx() != 0) {
      found_.AddError("mutable-data-index", Place("value", index),
                      Text("uses mutable data ", extra->mutable_data_segments_idx(), ", but the runtime reads only 0"));
    }
    if (store == Store::kSegment) CheckConstantSegment(tensor, *program_.constant_segment(), index);
    if (store == Store::kMutable && container_.header().segment_base_offset == 0) {
      found_.AddError("header-missing", Place("value", index),
                      "has an initial state, but no extended header says where segments begin");
    }
    if (store != Store::kInline) return;
    const schema::Buffer& buffer = *program_.constant_buffer()->Get(tensor.data_buffer_idx());
    if (buffer.storage() == nullptr) {
      found_.AddError("field-missing", Place("value", index),
                      Text("uses inline constant ", tensor.data_buffer_idx(), ", which has no bytes"));
    }
  }

  // A runtime that finds no bytes in the segment looks for inline constants instead.
  void CheckConstantSegment(const schema::Tensor& tensor, const schema::SubsegmentOffsets& part,
                            flatbuffers::uoffset_t index) {
    if (container_.segments()[part.segment_index()].size != 0) return CheckDataAlignment(tensor, part, index);
    found_.AddError("constant-segment-empty", Place("value", index),
                    Text("is a constant of segment ", part.segment_index(), ", which has no bytes"));
  }

  // Processors other than x86 may refuse to read a number that does not lie at a multiple of its size.
  void CheckDataAlignment(const schema::Tensor& tensor, const schema::SubsegmentOffsets& part,
                          flatbuffers::uoffset_t index) {
    const uint64_t element = ElementSize(static_cast<int8_t>(tensor.scalar_type())).value_or(1);
    const uint64_t place =
        container_.segments()[part.segment_index()].offset + part.offsets()->Get(tensor.data_buffer_idx());
    if (place % element == 0 || ByteSize(LayoutOf(tensor)).value_or(0) == 0) return;
    found_.AddError("data-misaligned", Place("value", index),
                    Text("has elements of ", element, " bytes at byte ", place, ", no multiple of that"));
  }

  void CheckOperators() {
    size_t index = 0;
    for (const schema::Operator* op : OrEmpty(plan_->operators())) {
      const size_t overload = ViewOf(op->overload()).size();
      const size_t length = ViewOf(op->name()).size() + (overload != 0 ? 1 + overload : 0);
      if (length >= kOperatorNameRoom) {
        found_.AddError("operator-name", Place("operator", index),
                        Text("has a name of ", length, " bytes, at most ", kOperatorNameRoom - 1));
      }
      ++index;
    }
  }

  void CheckDelegates() {
    size_t index = 0;
    for (const schema::BackendDelegate* delegate : *plan_->delegates()) {
      const std::string where = Place("delegate", index++);
      for (const schema::CompileSpec* spec : OrEmpty(delegate->compile_specs())) {
        const bool is_whole = spec->key() != nullptr && spec->value() != nullptr;
        if (!is_whole) found_.AddError("field-missing", where, "has a compile spec without key or value");
      }
      const schema::BackendDelegateDataReference& blob = *delegate->processed();
      if (blob.location() == schema::DataLocation::SEGMENT && container_.header().segment_base_offset == 0) {
        found_.AddError("header-missing", where,
                        "has its blob in a segment, but no extended header says where those begin");
      }
      if (blob.location() != schema::DataLocation::INLINE) continue;
      if (program_.backend_delegate_data()->Get(blob.index())->data() == nullptr) {
        found_.AddError("field-missing", where, Text("uses inline blob ", blob.index(), ", which has no bytes"));
      }
    }
  }

  void CheckChains() {
    for (const schema::Chain* chain : OrEmpty(plan_->chains())) {
      if (chain->instructions() == nullptr) {
        found_.AddError("field-missing", MethodWords(), "has a chain without instructions");
        continue;
      }
      for (flatbuffers::uoffset_t i = 0; i < chain->instructions()->size() && !found_.full(); ++i) {
        CheckInstruction(*chain->instructions()->Get(i), i);
      }
    }
  }

  void CheckInstruction(const schema::Instruction& instruction, flatbuffers::uoffset_t index) {
    const auto wrong = [&](const char* id, const std::string& what) {
      found_.AddError(id, Place("instruction", index), what);
    };
    if (instruction.instr_args() == nullptr || instruction.instr_args_type() == schema::InstructionArguments::NONE) {
      return wrong("instruction-empty", "is empty");
    }
    if (instruction.instr_args_type() > schema::InstructionArguments::MAX) {
      const int type = static_cast<int>(instruction.instr_args_type());
      return wrong("instruction-type", Text("has type ", type, ", which no runtime knows"));
    }
    const auto* kernel = instruction.instr_args_as_KernelCall();
    const auto* delegate = instruction.instr_args_as_DelegateCall();
    if ((kernel != nullptr && kernel->args() == nullptr) || (delegate != nullptr && delegate->args() == nullptr)) {
      return wrong("field-missing", "has no list of arguments");
    }
    if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
      if (!CanBeCondition(jump->cond_value_index())) {
        wrong("argument-type",
              Text("jumps by value ", jump->cond_value_index(), ", which is neither bool nor bool tensor"));
      }
    }
    const auto* release = instruction.instr_args_as_FreeCall();
    if (release != nullptr && KindOf(release->value_index()) != Kinds::Tensor) {
      wrong("argument-type", Text("frees value ", release->value_index(), ", which is no tensor"));
    }
  }

  bool CanBeCondition(int32_t index) const {
    const schema::EValue& value = *plan_->values()->Get(static_cast<flatbuffers::uoffset_t>(index));
    if (value.val_type() == Kinds::Bool) return true;
    return value.val_type() == Kinds::Tensor && value.val_as_Tensor()->scalar_type() == schema::ScalarType::BOOL;
  }

  const Container& container_;
  const schema::Program& program_;
  const schema::ExecutionPlan* plan_ = nullptr;
  size_t plan_index_ = 0;
  Findings found_;
};

}  // namespace

std::vector<Finding> VerifyProgram(const Container& program) { return ProgramVerifier(program).Verify(); }

}  // namespace pteedit
