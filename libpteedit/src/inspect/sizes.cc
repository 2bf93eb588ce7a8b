#include "pteedit/sizes.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "program/constants.h"
#include "program/container_state.h"
#include "program/extended_header.h"
#include "program/segment_users.h"
#include "program/sizes_claims.h"
#include "pteedit/delegates.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

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

// Collects level 1 and its rows together with the bytes that they claim. Components appear in the order of
// AddComponent, and bytes go to whoever claims them first.
class TreeBuilder {
 public:
  explicit TreeBuilder(const Source& source) : source_(source), claims_(source.size()) {
    root_.name = "Total Size";
    root_.size = source.size();
    root_.place = Extent{0, source.size()};
    if (source.size() != 0) root_.pieces = {*root_.place};
  }

  size_t AddComponent(const char* name) {
    root_.components.push_back({});
    root_.components.back().name = name;
    return root_.components.size() - 1;
  }

  // Bytes that belong to the component as a whole.
  void Claim(size_t component, Extent extent) {
    claims_.Claim(extent);
    owners_.push_back({component, kWhole});
  }

  // Bytes that are all that the component can have.
  void ClaimWhole(size_t component, Extent extent) {
    Claim(component, extent);
    root_.components[component].place = extent;
  }

  void ClaimRow(size_t component, Extent extent, SizeNode row) {
    claims_.Claim(extent);
    row.place = extent;
    for (SizeNode& part : row.components) {
      part.place->offset += extent.offset;
      if (part.size != 0) part.pieces = {*part.place};
    }
    owners_.push_back({component, root_.components[component].components.size()});
    root_.components[component].components.push_back(std::move(row));
  }

  void SplitGapsAt(uint64_t offset) { claims_.SplitGapsAt(offset); }

  // Adds Padding, and what is left to the component `unattributed`.
  Result<SizeNode> Build(size_t padding, size_t unattributed) && {
    const ByteClaims::Shares shares = claims_.Share();
    NoteSharedRows();
    for (size_t i = 0; i < owners_.size(); ++i) Give(owners_[i], shares.pieces[i]);
    DropOverlappedParts();
    ZeroProbe probe(source_);
    for (const Extent gap : shares.gaps) {
      bool is_padding = gap.size < kPaddingLimit;
      if (is_padding) {
        PTEEDIT_ASSIGN(is_padding, probe.IsZero(gap));
      }
      Give({is_padding ? padding : unattributed, kWhole}, {gap});
    }
    for (SizeNode& component : root_.components) JoinPieces(component.pieces);
    std::erase_if(root_.components, [](const SizeNode& node) { return node.size == 0 && node.components.empty(); });
    assert(SumOfComponents(root_) == root_.size);
    return std::move(root_);
  }

 private:
  static constexpr size_t kWhole = ~size_t{0};
  struct Owner {
    size_t component = 0;
    size_t row = kWhole;
  };

  void Give(Owner owner, const std::vector<Extent>& pieces) {
    SizeNode& component = root_.components[owner.component];
    component.pieces.insert(component.pieces.end(), pieces.begin(), pieces.end());
    component.size += SumOf(pieces);
    if (owner.row == kWhole) return;
    component.components[owner.row].size = SumOf(pieces);
    component.components[owner.row].pieces = pieces;
  }

  static uint64_t SumOf(const std::vector<Extent>& pieces) {
    uint64_t sum = 0;
    for (const Extent& piece : pieces) sum += piece.size;
    return sum;
  }

  SizeNode& RowOf(Owner owner) { return root_.components[owner.component].components[owner.row]; }

  void NoteSharedRows() {
    std::map<std::pair<uint64_t, uint64_t>, size_t> first;
    for (size_t i = 0; i < owners_.size(); ++i) {
      const Extent extent = claims_.claims()[i];
      if (owners_[i].row == kWhole || extent.size == 0) continue;
      const auto [place, is_new] = first.emplace(std::pair(extent.offset, extent.size), i);
      if (!is_new) RowOf(owners_[i]).note = "same as " + RowOf(owners_[place->second]).name;
    }
  }

  // Parts of a row whose bytes belong, at least in part, to another.
  void DropOverlappedParts() {
    for (SizeNode& component : root_.components) {
      for (SizeNode& row : component.components) {
        if (SumOfComponents(row) != row.size) row.components.clear();
      }
    }
  }

  static uint64_t SumOfComponents(const SizeNode& node) {
    uint64_t sum = 0;
    for (const SizeNode& component : node.components) sum += component.size;
    return sum;
  }

  const Source& source_;
  SizeNode root_;
  ByteClaims claims_;
  std::vector<Owner> owners_;  // by claim
};

SizeNode NamedRow(std::string name) {
  SizeNode row;
  row.name = std::move(name);
  return row;
}

// From the first byte to where the last table, or the header if that is later, really ends. How long a table says it is
// has not been verified, only that its fields are in the file.
Extent TablesExtent(const Container& file) {
  const FileHeader& header = file.header();
  const uint64_t header_end = header.has_extended_header ? kExtendedHeaderOffset + header.extended_header_length : 0;
  return {0, std::min<uint64_t>(std::max(file.state().walk.end_byte, header_end), file.tables().size)};
}

