#include "pteedit/assembly.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assembly/assembly_writer.h"
#include "base/checked.h"
#include "base/load.h"
#include "base/text.h"
#include "delegates/xnnpack_schema.h"
#include "inspect/table_visit.h"
#include "program/extended_header.h"
#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Kind = AssemblyPiece::Kind;

constexpr uint64_t kIdentifierEnd = 8;
constexpr uint64_t kMaxGraphBytes = uint64_t{64} << 20;  // of a blob, as its decoder reads
constexpr uint64_t kBlobHeaderBytes = 30;                // of XNNPACK

struct RootType {
  std::string_view identifier;
  const flatbuffers::TypeTable* (*type)();
};
constexpr RootType kRootTypes[] = {{"ET12", schema::Program::MiniReflectTypeTable},
                                   {"FT01", schema::flat::FlatTensor::MiniReflectTypeTable},
                                   {"BP08", schema::bundle::BundledProgram::MiniReflectTypeTable}};

struct OwnedBytes {
  std::vector<uint8_t> bytes;
  uint64_t base = 0;
  FileBytes view() const { return {{bytes.data(), bytes.size()}, base}; }
};

Result<OwnedBytes> ReadBytes(const Source& file, uint64_t begin, uint64_t size) {
  OwnedBytes read{std::vector<uint8_t>(static_cast<size_t>(size)), begin};
  PTEEDIT_TRY(file.Read(begin, {read.bytes.data(), read.bytes.size()}));
  return read;
}

// Of the header, as far as it can be.
struct Tables {
  std::optional<ExtendedHeader> header;
  uint32_t header_bytes = 0;  // of those that we can name
  uint64_t end = 0;
  uint64_t base = 0;  // of the segments; 0 where there are none
};

Tables TablesOf(const FileBytes& head, std::string_view identifier, uint64_t file_size) {
  Tables tables;
  tables.end = file_size;
  if (identifier == "ET12") tables.header = ParseProgramHeader(head.bytes);
  if (identifier == "FT01") tables.header = ParseDataHeader(head.bytes);
  if (!tables.header) return tables;
  const ExtendedHeader& header = *tables.header;
  const bool is_short = identifier == "ET12" && header.length == kShortProgramHeaderLength;
  tables.header_bytes = identifier == "FT01" ? kDataHeaderLength : kProgramHeaderLength;
  if (is_short) tables.header_bytes = kShortProgramHeaderLength;
  if (!Fits(kExtendedHeaderOffset, tables.header_bytes, head.bytes.size)) return {std::nullopt, 0, file_size, 0};
  const uint64_t head_end = kExtendedHeaderOffset + tables.header_bytes;
  if (Fits(header.tables_offset, header.tables_size, file_size) && header.tables_size >= head_end)
    tables.end = header.tables_offset + header.tables_size;
  const bool has_segments = header.segment_base_offset >= tables.end && header.segment_base_offset <= file_size;
  if (has_segments) tables.base = header.segment_base_offset;
  return tables;
}

// What the table `segments[N]` says, for each N.
AssemblySegments SegmentsOf(const AssemblyPieces& pieces, const Tables& tables, uint64_t file_size) {
  AssemblySegments segments{tables.base, {}};
  if (tables.base == 0) return segments;
  for (const uint32_t piece : pieces.order()) {
    const AssemblyPiece& one = pieces[piece];
    if (one.kind != Kind::kTable || pieces.LabelOf(piece) != Text("segments[", one.place, ']')) continue;
    Extent extent;
    for (const TableField& field : pieces.FieldsOf(one.at, *one.type).fields) {
      if (field.slot >= one.type->num_elems || field.bytes != sizeof(uint64_t)) continue;
      const auto number = pieces.buffer().Read<uint64_t>(one.at + field.offset);
      (std::string_view(one.type->names[field.slot]) == "offset" ? extent.offset : extent.size) = number;
    }
    if (one.place >= segments.extents.size()) segments.extents.resize(one.place + size_t{1});
    if (Fits(extent, file_size - tables.base)) segments.extents[one.place] = {tables.base + extent.offset, extent.size};
  }
  return segments;
}

// Those that lie apart, ascending; the others are no longer there.
std::vector<size_t> Separated(AssemblySegments& segments) {
  std::vector<size_t> order;
  for (size_t i = 0; i < segments.extents.size(); ++i) {
    if (segments.extents[i].size != 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return segments.extents[i].offset; });
  uint64_t end = 0;
  std::erase_if(order, [&](size_t i) {
    Extent& extent = segments.extents[i];
    const bool overlaps = extent.offset < end;
    if (overlaps) extent = {};
    if (!overlaps) end = extent.offset + extent.size;
    return overlaps;
  });
  return order;
}

class Assembly {
 public:
  Assembly(std::shared_ptr<const Source> file, const std::function<void(std::string_view)>& write)
      : file_(std::move(file)), writer_(file_, write) {}

