#include "pteedit/operator_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "delegates/xnnpack.h"
#include "needs/release_tables.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;
using Amount = std::optional<uint64_t>;
using Operators = std::shared_ptr<const std::vector<OperatorWork>>;

constexpr char kNoShapes[] = "its backend tells no shapes";
constexpr char kOpaqueBlob[] = "its blob is opaque";
constexpr char kNoBound[] = "it takes tensors without a largest shape";
constexpr char kUntold[] = "its shapes do not tell";

enum class Work {
  kAll,          // no MACs; whole tensors
  kProduct,      // of the matrix `argument`, whose last dimension is the inner one
  kConvolution,  // input, filter, and at 6 whether it is transposed
  kAttention,    // of argument 0 over the cache `argument`, batch x positions x heads x length
  kRows,         // no MACs; of the tables before `argument` as many rows as that has elements
  kPart,         // no MACs; of argument 0 as many elements as the output has
  kWritten,      // no MACs; reads and writes `argument`, into a part of another tensor
  kNothing,      // no bytes either: names the same bytes anew, or looks at sizes
  kUntoldMacs,
};

struct WorkRow {
  std::string_view name;  // without the overload
  Work work;
  size_t argument = 0;
};

// By name: of the stock kernels those that are not kAll.
constexpr WorkRow kWork[] = {
    {"aten::_cdist_forward", Work::kUntoldMacs},
    {"aten::_fft_c2r", Work::kUntoldMacs},
    {"aten::_fft_r2c", Work::kUntoldMacs},
    {"aten::_pdist_forward", Work::kUntoldMacs},
    {"aten::addmm", Work::kProduct, 1},
    {"aten::as_strided_copy", Work::kPart},
    {"aten::bmm", Work::kProduct, 0},
    {"aten::convolution", Work::kConvolution},
    {"aten::convolution_backward", Work::kUntoldMacs},
    {"aten::diagonal_copy", Work::kPart},
    {"aten::embedding", Work::kRows, 1},
    {"aten::empty", Work::kNothing},
    {"aten::gather", Work::kPart},
    {"aten::index", Work::kPart},
    {"aten::index_select", Work::kPart},
    {"aten::linear", Work::kProduct, 0},
    {"aten::mm", Work::kProduct, 0},
    {"aten::narrow_copy", Work::kPart},
    {"aten::select_copy", Work::kPart},
    {"aten::slice_copy", Work::kPart},
    {"aten::sym_numel", Work::kNothing},
    {"aten::sym_size", Work::kNothing},
    {"executorch_prim::et_copy_index", Work::kWritten, 1},
    {"executorch_prim::et_view", Work::kNothing},
    {"llama::channelwise_gated_delta_rule", Work::kUntoldMacs},
    {"llama::custom_quantized_sdpa", Work::kUntoldMacs},
    {"llama::custom_sdpa", Work::kAttention, 1},
    {"llama::fallback", Work::kUntoldMacs},
    {"llama::fast_hadamard_transform", Work::kUntoldMacs},
    {"llama::gated_delta_rule", Work::kUntoldMacs},
    {"llama::quantized_moe_ffn", Work::kUntoldMacs},
    {"llama::sdpa", Work::kUntoldMacs},
    {"llama::sdpa_with_kv_cache", Work::kAttention, 3},
    {"llama::update_cache", Work::kWritten, 0},
    {"llama::update_cache_with_indices", Work::kWritten, 0},
    {"quantized_decomposed::embedding_2bit", Work::kRows, 5},
    {"quantized_decomposed::embedding_4bit", Work::kRows, 5},
    {"quantized_decomposed::embedding_byte", Work::kRows, 5},
    {"quantized_decomposed::mixed_linear", Work::kProduct, 0},
    {"quantized_decomposed::mixed_mm", Work::kProduct, 0},
};
static_assert(std::ranges::is_sorted(kWork, {}, &WorkRow::name));
constexpr size_t kTransposedArgument = 6;

// Nothing of an operator that no stock library has.
std::optional<WorkRow> WorkRowOf(std::string_view op) {
  if (FindReleasesOf(op, StockKernels()) == nullptr) return std::nullopt;
  const std::string_view name = op.substr(0, op.rfind('.'));
  const auto* row = std::ranges::lower_bound(kWork, name, {}, &WorkRow::name);
  return row == std::end(kWork) || row->name != name ? WorkRow{name, Work::kAll} : *row;
}

Amount Sum(Amount a, Amount b) { return a && b ? CheckedAdd(*a, *b) : std::nullopt; }
Amount Product(Amount a, Amount b) { return a && b ? CheckedMultiply(*a, *b) : std::nullopt; }

// What is asked of a method's values again and again.
class MethodValues {
 public:
  explicit MethodValues(const schema::ExecutionPlan& plan) : values_(OrEmpty(plan.values())), all_(values_.size()) {}

  struct Value {
    Amount bytes = 0;  // of a list, of all in it, each once; 0 of what is no tensor
    bool is_bound = false, is_unbound = false;
  };

