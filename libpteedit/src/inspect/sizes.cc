#include "pteedit/sizes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/coreml_files.h"
#include "inspect/claimed_tree.h"
#include "inspect/keyed_constants.h"
#include "inspect/module_names.h"
#include "inspect/table_rows.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/extended_header.h"
#include "program/found_names.h"
#include "program/segment_users.h"
#include "pteedit/delegates.h"
#include "pteedit/dtypes.h"
#include "pteedit/key_uses.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Owner = ClaimedTree::Owner;

// Longer runs of zeros are no alignment that any exporter asks for (16384 is the largest seen), so they get no innocent
// name.
constexpr uint64_t kPaddingLimit = 16384;
// Gaps between small constants are close together: a few are read at once.
constexpr uint64_t kProbeBytes = 4096;

// Reads gaps, given in ascending order, to see whether they are all zeros.
class ZeroProbe {
 public:
  explicit ZeroProbe(const Source& source) : source_(source) {}

  Result<bool> IsZero(Extent gap) {
    if (gap.offset < window_.offset || gap.offset + gap.size > window_.offset + window_.size) {
      window_ = {gap.offset, std::min(source_.size() - gap.offset, std::max(gap.size, kProbeBytes))};
      bytes_.resize(static_cast<size_t>(window_.size));
      PTEEDIT_TRY(source_.Read(window_.offset, {bytes_.data(), bytes_.size()}));
    }
    const uint8_t* begin = bytes_.data() + (gap.offset - window_.offset);
    return std::all_of(begin, begin + gap.size, [](uint8_t byte) { return byte == 0; });
  }

 private:
  const Source& source_;
  Extent window_;
  std::vector<uint8_t> bytes_;
};

// The last components of every file: what nobody claims is padding, if it is a short run of zeros, or unattributed.
struct Gaps {
  explicit Gaps(ClaimedTree& tree)
      : padding(tree.AddComponent("Padding")), unattributed(tree.AddComponent("Unattributed")) {}
  Owner padding, unattributed;
};

Result<SizeNode> Build(ClaimedTree tree, const Source& source, const Gaps& gaps) {
  return std::move(tree).Build([&, probe = ZeroProbe(source)](Extent gap) mutable -> Result<Owner> {
    if (gap.size >= kPaddingLimit) return gaps.unattributed;
    PTEEDIT_ASSIGN(const bool is_zero, probe.IsZero(gap));
    return is_zero ? gaps.padding : gaps.unattributed;
  });
}

void NoteModule(SizeRow& row) { row.module_length = static_cast<uint32_t>(ModuleOf(row.name).size()); }

void ClaimRow(Owner component, Extent place, SizeRow row, ClaimedTree& tree) {
  tree.ClaimWhole(tree.AddRow(component, std::move(row)), place);
}

// From the first byte to where the last table, or the header if that is later, really ends. How long a table says it is
// has not been verified, only that its fields are in the file.
Extent TablesExtent(const Container& file) {
  const FileHeader& header = file.header();
  const uint64_t header_end = header.has_extended_header ? kExtendedHeaderOffset + header.extended_header_length : 0;
  return {0, std::min<uint64_t>(std::max(file.state().walk.end_byte, header_end), file.tables().size)};
}

void ClaimTables(const Container& file, bool look_inside, Owner component, ClaimedTree& tree) {
  if (look_inside) {
    ClaimTableRows(file, TablesExtent(file), component, tree);
  } else {
    tree.ClaimWhole(component, TablesExtent(file));
  }
  tree.SplitGapsAt(file.tables().size);
}

using KeyTypes = std::map<std::string, std::string>;  // element types by key, as far as they are known

// As the file says, else as whoever reads the bytes does.
std::string TypeOf(const NamedEntry& entry, const KeyTypes& types) {
  if (entry.layout) return CommonDtype(ScalarTypeName(entry.layout->scalar_type));
  const auto found = types.find(std::string(entry.key));
  return found == types.end() ? std::string() : found->second;
}

// Calls take(numbers) for each list of entries with the same bytes, in the order of their first. Fails as that does.
template <class Take>
Status ForEachSamePlace(const std::vector<NamedEntry>& entries, Take take) {
  std::vector<uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(PlaceOf(entries[i]), i); });
  std::vector<uint32_t> next(entries.size());  // with the same bytes; 0 behind the last
  std::vector<bool> is_first(entries.size(), true);
  for (size_t i = 1; i < order.size(); ++i) {
    if (PlaceOf(entries[order[i - 1]]) != PlaceOf(entries[order[i]])) continue;
    next[order[i - 1]] = order[i];
    is_first[order[i]] = false;
  }
  order = {};
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    if (!is_first[i]) continue;
    numbers = {i};
    while (next[numbers.back()] != 0) numbers.push_back(next[numbers.back()]);
    PTEEDIT_TRY(take(numbers));
  }
  return {};
}