  Status Write() {
    PTEEDIT_TRY(FindType());
    PTEEDIT_TRY(WriteTables());
    for (const size_t segment : Separated(segments_)) PTEEDIT_TRY(WriteSegment(segment));
    return writer_.Gap(tables_.base == 0 ? file_->size() : std::max(tables_.base, SegmentsEnd()));
  }

  Status WriteRest() {
    if (is_labeled_) writer_.Label("segment_end");
    return writer_.Gap(file_->size());
  }

 private:
  uint64_t SegmentsEnd() const {
    const ExtendedHeader& header = *tables_.header;
    const bool fits = Fits(header.segment_base_offset, header.segment_data_size, file_->size());
    return fits ? header.segment_base_offset + header.segment_data_size : file_->size();
  }

  Status FindType() {
    const uint64_t head = std::min<uint64_t>(file_->size(), kHeadBytes);
    PTEEDIT_ASSIGN(head_, ReadBytes(*file_, 0, head));
    if (head >= kIdentifierEnd) identifier_.assign(head_.bytes.begin() + 4, head_.bytes.begin() + kIdentifierEnd);
    for (const RootType& root : kRootTypes) {
      if (identifier_ == root.identifier) type_ = root.type();
    }
    if (type_ == nullptr) return Unsupported("is no .pte, .ptd or .bpte file, which alone have an assembly");
    tables_ = TablesOf(head_.view(), identifier_, file_->size());
    if (tables_.end >= FLATBUFFERS_MAX_BUFFER_SIZE)
      return Unsupported(Text("tables have ", tables_.end, " bytes, ", FLATBUFFERS_MAX_BUFFER_SIZE, " are too many"));
    if (const Result<Container> opened = Container::Open(file_); opened) type_ = &RootTypeOf(*opened);
    return {};
  }

  Status WriteTables() {
    PTEEDIT_ASSIGN(const OwnedBytes bytes, ReadBytes(*file_, 0, tables_.end));
    const AssemblyPieces pieces(bytes.view(), kIdentifierEnd + tables_.header_bytes, *type_, "");
    segments_ = SegmentsOf(pieces, tables_, file_->size());
    AssemblySegments apart = segments_;
    Separated(apart);
    WriteHead(pieces);
    PTEEDIT_TRY(writer_.Pieces(pieces, apart));
    PTEEDIT_TRY(writer_.Gap(tables_.end));
    if (tables_.header) writer_.Label("tables_end");
    if (tables_.base == 0) return {};
    PTEEDIT_TRY(writer_.AlignTo(tables_.base));
    writer_.Label("segment_base");
    return {};
  }

  void WriteHead(const AssemblyPieces& pieces) {
    const uint64_t root = Load<uint32_t>(head_.bytes.data());
    const bool has_root = pieces.PieceAt(root).has_value();
    writer_.Line("bytes head");
    writer_.Words(has_root ? "  ref root" : "  u32 " + Hex(root), 4);
    writer_.Words(Text("  text \"", identifier_, '"'), 4);
    if (!tables_.header) return;
    const ExtendedHeader& header = *tables_.header;
    const bool is_data = identifier_ == "FT01";
    writer_.Words(is_data ? "  text \"FH01\"" : "  text \"eh00\"", 4);
    writer_.Words(Text("  u32 ", header.length, "  # bytes of this header"), 4);
    if (is_data) writer_.Words(Text("  u64 ", header.tables_offset, "  # where the tables begin"), 8);
    const bool ends = tables_.end == header.tables_offset + header.tables_size;
    const std::string from = header.tables_offset == 0 ? "" : Text(" - ", header.tables_offset);
    writer_.Words(Text("  u64 ", ends ? "tables_end" + from : Hex(header.tables_size), "  # bytes of the tables"), 8);
    const bool begins = tables_.base != 0;
    writer_.Words(Text("  u64 ", begins ? "segment_base" : Hex(header.segment_base_offset), "  # where segments begin"),
                  8);
    if (!is_data && header.length == kShortProgramHeaderLength) return;
    is_labeled_ = begins && Fits(header.segment_base_offset, header.segment_data_size, file_->size()) &&
                  std::ranges::all_of(segments_.extents, [this](const Extent& extent) {
                    return extent.offset + extent.size <= SegmentsEnd();
                  });
    writer_.Words(Text("  u64 ", is_labeled_ ? "segment_end - segment_base" : Hex(header.segment_data_size),
                       "  # bytes of all segments"),
                  8);
  }

  Status WriteSegment(size_t number) {
    const Extent& extent = segments_.extents[number];
    const std::string label = Text("segment[", number, ']');
    const uint64_t end = extent.offset + extent.size;
    if (extent.offset < writer_.at()) return {};
    if (extent.offset != tables_.base) PTEEDIT_TRY(writer_.AlignTo(extent.offset));
    PTEEDIT_ASSIGN(const bool is_graph, WriteXnnpack(extent, label));
    if (!is_graph) PTEEDIT_TRY(writer_.Bytes(label, extent.offset, end));
    writer_.Label(label + ".end");
    return {};
  }

