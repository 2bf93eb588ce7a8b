#include "delegates/native_join.h"

#include <map>
#include <string_view>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/native_schema.h"

namespace pteedit {
namespace {

using namespace schema::native;  // NOLINT: the blob's tables

constexpr size_t kAlignment = 16;  // of graphs, whose numbers are aligned from their first byte on

const Program& RootOf(const NativePart& part) { return *flatbuffers::GetRoot<Program>(part.graph.data()); }

// Where a graph refers to the names of methods and keys.
class NameFinder {
 public:
  explicit NameFinder(const NativePart& part) : part_(part) {}

  // By the place of the reference, so that each counts once.
  std::map<size_t, std::string_view> Find() && {
    for (const Method* method : *RootOf(part_).methods()) {
      Add(*method, Method::VT_NAME, method->name());
      AddGraph(*method->graph());
      for (const NamedTensorRef* constant : OrEmpty(method->constants())) {
        Add(*constant, NamedTensorRef::VT_DATA_KEY, constant->data_key());
        AddMeta(*constant->meta());
      }
      for (const OutputSpec* output : OrEmpty(method->output_specs())) {
        if (output->kind() == OutputKind::BUFFER_MUTATION) Add(*output, OutputSpec::VT_TARGET, output->target());
      }
      for (const MutableBufferSpec* buffer : OrEmpty(method->mutable_buffers()))
        Add(*buffer, MutableBufferSpec::VT_FQN, buffer->fqn());
    }
    return std::move(places_);
  }

 private:
  // An empty name is as good as none.
  template <class Table>
  void Add(const Table& table, flatbuffers::voffset_t field, const flatbuffers::String* name) {
    if (name == nullptr || name->size() == 0) return;
    const uint8_t* reference = reinterpret_cast<const flatbuffers::Table&>(table).GetAddressOf(field);
    places_.emplace(static_cast<size_t>(reference - part_.graph.data()), ViewOf(name));
  }

  void AddMeta(const TensorMeta& meta) {
    const AffineGroup* group = meta.quant() == nullptr ? nullptr : meta.quant()->scheme_as_AffineGroup();
    if (group == nullptr) return;
    Add(*group, AffineGroup::VT_SCALE_DATA_KEY, group->scale_data_key());
    Add(*group, AffineGroup::VT_ZERO_POINT_DATA_KEY, group->zero_point_data_key());
  }

  // Bodies of several nodes may be one. No deeper than the root was verified to be.
  void AddGraph(const Graph& graph) {  // NOLINT(misc-no-recursion)
    if (!seen_.insert(&graph).second) return;
    for (const TensorValue* value : OrEmpty(graph.tensor_values())) AddMeta(*value->meta());
    for (const Node* node : *graph.nodes()) {
      for (const NamedArgument* argument : OrEmpty(node->inputs())) {
        if (const GraphArg* body = argument->arg()->value_as_GraphArg()) AddGraph(*body->graph());
      }
    }
  }

  const NativePart& part_;
  std::set<const Graph*> seen_;
  std::map<size_t, std::string_view> places_;
};

// A flatbuffer by hand: its root is new, the methods are tables inside the graphs that follow.
class GraphJoiner {
 public:
  explicit GraphJoiner(const std::vector<NativePart>& parts) : parts_(parts) {}

  std::vector<uint8_t> Join() && {
    size_t methods = 0;
    for (const NativePart& part : parts_) methods += RootOf(part).methods()->size();
    PutRoot(methods);
    for (const NativePart& part : parts_) PutGraph(part);
    for (const auto& [place, name] : names_) PutName(place, name);
    return std::move(bytes_);
  }

 private:
  // Root table: version and methods, behind the list of these two fields.
  void PutRoot(size_t methods) {
    constexpr uint16_t kFieldList[] = {8, 12, 4, 8};
    bytes_.resize(sizeof(uint32_t));
    bytes_.insert(bytes_.end(), {'N', 'P', 'T', 'G'});
    const size_t list = bytes_.size();
    for (const uint16_t word : kFieldList) Put(word);
    const size_t table = bytes_.size();
    Set(0, static_cast<uint32_t>(table));
    Put(static_cast<int32_t>(table - list));
    const size_t version = Put(uint32_t{0});
    Set(version, static_cast<uint32_t>(sizeof(uint32_t) * 2));
    const size_t vector = Put(uint32_t{0});
    PutText("1");
    Align(sizeof(uint32_t));
    Refer(vector);
    Put(static_cast<uint32_t>(methods));
    next_method_ = bytes_.size();
    bytes_.resize(bytes_.size() + methods * sizeof(uint32_t));
  }

  void PutGraph(const NativePart& part) {
    Align(kAlignment);
    const size_t start = bytes_.size();
    bytes_.insert(bytes_.end(), part.graph.begin(), part.graph.end());
    for (const Method* method : *RootOf(part).methods()) {
      const auto at = static_cast<size_t>(reinterpret_cast<const uint8_t*>(method) - part.graph.data());
      Set(next_method_, static_cast<uint32_t>(start + at - next_method_));
      next_method_ += sizeof(uint32_t);
    }
    for (const auto& [place, name] : NameFinder(part).Find()) names_.emplace(start + place, Text(part.prefix, name));
  }

  // Equal names are one.
  void PutName(size_t reference, const std::string& name) {
    const auto [known, is_new] = texts_.emplace(name, 0);
    if (is_new) {
      Align(sizeof(uint32_t));
      known->second = bytes_.size();
      PutText(name);
    }
    Set(reference, static_cast<uint32_t>(known->second - reference));
  }

  void PutText(std::string_view text) {
    Put(static_cast<uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
  }

  template <class Number>
  size_t Put(Number number) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(number));
    Set(at, number);
    return at;
  }
  template <class Number>
  void Set(size_t at, Number number) {
    flatbuffers::WriteScalar(bytes_.data() + at, number);
  }
  // To what comes next.
  void Refer(size_t reference) { Set(reference, static_cast<uint32_t>(bytes_.size() - reference)); }
  void Align(size_t unit) { bytes_.resize((bytes_.size() + unit - 1) / unit * unit); }

  const std::vector<NativePart>& parts_;
  std::vector<uint8_t> bytes_;
  size_t next_method_ = 0;               // where the next reference to one goes
  std::map<size_t, std::string> names_;  // by what refers to them
  std::map<std::string, size_t, std::less<>> texts_;
};

}  // namespace

Result<std::vector<uint8_t>> JoinNativeGraphs(const std::vector<NativePart>& parts) {
  uint64_t bytes = 0;
  for (const NativePart& part : parts) bytes += part.graph.size();
  if (bytes <= kMaxGraphBytes) {
    std::vector<uint8_t> joined = GraphJoiner(parts).Join();
    if (joined.size() <= kMaxGraphBytes) return joined;
    bytes = joined.size();
  }
  return Unsupported(Text("graphs of all have ", bytes, " bytes together, at most ", kMaxGraphBytes, " are read"));
}

std::set<std::string> ChangedKeys(const NativePart& part) {
  std::set<std::string> keys;
  for (const Method* method : *RootOf(part).methods()) {
    for (const NamedTensorRef* constant : OrEmpty(method->constants())) {
      if (constant->mutated()) keys.emplace(ViewOf(constant->data_key()));
    }
  }
  return keys;
}

}  // namespace pteedit
