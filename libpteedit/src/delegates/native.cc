#include "delegates/native.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "delegates/graph_reader.h"
#include "delegates/native_meta.h"
#include "delegates/native_schema.h"
#include "delegates/native_work.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace schema::native;  // NOLINT: the blob's tables

constexpr const char* kGraph = "graph of the native backend";
constexpr size_t kProgramFields = 2, kMethodFields = 5, kConstantFields = 5, kMetaFields = 4, kGroupFields = 7;

std::string TypeName(ScalarType type) {
  const std::string_view name = EnumNameScalarType(type);
  return name.empty() ? Text("scalar type ", static_cast<int>(type)) : std::string(name);
}

// Where a run alone can tell a size, the largest, or 0.
std::shared_ptr<const TensorLayout> LayoutOf(const TensorMeta& meta) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> sizes;
  for (const Dim* size : OrEmpty(meta.sizes()))
    sizes.push_back(static_cast<int32_t>(std::clamp<int64_t>(size->max(), 0, kMost)));
  return std::make_shared<const TensorLayout>(RowMajor(NativeTorchNumber(meta.dtype()), std::move(sizes)));
}

// 0 where they are too many to count.
uint64_t Count(const std::vector<uint64_t>& sizes) { return CheckedProduct(1, sizes).value_or(0); }

// Fails with kUnsupported where it is another version.
Status CheckVersion(const Program& program) {
  const std::string_view version = ViewOf(program.version());
  if (version == "1") return {};
  return Unsupported(Text(kGraph, " has version ", Quoted(version), ", '1' expected"));
}

class ProgramReader {
 public:
  explicit ProgramReader(uint64_t graph_bytes) : unfolding_(graph_bytes) {}

  Result<NativeGraph> Read(const Program& program) {
    PTEEDIT_TRY(CheckVersion(program));
    out_.facts.push_back({"graph_version", "1"});
    NoteNewer(program, kProgramFields, "Program");
    for (const Method* method : *program.methods()) {
      NoteNewer(*method, kMethodFields, "Method");
      const size_t first = out_.operators.size();
      constants_of_.clear();
      ReadGraph(*method->graph(), false);
      AddMethod(*method, first);
      for (const NamedTensorRef* constant : OrEmpty(method->constants())) AddConstant(*constant);
      AddReads(first);
    }
    PTEEDIT_TRY(unfolding_.Check(kGraph));
    out_.keys.assign(keys_.begin(), keys_.end());
    return NativeGraph{std::move(out_), std::move(methods_)};
  }

 private:
  using Names = std::vector<std::string_view>;  // in the graph's memory

  // No deeper than the root was verified to be. Bodies have names of their own: a constant that one reads is an operand
  // of the operator that runs it.
  void ReadGraph(const Graph& graph, bool is_body) {  // NOLINT(misc-no-recursion)
    for (const Node* node : *graph.nodes()) {
      if (node->op_kind() == OpKind::CALL_FUNCTION) {
        out_.operators.push_back(unfolding_.Copy(node->target()));
        operands_.push_back(is_body ? Names() : TensorsOf(*node));
      }
      for (const NamedArgument* argument : OrEmpty(node->inputs())) {
        if (const GraphArg* body = argument->arg()->value_as_GraphArg()) ReadGraph(*body->graph(), true);
      }
    }
    for (const TensorValue* value : OrEmpty(graph.tensor_values())) ReadMeta(*value->meta(), {});
  }

  // Counts, as many may be one long name, which takes time to compare.
  std::string_view NameOf(const flatbuffers::String* name) {
    const std::string_view view = ViewOf(name);
    return unfolding_.Take(sizeof(Names::value_type) + view.size()) ? view : std::string_view();
  }

  Names TensorsOf(const Node& node) {
    Names names;
    for (const NamedArgument* argument : OrEmpty(node.inputs())) {
      if (const TensorArg* one = argument->arg()->value_as_TensorArg()) names.push_back(NameOf(one->name()));
      if (const auto* list = argument->arg()->value_as_TensorListArg()) AddNames(*list->names(), names);
      if (const auto* list = argument->arg()->value_as_OptionalTensorListArg()) AddNames(*list->names(), names);
    }
    return names;
  }

  void AddNames(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>& list, Names& names) {
    if (!unfolding_.Take(uint64_t{list.size()} * sizeof(Names::value_type))) return;
    for (const flatbuffers::String* name : list) names.push_back(NameOf(name));
  }