// Keys with the same bytes share a row, named by the first, unless the bytes have names. A model that methods of Core
// ML share under a key is a folder.
Status ClaimNamedData(const Container& file, const KeyTypes& types, bool look_inside, Owner component,
                      ClaimedTree& tree) {
  const std::vector<NamedEntry>& entries = file.named_data();
  return ForEachSamePlace(entries, [&](const std::vector<uint32_t>& same) -> Status {
    const Extent extent = entries[same.front()].extent;
    SizeRow row;
    std::vector<std::string> keys;
    for (const uint32_t i : same) {
      keys.emplace_back(entries[i].key);
      if (row.dtype.empty()) row.dtype = tree.Dtype(TypeOf(entries[i], types));
    }
    std::vector<std::string> names = NamesAndKeys(file, std::move(keys));
    row.name = std::move(names.front());
    if (names.size() > 1)
      row.more.Edit().aliases.assign(std::make_move_iterator(names.begin() + 1), std::make_move_iterator(names.end()));
    NoteModule(row);
    const Owner owner = tree.AddRow(component, std::move(row));
    if (look_inside) {
      PTEEDIT_ASSIGN(const std::vector<BlobPart> parts, CoremlPartsIn({file.source(), extent, {}, nullptr}));
      for (const BlobPart& part : parts)
        tree.ClaimWhole(tree.AddRow(owner, part.name), {extent.offset + part.extent.offset, part.extent.size});
    }
    tree.ClaimWhole(owner, extent);
    return {};
  });
}

// And lets no gap reach over the ends of those that are not claimed whole: that of constants, and empty ones.
void ClaimUnusedSegments(const Container& file, Owner component, ClaimedTree& tree) {
  const std::vector<Extent>& segments = file.segments();
  std::vector<bool> used(segments.size()), in_parts(segments.size());
  ForEachSegmentUser(file, [&](uint32_t segment, const SegmentUser& user) {
    used[segment] = true;
    if (user.kind == SegmentUser::Kind::kConstants || user.kind == SegmentUser::Kind::kMutable)
      in_parts[segment] = true;
  });
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!used[i]) tree.Claim(component, segments[i]);
    if (!in_parts[i] && segments[i].size != 0) continue;
    tree.SplitGapsAt(segments[i].offset);
    tree.SplitGapsAt(segments[i].offset + segments[i].size);
  }
}

// Of a key that no file has the size is not known: it counts for nothing.
std::vector<SizeNode::Reference> ReferencesOf(const DelegateDescription& delegate) {
  std::vector<SizeNode::Reference> references;
  references.reserve(delegate.keys.size());
  for (const DelegateDescription::Key& key : delegate.keys)
    references.push_back({key.key, key.bytes.value_or(0), key.name});
  return references;
}

// By the first delegate that says so.
KeyTypes TypesOfKeys(const std::vector<DelegateDescription>& delegates) {
  KeyTypes types;
  for (const DelegateDescription& delegate : delegates) {
    for (const BlobConstant* constant : KeyedConstants(delegate)) {
      if (!constant->dtype.empty()) types.emplace(constant->key, CommonDtype(constant->dtype));
    }
  }
  return types;
}

KeyTypes TypesOfKeys(const KeyUses& uses) {
  KeyTypes types;
  for (const auto& [key, use] : uses) {
    if (!use.read_as->dtype.empty()) types.emplace(key, CommonDtype(use.read_as->dtype));
  }
  return types;
}

// A blob's parts, and in each the weights that lie there whole and the rest.
class BlobRows {
 public:
  BlobRows(const DelegateDescription& delegate, uint64_t offset, Owner row, ClaimedTree& tree)
      : contents_(*delegate.contents), offset_(offset), row_(row), tree_(tree) {}

  void Claim() {
    for (const BlobPart& part : contents_.parts) parts_.push_back(tree_.AddRow(row_, part.name));
    for (size_t i = 0; i < contents_.constants.size(); ++i) {
      if (const auto part = PartOf(contents_.constants[i])) ClaimWeight(*part, contents_.constants[i], i);
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Extent place = PlaceOf(contents_.parts[i].extent);
      if (tree_.RowOf(parts_[i]).is_group) tree_.Claim(tree_.AddRow(parts_[i], "(rest)"), place);
      tree_.ClaimWhole(parts_[i], place);
    }
  }

