#include "pteedit/sizes.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "inspect/claimed_tree.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/extended_header.h"
#include "program/found_names.h"
#include "program/segment_users.h"
#include "pteedit/delegates.h"
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

void ClaimRow(Owner component, Extent place, SizeNode row, ClaimedTree& tree) {
  tree.ClaimWhole(tree.AddRow(component, std::move(row)), place);
}

// From the first byte to where the last table, or the header if that is later, really ends. How long a table says it is
// has not been verified, only that its fields are in the file.
Extent TablesExtent(const Container& file) {
  const FileHeader& header = file.header();
  const uint64_t header_end = header.has_extended_header ? kExtendedHeaderOffset + header.extended_header_length : 0;
  return {0, std::min<uint64_t>(std::max(file.state().walk.end_byte, header_end), file.tables().size)};
}

void ClaimTables(const Container& file, Owner component, ClaimedTree& tree) {
  tree.ClaimWhole(component, TablesExtent(file));
  tree.SplitGapsAt(file.tables().size);
}

// Keys with the same bytes share a row, named by the first, unless the bytes have names.
void ClaimNamedData(const Container& file, Owner component, ClaimedTree& tree) {
  const std::vector<NamedEntry>& entries = file.named_data();
  std::map<EntryPlace, size_t> row_of;
  std::vector<std::pair<Extent, std::vector<std::string>>> rows;
  for (const NamedEntry& entry : entries) {
    const auto [place, is_new] = row_of.emplace(PlaceOf(entry), rows.size());
    if (is_new) rows.push_back({entry.extent, {}});
    rows[place->second].second.emplace_back(entry.key);
  }
  for (auto& [extent, keys] : rows) {
    std::vector<std::string> names = NamesAndKeys(file, std::move(keys));
    SizeNode row = NamedNode(std::move(names.front()));
    row.aliases.assign(std::make_move_iterator(names.begin() + 1), std::make_move_iterator(names.end()));
    ClaimRow(component, extent, std::move(row), tree);
  }
}

void ClaimUnusedSegments(const Container& file, Owner component, ClaimedTree& tree) {
  const std::vector<Extent>& segments = file.segments();
  std::vector<bool> used(segments.size());
  ForEachSegmentUser(file, [&](uint32_t segment, const SegmentUser&) { used[segment] = true; });
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!used[i]) tree.Claim(component, segments[i]);
    tree.SplitGapsAt(segments[i].offset);
    tree.SplitGapsAt(segments[i].offset + segments[i].size);
  }
}

void LookInto(const DelegateDescription& delegate, uint64_t blob_offset, SizeNode& row) {
  if (delegate.decoded) {
    for (const BlobPart& part : delegate.parts) {
      SizeNode& node = row.components.emplace_back(NamedNode(part.name));
      node.size = part.extent.size;
      node.place = Extent{blob_offset + part.extent.offset, part.extent.size};
      if (part.extent.size != 0) node.pieces = {*node.place};
    }
  }
  // Of a key that no file has the size is not known: it counts for nothing.
  for (const DelegateDescription::Key& key : delegate.keys)
    row.refers_to.push_back({key.key, key.bytes.value_or(0), key.name});
}

Status ClaimDelegates(const ProgramSet& set, const SizeOptions& options, Owner component, ClaimedTree& tree) {
  std::vector<DelegateDescription> descriptions;  // in file order, as the loop below
  if (options.look_inside) {
    PTEEDIT_ASSIGN(descriptions, DescribeDelegates(set, options.decoders));
  }
  const Container& file = set.program();
  const schema::Program& program = file.state().program_root();
  std::vector<std::vector<std::string>> names = DelegateNames(program);
  const auto& plans = OrEmpty(program.execution_plan());
  size_t index = 0;
  for (flatbuffers::uoffset_t plan = 0; plan < plans.size(); ++plan) {
    const auto& delegates = OrEmpty(plans.Get(plan)->delegates());
    for (flatbuffers::uoffset_t i = 0; i < delegates.size(); ++i) {
      SizeNode row = NamedNode(std::move(names[plan][i]));
      if (delegates.Get(i)->processed()->location() == schema::DataLocation::INLINE) row.note = "inline";
      const Extent blob = BlobExtent(file, *delegates.Get(i));
      if (options.look_inside) LookInto(descriptions[index++], blob.offset, row);
      ClaimRow(component, blob, std::move(row), tree);
    }
  }
  return {};
}

Result<SizeNode> MeasureProgram(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.program();
  ClaimedTree tree(file.source()->size());
  const Owner tables = tree.AddComponent("Program Flatbuffer");
  const Owner constants = tree.AddComponent("Constant Tensors");
  const Owner mutables = tree.AddComponent("Mutable Tensors");
  const Owner delegates = tree.AddComponent("Delegate Blobs");
  const Owner named_data = tree.AddComponent("Named Data");
  const Gaps gaps(tree);
  for (Constant& constant : CollectConstants(file)) {
    SizeNode row = NamedNode(std::move(constant.name));
    row.aliases = std::move(constant.aliases);
    ClaimRow(constant.store == Store::kMutable ? mutables : constants, constant.extent, std::move(row), tree);
  }
  PTEEDIT_TRY(ClaimDelegates(set, options, delegates, tree));
  ClaimNamedData(file, named_data, tree);
  ClaimTables(file, tables, tree);
  ClaimUnusedSegments(file, gaps.unattributed, tree);
  return Build(std::move(tree), *file.source(), gaps);
}

Result<SizeNode> MeasureData(const Container& file) {
  ClaimedTree tree(file.source()->size());
  const Owner tables = tree.AddComponent("Data Flatbuffer");
  const Owner tensors = tree.AddComponent("Tensors");
  const Gaps gaps(tree);
  ClaimNamedData(file, tensors, tree);
  ClaimTables(file, tables, tree);
  ClaimUnusedSegments(file, gaps.unattributed, tree);
  return Build(std::move(tree), *file.source(), gaps);
}

void MovePlaces(std::vector<SizeNode>& nodes, uint64_t offset) {
  for (SizeNode& node : nodes) {
    if (node.place) node.place->offset += offset;
    for (Extent& piece : node.pieces) piece.offset += offset;
    MovePlaces(node.components, offset);
  }
}

Result<SizeNode> MeasureBundle(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.file();
  PTEEDIT_ASSIGN(SizeNode program, MeasureProgram(set.Inside(), options));
  ClaimedTree tree(file.source()->size());
  const Owner tables = tree.AddComponent("Bundled Data");
  const Owner inner = tree.AddComponent("Program");
  const Gaps gaps(tree);
  tree.ClaimWhole(inner, file.program_extent());
  tree.ClaimWhole(tables, TablesExtent(file));
  PTEEDIT_ASSIGN(SizeNode root, Build(std::move(tree), *file.source(), gaps));
  const auto place = std::find_if(root.components.begin(), root.components.end(),
                                  [](const SizeNode& node) { return node.name == "Program"; });
  place->components = std::move(program.components);
  MovePlaces(place->components, file.program_extent().offset);
  return root;
}

}  // namespace

Result<SizeNode> MeasureSizes(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.file();
  switch (file.kind()) {
    case FileKind::kProgram:
      return MeasureProgram(set, options);
    case FileKind::kData:
      return MeasureData(file);
    case FileKind::kBundle:
      return MeasureBundle(set, options);
  }
  return SizeNode();
}

}  // namespace pteedit
