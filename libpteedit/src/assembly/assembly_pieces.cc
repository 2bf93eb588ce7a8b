#include "assembly/assembly_pieces.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "inspect/table_visit.h"

namespace pteedit {
namespace {

using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;
using Kind = AssemblyPiece::Kind;

constexpr uint32_t kFirstSlot = 2 * sizeof(voffset_t);  // behind the vtable's own size and the table's
constexpr size_t kMaxUnknownFields = 64;                // of one table; those of others are bytes

}  // namespace

bool FileBytes::Holds(uint64_t at, uint64_t size) const { return at >= base && Fits(at - base, size, bytes.size); }

AssemblyPieces::AssemblyPieces(const FileBytes& buffer, uint64_t head_bytes, const TypeTable& root_type,
                               std::string prefix)
    : buffer_(buffer), prefix_(std::move(prefix)), claimed_(buffer.bytes.size) {
  if (!Claim(buffer_.base, buffer_.base + head_bytes)) return;
  if (const uint64_t root = TargetOf(buffer_.base); root != 0) VisitTable(root, root_type, AssemblyPiece::kNone, 0);
  order_.resize(pieces_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::sort(order_, {}, [this](uint32_t piece) { return pieces_[piece].at; });
  GiveVtables();
}

// Tables share vtables. It is the one behind a vtable that has it, whichever was found first.
void AssemblyPieces::GiveVtables() {
  for (size_t i = 0; i + 1 < order_.size(); ++i) {
    const AssemblyPiece& vtable = pieces_[order_[i]];
    AssemblyPiece& table = pieces_[order_[i + 1]];
    if (vtable.kind != Kind::kVtable || table.kind != Kind::kTable || table.at != vtable.end()) continue;
    const TableFields found = FieldsOf(table.at, *table.type);
    if (!found.is_sound || found.vtable != vtable.at) continue;
    table.has_vtable = true;
    table.begin = vtable.at;
    order_[i] = AssemblyPiece::kNone;
  }
  std::erase(order_, AssemblyPiece::kNone);
}

bool AssemblyPieces::IsFree(uint64_t begin, uint64_t end) const {
  if (begin > end || !buffer_.Holds(begin, end - begin)) return false;
  const auto first = claimed_.begin() + static_cast<std::ptrdiff_t>(begin - buffer_.base);
  return std::none_of(first, first + static_cast<std::ptrdiff_t>(end - begin), [](bool one) { return one; });
}

bool AssemblyPieces::Claim(uint64_t begin, uint64_t end) {
  if (!IsFree(begin, end)) return false;
  const auto first = claimed_.begin() + static_cast<std::ptrdiff_t>(begin - buffer_.base);
  std::fill(first, first + static_cast<std::ptrdiff_t>(end - begin), true);
  return true;
}

uint64_t AssemblyPieces::TargetOf(uint64_t at) const {
  if (!buffer_.Holds(at, sizeof(uoffset_t))) return 0;
  const auto offset = buffer_.Read<uoffset_t>(at);
  return offset != 0 && buffer_.Holds(at + offset, sizeof(uoffset_t)) ? at + offset : 0;
}

uint32_t AssemblyPieces::Add(AssemblyPiece piece) {
  pieces_.push_back(piece);
  return static_cast<uint32_t>(pieces_.size() - 1);
}

TableFields AssemblyPieces::FieldsOf(uint64_t table, const TypeTable& type) const {
  TableFields found;
  found.vtable = table - static_cast<uint64_t>(int64_t{buffer_.Read<flatbuffers::soffset_t>(table)});
  if (found.vtable % sizeof(voffset_t) != 0 || !buffer_.Holds(found.vtable, kFirstSlot)) return found;
  const auto size = buffer_.Read<voffset_t>(found.vtable);
  const auto table_bytes = buffer_.Read<voffset_t>(found.vtable + sizeof(voffset_t));
  if (size < kFirstSlot || size % sizeof(voffset_t) != 0 || !buffer_.Holds(found.vtable, size)) return found;
  found.vtable_bytes = size;
  const size_t slots = size / sizeof(voffset_t) - 2;
  for (size_t i = 0; i < std::min(slots, type.num_elems + kMaxUnknownFields); ++i) {
    const auto offset = buffer_.Read<voffset_t>(found.vtable + SlotOf(i));
    const uint64_t bytes = i < type.num_elems ? InlineBytes(type.type_codes[i]) : 1;
    if (offset != 0) found.fields.push_back({offset, static_cast<uint16_t>(i), static_cast<uint32_t>(bytes)});
  }
  const size_t claimed = found.fields.size();
  std::ranges::stable_sort(found.fields, {}, &TableField::offset);
  uint64_t end = sizeof(flatbuffers::soffset_t);
  std::erase_if(found.fields, [&](const TableField& field) {
    const bool can_be = field.offset >= end && buffer_.Holds(table + field.offset, field.bytes);
    if (can_be) end = field.offset + field.bytes;
    return !can_be;
  });
  const bool fits = table_bytes >= end && buffer_.Holds(table, table_bytes);
  found.table_bytes = fits ? table_bytes : static_cast<uint32_t>(end);
  found.is_sound = fits && found.fields.size() == claimed && slots <= type.num_elems + kMaxUnknownFields;
  for (size_t i = 0; i < found.fields.size(); ++i) {
    TableField& field = found.fields[i];
    if (field.slot < type.num_elems) continue;
    field.bytes = (i + 1 < found.fields.size() ? found.fields[i + 1].offset : found.table_bytes) - field.offset;
  }
  return found;
}

void AssemblyPieces::VisitTable(uint64_t at, const TypeTable& type, uint32_t parent, uint32_t place) {
  const TableFields found = FieldsOf(at, type);
  if (!Claim(at, at + found.table_bytes)) return;
  AssemblyPiece piece;
  piece.at = piece.begin = at;
  piece.bytes = found.table_bytes;
  piece.parent = parent;
  piece.place = place;
  piece.type = &type;
  const bool claims_vtable = found.vtable_bytes != 0 && Claim(found.vtable, found.vtable + found.vtable_bytes);
  piece.has_vtable = claims_vtable && found.is_sound && found.vtable + found.vtable_bytes == at;
  if (piece.has_vtable) piece.begin = found.vtable;
  const uint32_t table = Add(piece);
  if (claims_vtable && !piece.has_vtable) {
    AssemblyPiece vtable;
    vtable.kind = Kind::kVtable;
    vtable.at = vtable.begin = found.vtable;
    vtable.bytes = found.vtable_bytes;
    vtable.parent = table;
    Add(vtable);
  }
  for (const TableField& field : found.fields) {
    const bool refers = field.slot < type.num_elems && IsReference(type.type_codes[field.slot]);
    if (refers) VisitField(table, at + field.offset, field.slot);
  }
}

// Null where nothing is known of it.
const TypeTable* AssemblyPieces::ChildType(uint32_t table, const TypeTable& type, size_t field) const {
  const TypeTable* child = type.type_refs[type.type_codes[field].sequence_ref]();
  if (child->st != flatbuffers::ST_UNION) return child;
  // The tag is the field before it.
  const uint64_t at = pieces_[table].at;
  for (const TableField& tag : FieldsOf(at, type).fields) {
    if (tag.slot + size_t{1} != field) continue;
    const auto number = buffer_.Read<uint8_t>(at + tag.offset);
    const bool is_known = number < child->num_elems && child->type_codes[number].sequence_ref >= 0;
    return is_known ? child->type_refs[child->type_codes[number].sequence_ref]() : nullptr;
  }
  return nullptr;
}

void AssemblyPieces::VisitField(uint32_t table, uint64_t at, size_t field) {
  const uint64_t target = TargetOf(at);
  const TypeTable& type = *pieces_[table].type;
  const flatbuffers::TypeCode code = type.type_codes[field];
  if (target == 0) return;
  if (code.is_repeating) return VisitVector(target, type, field, table);
  if (code.base_type == flatbuffers::ET_STRING) return VisitString(target, table, static_cast<uint32_t>(field));
  if (const TypeTable* child = ChildType(table, type, field); child != nullptr)
    VisitTable(target, *child, table, static_cast<uint32_t>(field));
}

void AssemblyPieces::VisitString(uint64_t at, uint32_t parent, uint32_t place) {
  AssemblyPiece piece;
  piece.kind = Kind::kString;
  piece.at = piece.begin = at;
  piece.parent = parent;
  piece.place = place;
  const uint64_t bytes = sizeof(uoffset_t) + buffer_.Read<uoffset_t>(at) + uint64_t{1};
  const bool ends = buffer_.Holds(at, bytes) && buffer_.Read<uint8_t>(at + bytes - 1) == 0;
  if (!ends || !Claim(at, at + bytes)) return;
  piece.bytes = static_cast<uint32_t>(bytes);
  Add(piece);
}

void AssemblyPieces::VisitVector(uint64_t at, const TypeTable& type, size_t field, uint32_t parent) {
  flatbuffers::TypeCode element = type.type_codes[field];
  element.is_repeating = 0;
  const uint64_t count = buffer_.Read<uoffset_t>(at), first = at + sizeof(uoffset_t);
  AssemblyPiece piece;
  piece.kind = IsReference(element) ? Kind::kReferences : Kind::kVector;
  piece.element_bytes = static_cast<uint8_t>(InlineBytes(element));
  piece.at = piece.begin = at;
  piece.parent = parent;
  piece.place = static_cast<uint32_t>(field);
  piece.type = &type;
  const uint64_t end = first + count * piece.element_bytes;
  if (!Claim(at, end)) return;
  piece.bytes = static_cast<uint32_t>(end - at);
  const uint32_t vector = Add(piece);
  if (!IsReference(element)) return;
  const TypeTable* child =
      element.base_type == flatbuffers::ET_STRING ? nullptr : type.type_refs[element.sequence_ref]();
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t target = TargetOf(first + i * sizeof(uoffset_t));
    if (target == 0) continue;
    if (child == nullptr) VisitString(target, vector, i);
    if (child != nullptr) VisitTable(target, *child, vector, i);
  }
}

std::string AssemblyPieces::LabelOf(uint32_t piece) const {
  const AssemblyPiece& one = pieces_[piece];
  if (one.parent == AssemblyPiece::kNone) return prefix_.empty() ? "root" : prefix_;
  if (one.kind == Kind::kVtable) return LabelOf(one.parent) + ".vtable";
  if (pieces_[one.parent].kind == Kind::kReferences) return Text(LabelOf(one.parent), '[', one.place, ']');
  return LabelOfField(one.parent, one.place);
}

std::string AssemblyPieces::LabelOfField(uint32_t table, size_t slot) const {
  const AssemblyPiece& one = pieces_[table];
  const std::string before = one.parent == AssemblyPiece::kNone ? prefix_ : LabelOf(table);
  return Text(before, before.empty() ? "" : ".", one.type->names[slot]);
}

std::optional<uint32_t> AssemblyPieces::PieceAt(uint64_t at) const {
  const auto found = std::ranges::lower_bound(order_, at, {}, [this](uint32_t piece) { return pieces_[piece].at; });
  if (found == order_.end() || pieces_[*found].at != at) return std::nullopt;
  return *found;
}

std::optional<uint32_t> AssemblyPieces::VtableAt(uint64_t at) const {
  const auto found = std::ranges::lower_bound(order_, at, {}, [this](uint32_t piece) { return pieces_[piece].at; });
  if (found == order_.end() || pieces_[*found].begin != at) return std::nullopt;
  const AssemblyPiece& one = pieces_[*found];
  if (one.kind != Kind::kVtable && !one.has_vtable) return std::nullopt;
  return *found;
}

}  // namespace pteedit
