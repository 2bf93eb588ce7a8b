#include "diff/diff_rows.h"

#include <algorithm>
#include <map>
#include <memory_resource>
#include <utility>

#include "base/text.h"
#include "diff/diff_meaning.h"
#include "inspect/keyed_constants.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "pteedit/delegates.h"
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

// Not what exporters number, and no hash of contents.
bool IsGiven(std::string_view name) {
  return !name.empty() && !IsNumbered(name) && !IsContentKey(name) && !IsSha256Key(name);
}

// Fills a side part by part. What is only needed for that goes as soon as it can: of a large file it is as large as
// the side.
class SideCollector {
 public:
  explicit SideCollector(const ProgramSet& set) : set_(set) {}

  Result<DiffSide> Collect(const std::vector<BlobDecoder>& decoders) {
    PTEEDIT_TRY(AddDelegates(decoders));
    AddDescription();
    size_t keys = ProgramIn(set_.file()).named_data().size();
    for (const Container& data : set_.data()) keys += data.named_data().size();
    side_.keys.reserve(keys);  // so that none moves
    PTEEDIT_TRY(AddFile(set_.file()));
    for (const Container& data : set_.data()) PTEEDIT_TRY(AddFile(data));
    return std::move(side_);
  }

 private:
  using Place = std::pair<uint64_t, uint64_t>;  // offset, size

  std::string_view Term(std::string_view text) {
    const auto found = side_.terms.find(text);
    return found != side_.terms.end() ? *found : *side_.terms.emplace(text).first;
  }

  // Of several that read the same bytes, or name the same key, the first by its words.
  template <class Types, class Key>
  void Note(Types& types, Key key, WeightType type) {
    const WeightType* known = &*side_.types.insert(std::move(type)).first;
    const auto [place, is_new] = types.emplace(key, known);
    if (!is_new && known->Text() < place->second->Text()) place->second = known;
  }

  Status AddDelegates(const std::vector<BlobDecoder>& decoders) {
    const ProgramSet set(set_.file(), set_.data());  // its index of keys goes with it
    PTEEDIT_ASSIGN(std::vector<DelegateDescription> delegates, DescribeDelegates(set, decoders));
    side_.words = CollectWords(set, delegates);
    side_.delegates.reserve(delegates.size());
    for (DelegateDescription& delegate : delegates) {
      AddDelegate(set, delegate);
      delegate = {};  // as large as its row
    }
    return {};
  }

  void AddDelegate(const ProgramSet& set, const DelegateDescription& delegate) {
    const auto key_of = [&](const std::string& key) {
      const std::optional<KeyPlace> place = set.Find(key);
      return place ? place->entry->key : Term(key);
    };
    for (const BlobConstant* constant : KeyedConstants(delegate))
      Note(by_key_, key_of(constant->key), TypeOf(*constant));
    DiffDelegate row;
    row.method = Term(delegate.method), row.backend = Term(delegate.backend), row.decoded = delegate.decoded;
    row.operators.reserve(delegate.contents->operators.size());
    for (const std::string& op : delegate.contents->operators) row.operators.push_back(Term(op));
    row.keys.reserve(delegate.keys.size());
    for (const DelegateDescription::Key& key : delegate.keys) row.keys.push_back(key_of(key.key));
    row.constants.reserve(delegate.contents->constants.size());
    for (const BlobConstant& constant : delegate.contents->constants)
      row.constants.push_back({key_of(constant.key), Term(Text(constant.dtype, ' ', SizesText(constant.sizes)))});
    row.name = side_.texts.Keep(delegate.name);
    delegate_of_.emplace(row.name, static_cast<uint32_t>(side_.delegates.size()));
    side_.delegates.push_back(std::move(row));
  }

  void AddDescription() {
    const Container& file = set_.file();
    if (HoldsProgram(file)) NoteConstants(ProgramIn(file), file.program_extent().offset);
    Description description = Describe(file, kMethodRows);
    side_.methods = std::move(description.methods);
    side_.operators = std::move(description.operators);
  }

  void NoteConstants(const Container& program, uint64_t file_offset) {
    for (const Constant& constant : CollectConstants(program)) {
      const Place place(file_offset + constant.extent.offset, constant.extent.size);
      for (const ConstantUse& use : constant.uses) {
        const TensorLayout layout = use.layout();
        if (ByteSize(layout) == constant.extent.size) Note(by_place_, place, TypeOf(layout));
      }
    }
  }