  // Of the operators of one method, which begin with `first`.
  void AddReads(size_t first) {
    for (size_t i = first; i < operands_.size(); ++i) {
      std::set<size_t> reads;
      for (const std::string_view name : operands_[i]) {
        const auto found = constants_of_.find(name);
        if (found != constants_of_.end()) reads.insert(found->second.begin(), found->second.end());
      }
      out_.operator_constants.emplace_back(reads.begin(), reads.end());
    }
  }

  // What the graph gained behind operator `first` is the method's.
  void AddMethod(const Method& method, size_t first) {
    NativeMethod row;
    row.name = unfolding_.Copy(method.name());
    std::map<std::string_view, const TensorMeta*> metas;
    for (const TensorValue* value : OrEmpty(method.graph()->tensor_values()))
      metas.emplace(NameOf(value->name()), value->meta());
    row.inputs = LayoutsOf(method.graph()->inputs(), metas);
    row.outputs = LayoutsOf(method.graph()->outputs(), metas);
    for (size_t i = first; i < out_.operators.size() && unfolding_.Take(out_.operators[i].size()); ++i)
      row.operators.push_back(out_.operators[i]);
    methods_.push_back(std::move(row));
  }

  std::vector<std::shared_ptr<const TensorLayout>> LayoutsOf(
      const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names,
      const std::map<std::string_view, const TensorMeta*>& metas) {
    std::vector<std::shared_ptr<const TensorLayout>> layouts;
    for (const flatbuffers::String* name : OrEmpty(names)) {
      if (!unfolding_.Take(sizeof(layouts.front()))) return {};
      const auto found = metas.find(NameOf(name));
      const bool has_sizes =
          found != metas.end() &&
          unfolding_.Take(sizeof(TensorLayout) + uint64_t{OrEmpty(found->second->sizes()).size()} * sizeof(int32_t));
      layouts.push_back(has_sizes ? LayoutOf(*found->second) : nullptr);
    }
    return layouts;
  }

  void AddConstant(const NamedTensorRef& reference) {
    NoteNewer(reference, kConstantFields, "NamedTensorRef");
    const TensorMeta& meta = *reference.meta();
    BlobConstant constant;
    constant.name = unfolding_.Copy(reference.name());
    constant.key = unfolding_.Copy(reference.data_key());
    constant.dtype = TypeName(meta.dtype());
    constant.sizes = SizesOf(meta);
    constant.bytes = BytesOf(meta, Count(constant.sizes));
    const std::vector<uint64_t> sizes = constant.sizes;
    added_.clear();
    Add(std::move(constant));
    ReadMeta(meta, sizes);
    constants_of_.emplace(NameOf(reference.name()), added_);
  }

  // A size that only a run can tell is 0.
  std::vector<uint64_t> SizesOf(const TensorMeta& meta) {
    std::vector<uint64_t> sizes;
    if (!unfolding_.Take(uint64_t{OrEmpty(meta.sizes()).size()} * sizeof(uint64_t))) return sizes;
    for (const Dim* size : OrEmpty(meta.sizes()))
      sizes.push_back(size->min() == size->max() && size->min() > 0 ? static_cast<uint64_t>(size->min()) : 0);
    return sizes;
  }

  static uint64_t BytesOf(const TensorMeta& meta, uint64_t count) {
    constexpr uint64_t kBitsOfByte = 8;
    const uint64_t bits = CheckedMultiply(count, NativeBitsOf(meta)).value_or(0);
    return bits / kBitsOfByte + (bits % kBitsOfByte != 0 ? 1 : 0);
  }

  // Keys of scales and zero points; any tensor may have them. `sizes` are empty where it is no constant.
  void ReadMeta(const TensorMeta& meta, const std::vector<uint64_t>& sizes) {
    NoteNewer(meta, kMetaFields, "TensorMeta");
    if (meta.quant() == nullptr) return;
    if (meta.quant()->scheme_type() > QuantScheme::MAX) Note("QuantScheme");
    const AffineGroup* group = meta.quant()->scheme_as_AffineGroup();
    if (group == nullptr) return;
    NoteNewer(*group, kGroupFields, "AffineGroup");
    AddScales(group->scale_data_key(), group->scale_dtype(), *group, sizes);
    AddScales(group->zero_point_data_key(), group->zero_point_dtype(), *group, sizes);
  }

