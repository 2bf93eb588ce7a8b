#include "inspect/diff_rows.h"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <utility>

#include "base/text.h"
#include "inspect/keyed_constants.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

template <class Numbers>
std::string SizesText(const Numbers& sizes) {
  return "[" + Joined(sizes, ",") + "]";
}

WeightType TypeOf(const TensorLayout& layout) {
  WeightType type{ScalarTypeName(layout.scalar_type), SizesText(layout.sizes), layout.scalar_type};
  if (!std::is_sorted(layout.dim_order.begin(), layout.dim_order.end()))
    type.sizes += " in dim order " + SizesText(layout.dim_order);
  return type;
}

WeightType TypeOf(const BlobConstant& constant) {
  const std::optional<int8_t> scalar_type = ScalarTypeOf(constant.dtype);
  return {scalar_type ? ScalarTypeName(*scalar_type) : constant.dtype, SizesText(constant.sizes), scalar_type};
}

// "forward.constant_12", which counts uses in a method.
bool IsNumbered(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  name.remove_prefix(dot + 1);
  for (const std::string_view word : {"constant_", "mutable_"}) {
    if (!name.starts_with(word) || name.size() == word.size()) continue;
    name.remove_prefix(word.size());
    return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  }
  return false;
}

// Empty of what exporters number, and of hashes of contents.
std::string GivenName(std::string_view what, std::string_view name) {
  if (what == kDelegateBlobs || IsNumbered(name) || IsContentKey(name) || IsSha256Key(name)) return {};
  return std::string(name);
}

class SideCollector {
 public:
  explicit SideCollector(const ProgramSet& set) : set_(set) {}

  Result<DiffSide> Collect(const std::vector<BlobDecoder>& decoders) {
    side_.description = Describe(set_.file());
    PTEEDIT_ASSIGN(side_.delegates, DescribeDelegates(set_, decoders));
    NoteTypes();
    PTEEDIT_TRY(AddFile(set_.file()));
    for (const Container& data : set_.data()) PTEEDIT_TRY(AddFile(data));
    return std::move(side_);
  }

 private:
  // Of several that read the same bytes, or name the same key, the first by its words.
  template <class Types, class Key>
  static void Note(Types& types, Key key, WeightType type) {
    const auto [place, is_new] = types.emplace(std::move(key), type);
    if (!is_new && type.Text() < place->second.Text()) place->second = std::move(type);
  }

  void NoteTypes() {
    for (const TensorDescription& tensor : side_.description.tensors) {
      if (tensor.extent && tensor.bytes == tensor.extent->size)
        Note(by_place_, std::pair(tensor.extent->offset, tensor.extent->size), TypeOf(tensor.layout));
    }
    for (size_t i = 0; i < side_.delegates.size(); ++i) {
      delegate_of_.emplace(side_.delegates[i].name, i);
      for (const BlobConstant* constant : KeyedConstants(side_.delegates[i]))
        Note(by_key_, constant->key, TypeOf(*constant));
    }
  }

  Status AddFile(const Container& file) {
    PTEEDIT_ASSIGN(SizeNode sizes, MeasureSizes(file, {.pieces = false}));
    keys_at_.clear();
    for (const NamedEntry& entry : ProgramIn(file).named_data()) {
      const uint64_t offset = entry.extent.offset + file.program_extent().offset;
      keys_at_[{offset, entry.extent.size}].emplace_back(entry.key);
      if (entry.layout) Note(by_key_, std::string(entry.key), TypeOf(*entry.layout));
    }
    AddComponents(sizes.components, file);
    return {};
  }

  // Of a bundle those of the program inside too.
  void AddComponents(std::vector<SizeNode>& components, const Container& file) {
    for (SizeNode& component : components) {
      if (component.name == "Program") {
        AddComponents(component.components, file);
        continue;
      }
      const std::string_view what = *side_.components.insert(component.name).first;
      if (component.components.empty()) AddRow(what, component, file);
      for (SizeNode& row : component.components) AddRow(what, row, file);
    }
  }

  // Takes the names out of the node.
  void AddRow(std::string_view what, SizeNode& node, const Container& file) {
    if (node.size == 0 && IsBindingKey(node.name)) return;  // no weight, and told as what the program is bound to
    DiffRow row;
    row.what = what;
    row.bytes = node.size;
    if (node.place) row.place = ContentPlace{file.source(), *node.place};
    if (what == kDelegateBlobs) row.delegate = delegate_of_.at(node.name);
    // By place: what a row is called may be the key of another.
    if ((what == "Named Data" || what == "Tensors") && node.place)
      row.keys = keys_at_[{node.place->offset, node.place->size}];
    for (const std::string& key : row.keys) side_.row_of_key.emplace(key, side_.rows.size());
    if (IsWeightComponent(what)) {
      row.given_name = GivenName(what, node.name);
      row.module = node.module();
      row.type = FindType(row);
    }
    row.name = std::move(node.name);
    side_.rows.push_back(std::move(row));
  }

  std::optional<WeightType> FindType(const DiffRow& row) const {
    if (row.what == "Constant Tensors" || row.what == "Mutable Tensors") {
      const auto found = by_place_.find({row.place->extent.offset, row.place->extent.size});
      return found == by_place_.end() ? std::nullopt : std::optional(found->second);
    }
    for (const std::string& key : row.keys) {
      const auto found = by_key_.find(key);
      if (found != by_key_.end()) return found->second;
    }
    return std::nullopt;
  }

  const ProgramSet& set_;
  DiffSide side_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::map<std::pair<uint64_t, uint64_t>, WeightType> by_place_{&memory_};  // in the file
  std::map<std::string, WeightType> by_key_;
  std::map<std::string, size_t> delegate_of_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<std::string>> keys_at_;  // in the file that is added
};

}  // namespace

bool IsWeightComponent(std::string_view component) {
  return component == "Constant Tensors" || component == "Mutable Tensors" || component == "Named Data" ||
         component == "Tensors";
}

Result<DiffSide> CollectDiffSide(const ProgramSet& set, const std::vector<BlobDecoder>& decoders) {
  return SideCollector(set).Collect(decoders);
}

Status FindContents(DiffSide& before, DiffSide& after, unsigned threads) {
  std::vector<ContentPlace> places;
  std::vector<DiffRow*> owners;
  for (DiffSide* side : {&before, &after}) {
    for (DiffRow& row : side->rows) {
      if (!row.place) continue;
      places.push_back(*row.place);
      owners.push_back(&row);
    }
  }
  PTEEDIT_ASSIGN(const std::vector<size_t> first, GroupByContent(places, threads));
  for (size_t i = 0; i < owners.size(); ++i) owners[i]->content = first[i];
  return {};
}

}  // namespace pteedit