  // A blob of XNNPACK: header, graph, constants. Says whether it is one.
  Result<bool> WriteXnnpack(const Extent& extent, const std::string& label) {
    if (extent.size < kBlobHeaderBytes) return false;
    PTEEDIT_ASSIGN(const OwnedBytes head, ReadBytes(*file_, extent.offset, kBlobHeaderBytes));
    const uint8_t* bytes = head.bytes.data();
    if (std::string_view(reinterpret_cast<const char*>(bytes) + 4, 4) != "XH00") return false;
    const Extent graph{Load<uint32_t>(bytes + 10), Load<uint32_t>(bytes + 14)};
    const Extent constants{Load<uint32_t>(bytes + 18), Load<uint64_t>(bytes + 22)};
    const bool is_sound = Fits(graph, extent.size) && graph.offset >= kBlobHeaderBytes &&
                          graph.size >= kIdentifierEnd && graph.size <= kMaxGraphBytes && Load<uint32_t>(bytes) == 0;
    if (!is_sound) return false;
    const uint64_t graph_end = graph.offset + graph.size;
    const bool has_constants = Fits(constants, extent.size) && constants.offset >= graph_end;
    PTEEDIT_TRY(writer_.Bytes(label, extent.offset, extent.offset));
    writer_.Words("  zeros 4", 4);
    writer_.Words("  text \"XH00\"", 4);
    writer_.Words(Text("  u16 ", Load<uint16_t>(bytes + 8), "  # bytes of this header"), 2);
    writer_.Words(Text("  u32 ", label, ".graph.head - ", label, "  # where the graph begins"), 4);
    writer_.Words(Text("  u32 ", label, ".graph.end - ", label, ".graph.head  # its bytes"), 4);
    const std::string begin = has_constants ? Text(label, ".constants - ", label) : Hex(constants.offset);
    writer_.Words(Text("  u32 ", begin, "  # where constants begin"), 4);
    const std::string size =
        has_constants ? Text(label, ".constants.end - ", label, ".constants") : Hex(constants.size);
    writer_.Words(Text("  u64 ", size, "  # their bytes"), 8);
    PTEEDIT_TRY(WriteGraph({extent.offset + graph.offset, graph.size}, label + ".graph"));
    if (has_constants) {
      const uint64_t offset = extent.offset + constants.offset;
      PTEEDIT_TRY(writer_.Bytes(label + ".constants", offset, offset + constants.size));
      writer_.Label(label + ".constants.end");
    }
    PTEEDIT_TRY(writer_.Gap(extent.offset + extent.size));
    return true;
  }

  Status WriteGraph(const Extent& extent, const std::string& label) {
    PTEEDIT_ASSIGN(const OwnedBytes bytes, ReadBytes(*file_, extent.offset, extent.size));
    const AssemblyPieces pieces(bytes.view(), kIdentifierEnd, *schema::xnnpack::XNNGraph::MiniReflectTypeTable(),
                                label);
    PTEEDIT_TRY(writer_.AlignTo(extent.offset));
    PTEEDIT_TRY(writer_.Bytes(label + ".head", extent.offset, extent.offset));
    const uint32_t root = Load<uint32_t>(bytes.bytes.data());
    const bool has_root = pieces.PieceAt(extent.offset + root).has_value();
    writer_.Words(has_root ? "  ref " + label : "  u32 " + Hex(root), 4);
    const std::string_view identifier(reinterpret_cast<const char*>(bytes.bytes.data()) + 4, 4);
    if (identifier == "XN00" || identifier == "XN01") writer_.Words(Text("  text \"", identifier, '"'), 4);
    PTEEDIT_TRY(writer_.Gap(extent.offset + kIdentifierEnd));
    PTEEDIT_TRY(writer_.Pieces(pieces, {}));
    PTEEDIT_TRY(writer_.Gap(extent.offset + extent.size));
    writer_.Label(label + ".end");
    return {};
  }

  std::shared_ptr<const Source> file_;
  AssemblyWriter writer_;
  OwnedBytes head_;
  std::string identifier_;
  const flatbuffers::TypeTable* type_ = nullptr;
  Tables tables_;
  AssemblySegments segments_;
  bool is_labeled_ = false;  // whether the header says where the segments end
};

}  // namespace

Status WriteAssembly(const std::shared_ptr<const Source>& file, const std::function<void(std::string_view)>& write) {
  Assembly assembly(file, write);
  Status written = assembly.Write();
  if (written) written = assembly.WriteRest();
  if (!written) return Error(written.error()).In(file->name());
  return {};
}

}  // namespace pteedit