 private:
  Extent PlaceOf(Extent in_blob) const { return {offset_ + in_blob.offset, in_blob.size}; }

  std::optional<size_t> PartOf(const BlobConstant& constant) const {
    if (!constant.key.empty() || constant.extent.size == 0) return std::nullopt;
    const auto behind =
        std::upper_bound(contents_.parts.begin(), contents_.parts.end(), constant.extent.offset,
                         [](uint64_t offset, const BlobPart& part) { return offset < part.extent.offset; });
    if (behind == contents_.parts.begin()) return std::nullopt;
    const Extent part = (behind - 1)->extent;
    if (!Fits(constant.extent.offset - part.offset, constant.extent.size, part.size)) return std::nullopt;
    return static_cast<size_t>(behind - 1 - contents_.parts.begin());
  }

  // In a part, if it is not that itself.
  void ClaimWeight(size_t part, const BlobConstant& constant, size_t index) {
    SizeRow weight = NamedRow(constant.name.empty() ? Text("constant_", index) : constant.name);
    if (!constant.own_name.empty()) weight.more.Edit().own_names = {constant.own_name};
    weight.dtype = tree_.Dtype(CommonDtype(constant.dtype));
    NoteModule(weight);
    SizeRow& whole = tree_.RowOf(parts_[part]);
    if ((whole.name == weight.name || whole.name == constant.own_name) &&
        contents_.parts[part].extent == constant.extent) {
      whole = std::move(weight);
    } else {
      whole.is_group = true;
      tree_.ClaimWhole(tree_.AddRow(parts_[part], std::move(weight)), PlaceOf(constant.extent));
    }
  }

  const BlobContents& contents_;
  const uint64_t offset_;
  const Owner row_;
  ClaimedTree& tree_;
  std::vector<Owner> parts_;
};

// Returns the types of the keys that delegates read, where somebody looks inside.
Result<KeyTypes> ClaimDelegates(const ProgramSet& set, const SizeOptions& options, Owner component, ClaimedTree& tree) {
  const Container& file = set.program();
  std::vector<DelegateDescription> descriptions;  // in file order, as the loop below
  if (options.look_inside) {
    PTEEDIT_ASSIGN(descriptions, DescribeDelegates(set, options.decoders));
  }
  const schema::Program& program = file.state().program_root();
  const std::vector<DelegateNames> names = DelegateNamesIn(program);
  const auto& plans = OrEmpty(program.execution_plan());
  size_t index = 0;
  for (flatbuffers::uoffset_t plan = 0; plan < plans.size(); ++plan) {
    const auto& delegates = OrEmpty(plans.Get(plan)->delegates());
    for (flatbuffers::uoffset_t i = 0; i < delegates.size(); ++i) {
      SizeRow row = NamedRow(names[plan][i]);
      if (delegates.Get(i)->processed()->location() == schema::DataLocation::INLINE) row.more.Edit().note = "inline";
      const Extent blob = BlobExtent(file, *delegates.Get(i));
      const DelegateDescription* description = descriptions.empty() ? nullptr : &descriptions[index++];
      if (options.has_references && description != nullptr && !description->keys.empty())
        row.more.Edit().refers_to = ReferencesOf(*description);
      const Owner owner = tree.AddRow(component, std::move(row));
      if (description != nullptr && description->decoded && description->shared_with->empty())
        BlobRows(*description, blob.offset, owner, tree).Claim();
      tree.ClaimWhole(owner, blob);
    }
  }
  return TypesOfKeys(descriptions);
}

Result<SizeNode> MeasureProgram(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.program();
  ClaimedTree tree(file.source()->size(), options.pieces);
  const Owner tables = tree.AddComponent("Program Flatbuffer");
  const Owner constants = tree.AddComponent("Constant Tensors");
  const Owner mutables = tree.AddComponent("Mutable Tensors");
  const Owner delegates = tree.AddComponent("Delegate Blobs");
  const Owner named_data = tree.AddComponent("Named Data");
  const Gaps gaps(tree);
  for (Constant& constant : CollectConstants(file)) {
    SizeRow row = NamedRow(std::move(constant.name));
    if (!constant.aliases.empty() || !constant.own_names.empty())
      row.more.Edit() = {std::move(constant.aliases), std::move(constant.own_names), {}, {}, {}};
    row.dtype = tree.Dtype(CommonDtype(ScalarTypeName(constant.uses.front().layout().scalar_type)));
    if (constant.has_name) NoteModule(row);
    ClaimRow(constant.store == Store::kMutable ? mutables : constants, constant.extent, std::move(row), tree);
  }
  PTEEDIT_ASSIGN(const KeyTypes types, ClaimDelegates(set, options, delegates, tree));
  PTEEDIT_TRY(ClaimNamedData(file, types, options.look_inside, named_data, tree));
  ClaimTables(file, options.look_inside, tables, tree);
  ClaimUnusedSegments(file, gaps.unattributed, tree);
  return Build(std::move(tree), *file.source(), gaps);
}