  const Value& Of(uint32_t index) {
    std::optional<Value>& value = all_[index];
    if (value) return *value;
    value.emplace();
    if (const schema::Tensor* tensor = TensorAt(index)) {
      value->bytes = ByteSize(LayoutOf(*tensor));
      value->is_bound = tensor->shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_BOUND;
      value->is_unbound = tensor->shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_UNBOUND;
      return *value;
    }
    std::set<uint32_t> items;
    ForEachItemOf(*values_.Get(index), [&](uint32_t item) { items.insert(item); });
    Value sum;
    for (const uint32_t item : items) {
      const schema::Tensor* tensor = TensorAt(item);
      sum.bytes = Sum(sum.bytes, tensor == nullptr ? std::nullopt : ByteSize(LayoutOf(*tensor)));
      if (tensor == nullptr) continue;
      sum.is_bound = sum.is_bound || tensor->shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_BOUND;
      sum.is_unbound = sum.is_unbound || tensor->shape_dynamism() == schema::TensorShapeDynamism::DYNAMIC_UNBOUND;
    }
    all_[index] = sum;
    return *all_[index];
  }

  const schema::Tensor* TensorAt(uint32_t index) const { return values_.Get(index)->val_as_Tensor(); }
  const schema::EValue& At(uint32_t index) const { return *values_.Get(index); }

 private:
  const flatbuffers::Vector<flatbuffers::Offset<schema::EValue>>& values_;
  std::vector<std::optional<Value>> all_;
};

class CallReader {
 public:
  CallReader(const WorkRow& row, const schema::KernelCall& call, MethodValues& values)
      : row_(row), args_(OrEmpty(call.args())), values_(values) {}

  OperatorWork Read() {
    OperatorWork work{row_.work == Work::kUntoldMacs ? std::nullopt : Macs(), Bytes(), row_.work == Work::kAttention,
                      ""};
    for (const int32_t arg : args_) {
      work.is_upper_bound = work.is_upper_bound || values_.Of(static_cast<uint32_t>(arg)).is_bound;
      if (values_.Of(static_cast<uint32_t>(arg)).is_unbound) return {{}, {}, false, kNoBound};
    }
    if (!work.macs || !work.bytes) work.why_unknown = kUntold;
    return work;
  }

 private:
  const schema::Tensor* TensorOf(size_t argument) const {
    return argument < args_.size() ? values_.TensorAt(IndexOf(argument)) : nullptr;
  }
  uint32_t IndexOf(size_t argument) const { return static_cast<uint32_t>(args_.Get(static_cast<uoffset_t>(argument))); }

  // A call ends with what it writes.
  const schema::Tensor* Output() const { return args_.size() == 0 ? nullptr : TensorOf(args_.size() - 1); }

  static Amount Elements(const schema::Tensor* tensor) {
    return tensor == nullptr ? std::nullopt : CheckedProduct(1, LayoutOf(*tensor).sizes);
  }

  // Dimensions count from the first, or where they are below zero from behind the last.
  static Amount Size(const schema::Tensor* tensor, int dim) {
    if (tensor == nullptr) return std::nullopt;
    const std::vector<int32_t> sizes = LayoutOf(*tensor).sizes;
    const int at = dim < 0 ? static_cast<int>(sizes.size()) + dim : dim;
    if (at < 0 || at >= static_cast<int>(sizes.size())) return std::nullopt;
    return static_cast<uint64_t>(sizes[static_cast<size_t>(at)]);
  }

  Amount Macs() const {
    switch (row_.work) {
      case Work::kProduct:
        return Product(Elements(Output()), Size(TensorOf(row_.argument), -1));
      case Work::kConvolution:
        return ConvolutionMacs();
      case Work::kAttention:
        return Product(Product(2, Elements(TensorOf(0))), Size(TensorOf(row_.argument), 1));
      default:
        return 0;
    }
  }

  // A filter has its output channels first, where it is transposed its input channels.
  Amount ConvolutionMacs() const {
    if (args_.size() <= kTransposedArgument) return std::nullopt;
    const schema::Bool* transposed = values_.At(IndexOf(kTransposedArgument)).val_as_Bool();
    const Amount filter = Elements(TensorOf(1)), channels = Size(TensorOf(1), 0);
    if (transposed == nullptr || !filter || !channels || *channels == 0) return std::nullopt;
    return Product(Elements(transposed->bool_val() ? TensorOf(0) : Output()), *filter / *channels);
  }

  Amount Bytes() {
    if (row_.work == Work::kNothing) return 0;
    if (row_.work == Work::kWritten)
      return Product(2, row_.argument < args_.size() ? values_.Of(IndexOf(row_.argument)).bytes : std::nullopt);
    std::set<uint32_t> seen;  // outputs come twice
    Amount sum = 0;
    for (size_t i = 0; i < args_.size(); ++i) {
      if (!seen.insert(IndexOf(i)).second) continue;
      const Amount part = PartOf(i), all = values_.Of(IndexOf(i)).bytes;
      sum = Sum(sum, all && part ? std::min(*all, *part) : all);
    }
    return sum;
  }

