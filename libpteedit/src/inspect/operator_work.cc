#include "pteedit/operator_work.h"

#include <map>
#include <tuple>
#include <utility>

#include "delegates/decode_once.h"
#include "delegates/decoder.h"
#include "inspect/kernel_work.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;
using Operators = std::shared_ptr<const std::vector<OperatorWork>>;

constexpr char kNoShapes[] = "shapes of its operators are not known";
constexpr char kOpaqueBlob[] = "its blob is opaque";

OperatorWork SumOf(const std::vector<OperatorWork>& operators) {
  OperatorWork sum{0, 0, false, ""};
  for (const OperatorWork& one : operators) {
    sum.macs = Sum(sum.macs, one.macs);
    sum.bytes = Sum(sum.bytes, one.bytes);
    sum.is_upper_bound = sum.is_upper_bound || one.is_upper_bound;
    if (*sum.why_unknown == '\0') sum.why_unknown = one.why_unknown;
  }
  if ((!sum.macs || !sum.bytes) && *sum.why_unknown == '\0') sum.why_unknown = kUntoldWork;
  return sum;
}

class WorkMeasurer {
 public:
  explicit WorkMeasurer(const ProgramSet& set) : set_(set), once_(set) {}

  Status AddMethod(const schema::ExecutionPlan& plan) {
    KernelWork kernels(plan);
    size_t count = 0;
    for (const schema::Chain* chain : OrEmpty(plan.chains())) count += OrEmpty(chain->instructions()).size();
    all_.reserve(all_.size() + count);  // where there are many, they take no more than they have to
    uint64_t chain_index = 0;
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      uint64_t index = 0;
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        all_.push_back({std::string(ViewOf(plan.name())), chain_index, index++, {0, 0, false, ""}, nullptr});
        if (const auto* call = instruction->instr_args_as_KernelCall()) all_.back().work = kernels.Of(*call);
        if (const auto* call = instruction->instr_args_as_DelegateCall())
          PTEEDIT_TRY(AddDelegate(plan, *call, kernels));
      }
      ++chain_index;
    }
    return {};
  }

  std::vector<InstructionWork> Take() && { return std::move(all_); }

 private:
  Status AddDelegate(const schema::ExecutionPlan& plan, const schema::DelegateCall& call, KernelWork& values) {
    InstructionWork& row = all_.back();
    PTEEDIT_ASSIGN(const Known known,
                   OperatorsOf(*plan.delegates()->Get(static_cast<uoffset_t>(call.delegate_index()))));
    row.operators = known.operators;
    row.work = known.operators == nullptr ? OperatorWork{{}, {}, false, known.why_unknown} : known.sum;
    for (const int32_t arg : OrEmpty(call.args())) {
      row.work.is_upper_bound = row.work.is_upper_bound || values.At(static_cast<uint32_t>(arg)).is_bound;
      if (!values.At(static_cast<uint32_t>(arg)).is_unbound) continue;
      row.work = {{}, {}, false, kNoBound};
      row.operators = nullptr;
      return {};
    }
    return {};
  }

  struct Known {
    Operators operators;  // null where nothing is known
    OperatorWork sum;
    const char* why_unknown = "";
  };

  Result<Known> OperatorsOf(const schema::BackendDelegate& delegate) {
    const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
    if (decoder == nullptr || decoder->measure == nullptr) return Known{nullptr, {}, kNoShapes};
    const Extent blob = BlobExtent(set_.program(), delegate);
    const auto [place, is_new] = of_blob_.try_emplace({decoder, blob.offset, blob.size});
    if (!is_new) return place->second;
    place->second.why_unknown = kOpaqueBlob;
    if (blob.size == 0) return place->second;
    PTEEDIT_ASSIGN(const Sha256Digest identity, once_.IdentityOf(delegate));
    const auto [same, is_first] = of_identity_.try_emplace(identity, place->second);
    if (is_first) {
      Result<std::vector<OperatorWork>> operators = once_.Measure(delegate);
      if (!operators && operators.error().code != ErrorCode::kUnsupported) return std::move(operators).error();
      if (operators) {
        same->second = {nullptr, SumOf(*operators), ""};
        same->second.operators = std::make_shared<const std::vector<OperatorWork>>(*std::move(operators));
      }
    }
    return place->second = same->second;
  }

  const ProgramSet set_;
  std::map<std::tuple<const Decoder*, uint64_t, uint64_t>, Known> of_blob_;
  std::map<Sha256Digest, Known> of_identity_;
  DecodeOnce once_;
  std::vector<InstructionWork> all_;
};

}  // namespace

std::optional<double> ArithmeticIntensity(const OperatorWork& work) {
  if (!work.macs || !work.bytes || *work.bytes == 0) return std::nullopt;
  return static_cast<double>(*work.macs) / static_cast<double>(*work.bytes);
}

Result<std::vector<InstructionWork>> MeasureWork(const ProgramSet& set) {
  if (!HoldsProgram(set.file())) return std::vector<InstructionWork>();
  WorkMeasurer measurer(set.Inside());
  for (const schema::ExecutionPlan* plan : OrEmpty(set.program().state().program_root().execution_plan()))
    PTEEDIT_TRY(measurer.AddMethod(*plan));
  return std::move(measurer).Take();
}

}  // namespace pteedit
