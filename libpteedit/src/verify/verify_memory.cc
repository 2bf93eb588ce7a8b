#include "verify/verify_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/checked.h"
#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "verify/findings.h"
#include "verify/planned_overlaps.h"
#include "verify/value_uses.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr uint64_t kMaxAddressable = uint64_t{1} << 47;  // bytes that a process has on x86-64 and most of ARM64
// An arena may be longer than what its tensors need, but nobody has a use for as much as 32 bits can address.
constexpr uint64_t kMaxUnusedArena = uint64_t{1} << 32;

uint64_t OffsetOf(const schema::AllocationDetails& place) {
  return uint64_t{place.memory_offset_high()} << 32 | place.memory_offset_low();
}

class MemoryVerifier {
 public:
  explicit MemoryVerifier(const schema::Program& program) : program_(program) {}

  std::vector<Finding> Verify() {
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.execution_plan())) MeasureArenas(*plan);
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.execution_plan())) {
      plan_ = plan;
      CheckArenas();
      CheckInputs();
      const bool has_ends = plan->inputs() != nullptr && plan->outputs() != nullptr;  // else told of the program
      if (has_ends) CheckTensors();
      ++plan_index_;
    }
    return std::move(found_).Take();
  }

 private:
  std::string MethodWords() const { return Text("method ", plan_index_, " ", Quoted(ViewOf(plan_->name()))); }
  std::string Place(size_t value) const { return Text("value ", value, " of ", MethodWords()); }

  static uint64_t BytesOf(const schema::Tensor& tensor) { return ByteSize(LayoutOf(tensor)).value_or(0); }

  const schema::Tensor* TensorAt(uint32_t value) const { return plan_->values()->Get(value)->val_as_Tensor(); }

  // Methods may share arenas, and then each has them as long as the longest.
  void MeasureArenas(const schema::ExecutionPlan& plan) {
    for (const schema::EValue* value : OrEmpty(plan.values())) {
      const schema::Tensor* tensor = value->val_as_Tensor();
      if (tensor == nullptr || tensor->allocation_info() == nullptr) continue;
      const schema::AllocationDetails& place = *tensor->allocation_info();
      uint64_t& end = arena_ends_[place.memory_id()];
      end = std::max(end, CheckedAdd(OffsetOf(place), BytesOf(*tensor)).value_or(0));
    }
  }

  void CheckArenas() {
    const auto& sizes = OrEmpty(plan_->non_const_buffer_sizes());
    for (uoffset_t i = 1; i < sizes.size(); ++i) {
      if (sizes.Get(i) < 0) continue;  // told of the program
      const uint64_t size = static_cast<uint64_t>(sizes.Get(i));
      const auto end = arena_ends_.find(i);
      const uint64_t used = std::min(size, end == arena_ends_.end() ? 0 : end->second);
      if (size <= kMaxAddressable && size - used <= kMaxUnusedArena) continue;
      found_.AddError("arena", MethodWords(),
                      Text("asks for arena ", i, " of ", size, " bytes, of which its tensors need ", used));
    }
  }

  // What is fed in is copied to where the tensor's bytes are.
  void CheckInputs() {
    for (const int32_t input : OrEmpty(plan_->inputs())) {
      const schema::Tensor* tensor = TensorAt(static_cast<uint32_t>(input));
      const bool is_constant =
          tensor != nullptr && tensor->allocation_info() == nullptr && StoreOf(program_, *tensor) != Store::kPlanned;
      if (!is_constant || BytesOf(*tensor) == 0) continue;
      found_.AddError("input-constant", Place(static_cast<uint32_t>(input)), "is an input, but has constant bytes");
    }
  }

  void CheckTensors() {
    const Lifetimes lifetimes(*plan_);
    const std::vector<ValueUse> uses = UsesOfValues(*plan_);
    std::vector<PlannedValue> planned;
    std::set<int32_t> given(OrEmpty(plan_->inputs()).begin(), OrEmpty(plan_->inputs()).end());
    given.insert(OrEmpty(plan_->outputs()).begin(), OrEmpty(plan_->outputs()).end());
    for (uint32_t i = 0; i < uses.size(); ++i) {
      const schema::Tensor* tensor = TensorAt(i);
      const uint64_t bytes = tensor == nullptr ? 0 : BytesOf(*tensor);
      if (bytes == 0) continue;
      if (tensor->allocation_info() == nullptr) {
        if (given.count(static_cast<int32_t>(i)) == 0) CheckHasBytes(*tensor, i, uses[i]);
        continue;
      }
      const schema::AllocationDetails& place = *tensor->allocation_info();
      if (!LiesInArena(place, bytes)) continue;  // told of the program
      CheckAlignment(*tensor, OffsetOf(place), i);
      if (!lifetimes.Of(i)) continue;
      planned.push_back({i, place.memory_id(), {OffsetOf(place), bytes}, LifeOf(*tensor, i, lifetimes), uses[i]});
    }
    for (const PlannedOverlap& overlap : FindPlannedOverlaps(std::move(planned))) TellOverlap(overlap, lifetimes);
  }

  bool LiesInArena(const schema::AllocationDetails& place, uint64_t bytes) const {
    const auto& sizes = OrEmpty(plan_->non_const_buffer_sizes());
    const int64_t size = place.memory_id() < sizes.size() ? sizes.Get(place.memory_id()) : 0;
    return size > 0 && Fits(OffsetOf(place), bytes, static_cast<uint64_t>(size));
  }

  // An initial state is there from before the first call to after the last. What is set and never read needs nothing.
  Lifetimes::Span LifeOf(const schema::Tensor& tensor, uint32_t value, const Lifetimes& lifetimes) const {
    if (StoreOf(program_, tensor) != Store::kPlanned) return {0, lifetimes.last_step()};
    return *lifetimes.Of(value);
  }

  void CheckAlignment(const schema::Tensor& tensor, uint64_t offset, uint32_t value) {
    const uint64_t element = ElementSize(static_cast<int8_t>(tensor.scalar_type())).value_or(1);
    if (offset % element == 0) return;
    found_.AddError(
        "data-misaligned", Place(value),
        Text("is planned at byte ", offset, " of its arena, no multiple of its elements' ", element, " bytes"));
  }

  // Inputs and outputs may be the caller's, and so may a buffer that has a name to ask for it by and is written.
  void CheckHasBytes(const schema::Tensor& tensor, uint32_t value, const ValueUse& use) {
    if (StoreOf(program_, tensor) != Store::kPlanned || !use.needs_memory || use.is_redirected) return;
    if (static_cast<int8_t>(tensor.shape_dynamism()) >= kUnboundShape) return;  // told of the program
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const bool can_be_given = extra != nullptr && !ViewOf(extra->fully_qualified_name()).empty();
    if (can_be_given && use.may_be_written) return;
    found_.AddError("memory-missing", Place(value),
                    "has neither bytes nor a place in an arena, and is no input or output");
  }

  void TellOverlap(const PlannedOverlap& overlap, const Lifetimes& lifetimes) {
    const uint64_t last = overlap.first.life.last;
    const std::string until = last == lifetimes.last_step() ? "the end" : Text("instruction ", last - 1);
    const Extent place = overlap.second.place;
    found_.AddError("planned-overlap", Place(overlap.second.value),
                    Text("has bytes ", place.offset, " to ", place.offset + place.size, " of arena ",
                         overlap.second.arena, ", where value ", overlap.first.value, " lives until ", until));
  }

  const schema::Program& program_;
  const schema::ExecutionPlan* plan_ = nullptr;
  size_t plan_index_ = 0;
  std::map<uint32_t, uint64_t> arena_ends_;  // past the last planned tensor of any method
  Findings found_;
};

}  // namespace

std::vector<Finding> VerifyMemory(const Container& program) {
  return MemoryVerifier(program.state().program_root()).Verify();
}

}  // namespace pteedit