Result<SizeNode> MeasureData(const Container& file, const SizeOptions& options) {
  ClaimedTree tree(file.source()->size(), options.pieces);
  const Owner tables = tree.AddComponent("Data Flatbuffer");
  const Owner tensors = tree.AddComponent("Tensors");
  const Gaps gaps(tree);
  const KeyTypes types = options.key_uses == nullptr ? KeyTypes() : TypesOfKeys(*options.key_uses);
  PTEEDIT_TRY(ClaimNamedData(file, types, options.look_inside, tensors, tree));
  ClaimTables(file, options.look_inside, tables, tree);
  ClaimUnusedSegments(file, gaps.unattributed, tree);
  return Build(std::move(tree), *file.source(), gaps);
}

// Of members that no release knows, their own.
void ClaimOtherMembers(const Container& file, Owner component, ClaimedTree& tree) {
  const NativePackage& package = *file.state().package;
  for (const ZipEntry& member : package.members) {
    if (!IsPackageMember(member.name)) ClaimRow(component, member.stored, NamedRow(member.name), tree);
  }
}

Result<SizeNode> MeasurePackage(const Container& file, const SizeOptions& options) {
  const NativePackage& package = *file.state().package;
  ClaimedTree tree(file.source()->size(), options.pieces);
  const auto component = [&](const char* name, Extent place) {
    const Owner owner = tree.AddComponent(name);
    if (place.size != 0) tree.ClaimWhole(owner, place);
    return owner;
  };
  component(kProgramGraph, package.graph);
  const Owner tensors = tree.AddComponent("Tensors");
  component("Tensor Header", package.tensor_head);
  component("Aliases", package.aliases);
  const Owner others = tree.AddComponent("Other Members");
  const Owner archive = tree.AddComponent("Archive");
  const Gaps gaps(tree);
  PTEEDIT_TRY(ClaimNamedData(file, {}, options.look_inside, tensors, tree));
  ClaimOtherMembers(file, others, tree);
  for (const ZipEntry& member : package.members) {
    tree.Claim(archive, {member.head, member.stored.offset - member.head});
    tree.Claim(archive, member.listed);
  }
  tree.Claim(archive, package.end);
  return Build(std::move(tree), *file.source(), gaps);
}

void MovePlaces(std::vector<SizeNode>& nodes, uint64_t offset) {
  for (SizeNode& node : nodes) {
    if (node.place) node.place->offset += offset;
    if (!node.more->pieces.empty()) node.more.Edit().pieces.MoveBy(offset);
    MovePlaces(node.components, offset);
  }
}

Result<SizeNode> MeasureBundle(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.file();
  PTEEDIT_ASSIGN(SizeNode program, MeasureProgram(set.Inside(), options));
  ClaimedTree tree(file.source()->size(), options.pieces);
  const Owner tables = tree.AddComponent("Bundled Data");
  const Owner inner = tree.AddComponent("Program");
  const Gaps gaps(tree);
  tree.ClaimWhole(inner, file.program_extent());
  ClaimTables(file, options.look_inside, tables, tree);
  PTEEDIT_ASSIGN(SizeNode root, Build(std::move(tree), *file.source(), gaps));
  const auto place = std::find_if(root.components.begin(), root.components.end(),
                                  [](const SizeNode& node) { return node.name == "Program"; });
  place->components = std::move(program.components);
  MovePlaces(place->components, file.program_extent().offset);
  return root;
}

}  // namespace

Extents PiecesOf(const SizeRow& row) {
  const bool is_its_place = row.more->pieces.empty() && row.size != 0 && row.place && row.place->size == row.size;
  return is_its_place ? Extents{*row.place} : row.more->pieces;
}

Result<SizeNode> MeasureSizes(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.file();
  switch (file.kind()) {
    case FileKind::kProgram:
      return MeasureProgram(set, options);
    case FileKind::kData:
      return MeasureData(file, options);
    case FileKind::kBundle:
      return MeasureBundle(set, options);
    case FileKind::kNative:
      return MeasurePackage(file, options);
  }
  return SizeNode();
}

}  // namespace pteedit