  // What is read of an argument that may not be read as a whole, else nothing.
  Amount PartOf(size_t argument) const {
    const schema::Tensor* tensor = TensorOf(argument);
    if (tensor == nullptr) return std::nullopt;
    const TensorLayout layout = LayoutOf(*tensor);
    if (row_.work == Work::kPart && argument == 0) return Product(Elements(Output()), ElementSize(layout.scalar_type));
    if (row_.work != Work::kRows || argument >= row_.argument || layout.sizes.empty() || layout.sizes[0] == 0)
      return std::nullopt;
    const Amount all = ByteSize(layout);
    const auto rows = static_cast<uint64_t>(layout.sizes[0]);
    return Product(Elements(TensorOf(row_.argument)), all ? Amount(*all / rows) : std::nullopt);
  }

  const WorkRow& row_;
  const flatbuffers::Vector<int32_t>& args_;
  MethodValues& values_;
};

OperatorWork SumOf(const std::vector<OperatorWork>& operators) {
  OperatorWork sum{0, 0, false, ""};
  for (const OperatorWork& one : operators) {
    sum.macs = Sum(sum.macs, one.macs);
    sum.bytes = Sum(sum.bytes, one.bytes);
    sum.is_upper_bound = sum.is_upper_bound || one.is_upper_bound;
    if (*sum.why_unknown == '\0') sum.why_unknown = one.why_unknown;
  }
  if ((!sum.macs || !sum.bytes) && *sum.why_unknown == '\0') sum.why_unknown = kUntold;
  return sum;
}

class WorkMeasurer {
 public:
  explicit WorkMeasurer(const ProgramSet& set) : set_(set) {}

  Status AddMethod(const schema::ExecutionPlan& plan) {
    MethodValues values(plan);
    size_t count = 0;
    for (const schema::Chain* chain : OrEmpty(plan.chains())) count += OrEmpty(chain->instructions()).size();
    all_.reserve(all_.size() + count);  // where there are many, they take no more than they have to
    uint64_t chain_index = 0;
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      uint64_t index = 0;
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        all_.push_back({std::string(ViewOf(plan.name())), chain_index, index++, {0, 0, false, ""}, nullptr});
        if (const auto* call = instruction->instr_args_as_KernelCall()) AddKernel(plan, *call, values);
        if (const auto* call = instruction->instr_args_as_DelegateCall()) PTEEDIT_TRY(AddDelegate(plan, *call, values));
      }
      ++chain_index;
    }
    return {};
  }

  std::vector<InstructionWork> Take() && { return std::move(all_); }

 private:
  void AddKernel(const schema::ExecutionPlan& plan, const schema::KernelCall& call, MethodValues& values) {
    const std::string name = OperatorName(*plan.operators()->Get(static_cast<uoffset_t>(call.op_index())));
    const std::optional<WorkRow> row = WorkRowOf(name);
    all_.back().work = row ? CallReader(*row, call, values).Read() : OperatorWork{{}, {}, false, kUnknownOperator};
  }

  Status AddDelegate(const schema::ExecutionPlan& plan, const schema::DelegateCall& call, MethodValues& values) {
    InstructionWork& row = all_.back();
    PTEEDIT_ASSIGN(const Known known,
                   OperatorsOf(*plan.delegates()->Get(static_cast<uoffset_t>(call.delegate_index()))));
    row.operators = known.operators;
    row.work = known.operators == nullptr ? OperatorWork{{}, {}, false, known.why_unknown} : known.sum;
    for (const int32_t arg : OrEmpty(call.args())) {
      row.work.is_upper_bound = row.work.is_upper_bound || values.Of(static_cast<uint32_t>(arg)).is_bound;
      if (!values.Of(static_cast<uint32_t>(arg)).is_unbound) continue;
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
    if (ViewOf(delegate.id()) != kXnnpackBackend) return Known{nullptr, {}, kNoShapes};
    const Extent blob = BlobExtent(set_.program(), delegate);
    const auto [place, is_new] = of_blob_.try_emplace({blob.offset, blob.size});
    if (!is_new) return place->second;
    place->second.why_unknown = kOpaqueBlob;
    if (blob.size == 0) return place->second;
    Result<std::vector<XnnpackNodeFacts>> nodes = ReadXnnpackNodes(InputOf(set_, delegate));
    if (!nodes && nodes.error().code != ErrorCode::kUnsupported) return std::move(nodes).error();
    if (!nodes) return place->second;
    std::vector<OperatorWork> operators;
    for (const XnnpackNodeFacts& node : *nodes) operators.push_back(node.work);
    place->second = {nullptr, SumOf(operators), ""};
    place->second.operators = std::make_shared<const std::vector<OperatorWork>>(std::move(operators));
    return place->second;
  }

  const ProgramSet set_;
  std::map<std::pair<uint64_t, uint64_t>, Known> of_blob_;
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