  Status AddFile(const Container& file) {
    side_.files.push_back(&file);
    NoteKeys(file);
    PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file, {.pieces = SizePieces::kNone}));
    MakeRoom(sizes.components);
    AddComponents(sizes.components, file);
    return {};
  }

  void NoteKeys(const Container& file) {
    first_key_ = side_.keys.size();
    for (const NamedEntry& entry : ProgramIn(file).named_data()) {
      side_.keys.push_back(&entry);
      if (entry.layout) Note(by_key_, entry.key, TypeOf(*entry.layout));
    }
    std::stable_sort(side_.keys.begin() + static_cast<std::ptrdiff_t>(first_key_), side_.keys.end(),
                     [](const NamedEntry* a, const NamedEntry* b) { return PlaceOf(*a) < PlaceOf(*b); });
  }

  static Place PlaceOf(const NamedEntry& entry) { return {entry.extent.offset, entry.extent.size}; }

  void FindKeys(const Container& file, DiffRow& row) const {
    const Place in_program(row.place.offset - file.program_extent().offset, row.place.size);
    const auto begin = side_.keys.begin() + static_cast<std::ptrdiff_t>(first_key_);
    const auto first = std::partition_point(begin, side_.keys.end(),
                                            [&](const NamedEntry* entry) { return PlaceOf(*entry) < in_program; });
    const auto last = std::partition_point(first, side_.keys.end(),
                                           [&](const NamedEntry* entry) { return PlaceOf(*entry) == in_program; });
    row.number = static_cast<uint32_t>(first - side_.keys.begin());
    row.key_count = static_cast<uint32_t>(last - first);
  }

  // All at once for one file, and not anew for each of many.
  void MakeRoom(const std::vector<SizeNode>& components) {
    size_t count = side_.rows.size();
    for (const SizeNode& component : components) count += std::max<size_t>(component.components.size(), 1);
    if (count > side_.rows.capacity()) side_.rows.reserve(std::max(count, 2 * side_.rows.capacity()));
  }

  // Of a bundle those of the program inside too.
  void AddComponents(const std::vector<SizeNode>& components, const Container& file) {
    for (const SizeNode& component : components) {
      if (component.name == "Program") {
        MakeRoom(component.components);
        AddComponents(component.components, file);
        continue;
      }
      const uint8_t what = ComponentOf(component.name);
      if (component.components.empty()) AddRow(what, component, file);
      for (const SizeNode& row : component.components) AddRow(what, row, file);
    }
  }

  static uint8_t ComponentOf(std::string_view name) {
    return static_cast<uint8_t>(std::ranges::find(kDiffComponents, name) - kDiffComponents.begin());
  }

  void AddRow(uint8_t component, const SizeNode& node, const Container& file) {
    if (node.size == 0 && IsBindingKey(node.name)) return;  // no weight, and told as what the program is bound to
    DiffRow row;
    row.component = component;
    row.bytes = node.size;
    if (node.place) row.file = static_cast<uint32_t>(side_.files.size() - 1), row.place = *node.place;
    if (row.is_delegate()) row.number = delegate_of_.at(node.name);
    // By place: what a row is called may be the key of another.
    if ((row.what() == "Named Data" || row.what() == "Tensors") && node.place) FindKeys(file, row);
    row.name = NameOf(row, node);
    if (row.is_weight()) {
      row.has_given_name = IsGiven(row.name);
      row.module_length = node.module_length;
      row.type = FindType(row);
    }
    side_.rows.push_back(row);
  }

  std::string_view NameOf(const DiffRow& row, const SizeNode& node) {
    if (row.is_delegate()) return side_.delegates[row.number].name;
    if (row.key_count != 0 && side_.KeysOf(row).front()->key == node.name) return side_.KeysOf(row).front()->key;
    return side_.texts.Keep(node.name);
  }

  const WeightType* FindType(const DiffRow& row) const {
    if (row.what() == "Constant Tensors" || row.what() == "Mutable Tensors") {
      const auto found = by_place_.find({row.place.offset, row.place.size});
      return found == by_place_.end() ? nullptr : found->second;
    }
    for (const NamedEntry* entry : side_.KeysOf(row)) {
      const auto found = by_key_.find(entry->key);
      if (found != by_key_.end()) return found->second;
    }
    return nullptr;
  }

  const ProgramSet& set_;
  DiffSide side_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::map<Place, const WeightType*> by_place_{&memory_};  // in the file
  std::map<std::string_view, const WeightType*> by_key_;
  std::map<std::string_view, uint32_t> delegate_of_;
  size_t first_key_ = 0;  // of the side's, that the file which is added has
};

}  // namespace

Result<DiffSide> CollectDiffSide(const ProgramSet& set, const std::vector<BlobDecoder>& decoders) {
  return SideCollector(set).Collect(decoders);
}

Status FindContents(DiffSide& before, DiffSide& after, unsigned threads) {
  const size_t old_rows = before.rows.size();
  const auto view_of = [&](size_t i) {
    const DiffSide& side = i < old_rows ? before : after;
    const DiffRow& row = side.rows[i < old_rows ? i : i - old_rows];
    return row.has_place() ? ContentView{side.files[row.file]->source().get(), row.place} : ContentView{};
  };
  PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(old_rows + after.rows.size(), view_of, threads));
  size_t i = 0;
  for (DiffSide* side : {&before, &after}) {
    for (DiffRow& row : side->rows) row.content = first[i++];
  }
  return {};
}

}  // namespace pteedit