void ClaimTables(const Container& file, size_t component, TreeBuilder& tree) {
  tree.ClaimWhole(component, TablesExtent(file));
  tree.SplitGapsAt(file.tables().size);
}

// Keys with the same bytes share a row, named by the first.
void ClaimNamedData(const Container& file, size_t component, TreeBuilder& tree) {
  const std::vector<NamedEntry>& entries = file.named_data();
  std::map<EntryPlace, size_t> row_of;
  std::vector<std::pair<Extent, SizeNode>> rows;
  for (const NamedEntry& entry : entries) {
    const auto [place, is_new] = row_of.emplace(PlaceOf(entry), rows.size());
    if (is_new) {
      rows.emplace_back(entry.extent, NamedRow(std::string(entry.key)));
    } else {
      rows[place->second].second.aliases.emplace_back(entry.key);
    }
  }
  for (auto& [extent, row] : rows) tree.ClaimRow(component, extent, std::move(row));
}

void ClaimUnusedSegments(const Container& file, size_t component, TreeBuilder& tree) {
  const std::vector<Extent>& segments = file.segments();
  std::vector<bool> used(segments.size());
  ForEachSegmentUser(file, [&](uint32_t segment, const SegmentUser&) { used[segment] = true; });
  for (size_t i = 0; i < segments.size(); ++i) {
    if (!used[i]) tree.Claim(component, segments[i]);
    tree.SplitGapsAt(segments[i].offset);
    tree.SplitGapsAt(segments[i].offset + segments[i].size);
  }
}

void LookInto(const DelegateDescription& delegate, SizeNode& row) {
  if (delegate.decoded) {
    uint64_t offset = 0;
    for (const DelegateDescription::Part& part : delegate.parts) {
      row.components.push_back(NamedRow(part.name));
      row.components.back().size = part.size;
      row.components.back().place = Extent{offset, part.size};  // so far from the blob's start
      offset += part.size;
    }
  }
  // Of a key that no file has the size is not known: it counts for nothing.
  for (const DelegateDescription::Key& key : delegate.keys) row.refers_to.push_back({key.key, key.bytes.value_or(0)});
}

Status ClaimDelegates(const ProgramSet& set, const SizeOptions& options, size_t component, TreeBuilder& tree) {
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
      SizeNode row = NamedRow(std::move(names[plan][i]));
      if (delegates.Get(i)->processed()->location() == schema::DataLocation::INLINE) row.note = "inline";
      if (options.look_inside) LookInto(descriptions[index++], row);
      tree.ClaimRow(component, BlobExtent(file, *delegates.Get(i)), std::move(row));
    }
  }
  return {};
}

Result<SizeNode> MeasureProgram(const ProgramSet& set, const SizeOptions& options) {
  const Container& file = set.program();
  TreeBuilder tree(*file.source());
  const size_t tables = tree.AddComponent("Program Flatbuffer");
  const size_t constants = tree.AddComponent("Constant Tensors");
  const size_t mutables = tree.AddComponent("Mutable Tensors");
  const size_t delegates = tree.AddComponent("Delegate Blobs");
  const size_t named_data = tree.AddComponent("Named Data");
  const size_t padding = tree.AddComponent("Padding");
  const size_t unattributed = tree.AddComponent("Unattributed");
  for (Constant& constant : CollectConstants(file)) {
    SizeNode row = NamedRow(std::move(constant.name));
    row.aliases = std::move(constant.aliases);
    tree.ClaimRow(constant.store == Store::kMutable ? mutables : constants, constant.extent, std::move(row));
  }
  PTEEDIT_TRY(ClaimDelegates(set, options, delegates, tree));
  ClaimNamedData(file, named_data, tree);
  ClaimTables(file, tables, tree);
  ClaimUnusedSegments(file, unattributed, tree);
  return std::move(tree).Build(padding, unattributed);
}

Result<SizeNode> MeasureData(const Container& file) {
  TreeBuilder tree(*file.source());
  const size_t tables = tree.AddComponent("Data Flatbuffer");
  const size_t tensors = tree.AddComponent("Tensors");
  const size_t padding = tree.AddComponent("Padding");
  const size_t unattributed = tree.AddComponent("Unattributed");
  ClaimNamedData(file, tensors, tree);
  ClaimTables(file, tables, tree);
  ClaimUnusedSegments(file, unattributed, tree);
  return std::move(tree).Build(padding, unattributed);
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
  TreeBuilder tree(*file.source());
  const size_t tables = tree.AddComponent("Bundled Data");
  const size_t inner = tree.AddComponent("Program");
  const size_t padding = tree.AddComponent("Padding");
  const size_t unattributed = tree.AddComponent("Unattributed");
  tree.ClaimWhole(inner, file.program_extent());
  tree.ClaimWhole(tables, TablesExtent(file));
  PTEEDIT_ASSIGN(SizeNode root, std::move(tree).Build(padding, unattributed));
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