  void AddScales(const flatbuffers::String* key, ScalarType type, const AffineGroup& group,
                 const std::vector<uint64_t>& sizes) {
    if (ViewOf(key).empty()) return;
    BlobConstant constant;
    constant.key = unfolding_.Copy(key);
    constant.dtype = TypeName(type);
    if (!sizes.empty() && unfolding_.Take(sizes.size() * sizeof(uint64_t))) {
      constant.sizes = NativeScaleSizes(sizes, group.group_size());
      constant.bytes = CheckedMultiply(Count(constant.sizes), NativeElementBytes(type)).value_or(0);
    }
    Add(std::move(constant));
  }

  // Methods share constants, and tensors scales, by key.
  void Add(BlobConstant constant) {
    keys_.insert(constant.key);
    const auto [place, is_new] = constant_at_.emplace(constant.key, out_.constants.size());
    added_.push_back(place->second);
    if (is_new) {
      out_.constants.push_back(std::move(constant));
    } else if (BlobConstant& known = out_.constants[place->second]; known.bytes < constant.bytes) {
      known.bytes = constant.bytes;
      known.sizes = std::move(constant.sizes);
    }
  }

  template <class Table>
  void NoteNewer(const Table& table, size_t known, const char* name) {
    if (HasNewerFields(table, known)) Note(name);
  }
  void Note(const char* name) {
    if (newer_.insert(name).second) out_.problems.push_back(NewerFields(name));
  }

  Unfolding unfolding_;
  DecodedBlob out_;
  std::vector<NativeMethod> methods_;
  std::vector<Names> operands_;                                   // of each operator
  std::map<std::string, size_t> constant_at_;                     // in out_.constants, by key
  std::vector<size_t> added_;                                     // there, last
  std::map<std::string_view, std::vector<size_t>> constants_of_;  // a value of the method's: its weight and scales
  std::set<std::string> keys_;
  std::set<std::string_view> newer_;  // tables that have fields we do not know
};

// Measures the operators that ProgramReader reads, in their order.
class ProgramMeasurer {
 public:
  explicit ProgramMeasurer(uint64_t graph_bytes) : unfolding_(graph_bytes) {}

  Result<std::vector<OperatorWork>> Measure(const Program& program) {
    PTEEDIT_TRY(CheckVersion(program));
    for (const Method* method : *program.methods()) AddGraph(*method->graph(), method->constants());
    PTEEDIT_TRY(unfolding_.Check(kGraph));
    return std::move(work_);
  }

 private:
  // No deeper than the root was verified to be.
  void AddGraph(const Graph& graph, const NativeGraphWork::Constants* constants) {  // NOLINT(misc-no-recursion)
    NativeGraphWork measurer(graph, constants, unfolding_);
    for (const Node* node : *graph.nodes()) {
      if (node->op_kind() == OpKind::CALL_FUNCTION) work_.push_back(measurer.Of(*node));
      for (const NamedArgument* argument : OrEmpty(node->inputs())) {
        const GraphArg* body = argument->arg()->value_as_GraphArg();
        if (body != nullptr) AddGraph(*body->graph(), nullptr);
      }
    }
  }

  Unfolding unfolding_;
  std::vector<OperatorWork> work_;
};

Result<BlobBytes> ReadBlob(const BlobInput& input) {
  PTEEDIT_ASSIGN(BlobBytes blob, ReadPart(input, {0, input.blob.size}, kMaxGraphBytes, kGraph));
  if (HasIdentifier(blob.bytes, "NPTG")) return blob;
  return Unsupported(Text(kGraph, " does not say 'NPTG' at byte 4"));
}

}  // namespace

Result<NativeGraph> ReadNativeGraph(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes blob, ReadBlob(input));
  PTEEDIT_ASSIGN(const Program* program, SoundRoot<Program>(blob.bytes, kGraph));
  PTEEDIT_ASSIGN(NativeGraph graph, ProgramReader(blob.bytes.size).Read(*program));
  graph.blob.parts = {{"graph", {0, input.blob.size}}};
  return graph;
}

Result<DecodedBlob> DecodeNative(const BlobInput& input) {
  PTEEDIT_ASSIGN(NativeGraph graph, ReadNativeGraph(input));
  return std::move(graph.blob);
}

Result<std::vector<OperatorWork>> MeasureNative(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes blob, ReadBlob(input));
  PTEEDIT_ASSIGN(const Program* program, SoundRoot<Program>(blob.bytes, kGraph));
  return ProgramMeasurer(blob.bytes.size).Measure(*program);
}

}  // namespace pteedit
