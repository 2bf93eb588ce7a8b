#include "pteedit/locate.h"

#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "inspect/field_search.h"
#include "inspect/table_visit.h"
#include "program/extended_header.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool Holds(const Extent& extent, uint64_t offset) {
  return offset >= extent.offset && offset - extent.offset < extent.size;
}

// Goes down to the innermost node that has the byte: one at each level, since bytes that several claim have one owner.
bool Descend(const SizeNode& node, uint64_t offset, BytePlace& place) {
  const std::optional<Extent> piece = PiecesOf(node).With(offset);
  if (!piece) return false;
  place.components.push_back(node.name);
  place.extent = node.place && Holds(*node.place, offset) ? *node.place : *piece;
  for (const SizeNode& component : node.components) {
    if (Descend(component, offset, place)) break;
  }
  return true;
}

// In a file that is no bundle or of which the byte is in no program.
std::optional<FieldPlace> FieldAt(const Container& file, uint64_t offset) {
  constexpr uint64_t kRootOffsetBytes = 4;
  if (file.kind() == FileKind::kNative) return std::nullopt;
  const FileHeader& header = file.header();
  if (offset < kRootOffsetBytes) return FieldPlace{"(root offset)", {0, kRootOffsetBytes}};
  if (offset < kExtendedHeaderOffset)
    return FieldPlace{"(identifier)", {kRootOffsetBytes, kExtendedHeaderOffset - kRootOffsetBytes}};
  const Extent extended{kExtendedHeaderOffset, header.has_extended_header ? header.extended_header_length : 0};
  if (Holds(extended, offset)) return FieldPlace{"(extended header)", extended};
  if (offset >= file.tables().size) return std::nullopt;
  return FindField(file.tables(), RootTypeOf(file), offset);
}

}  // namespace

Result<BytePlace> LocateByte(const Container& file, uint64_t offset) {
  if (offset >= file.source()->size()) {
    return InvalidArgument(Text("has no byte ", Hex(offset), ", only ", Hex(file.source()->size()))).In(file.name());
  }
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file, {.look_inside = true, .has_references = false}));
  BytePlace place;
  Descend(sizes, offset, place);
  place.components.erase(place.components.begin());  // the file
  const bool is_inside = file.program() != nullptr && Holds(file.program_extent(), offset);
  const uint64_t start = is_inside ? file.program_extent().offset : 0;
  if (auto field = FieldAt(is_inside ? *file.program() : file, offset - start)) {
    place.field = std::move(field->path);
    place.extent = {field->extent.offset + start, field->extent.size};
  }
  return place;
}

}  // namespace pteedit
