#include "program/table_walk.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::TypeTable;

constexpr size_t kMinVtableBytes = 2 * sizeof(flatbuffers::voffset_t);  // its own size and the table's

// The generated type tables hold field names but not table names; the name of the field that led there has to do.
class Walker {
 public:
  Walker(ByteSpan tables, const WalkLimits& limits) : tables_(tables), limits_(limits) {
    walk_.first_byte = tables.size;
  }

  Status VisitTable(const flatbuffers::Table& table, const TypeTable& type, const char* name) {
    const uint8_t* start = reinterpret_cast<const uint8_t*>(&table);
    const uint8_t* vtable = table.GetVTable();
    const auto vtable_size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
    // The verifier is content with less than the two sizes that every vtable begins with.
    if (vtable_size < kMinVtableBytes) {
      return Malformed(Text("table ", Quoted(name), " has a vtable of ", vtable_size, " bytes, at least ",
                            kMinVtableBytes, " expected"));
    }
    Touch(vtable, vtable_size);
    Touch(start, flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + sizeof(flatbuffers::voffset_t)));
    PTEEDIT_TRY(NoteUnknownFields(table, type, name));
    for (size_t i = 0; i < type.num_elems; ++i) PTEEDIT_TRY(VisitField(table, type, i));
    return {};
  }

  TableWalk Take() && { return std::move(walk_); }

 private:
  static flatbuffers::voffset_t SlotOf(size_t field) {
    return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
  }

  void Touch(const uint8_t* start, uint64_t size) {
    const uint64_t begin = static_cast<uint64_t>(start - tables_.data);
    walk_.first_byte = std::min(walk_.first_byte, begin);
    walk_.end_byte = std::max(walk_.end_byte, begin + size);
  }

  Status Note(std::string finding) {
    if (!known_.insert(finding).second) return {};
    if (walk_.unknown.size() == limits_.max_unknown) {
      return Unsupported(Text("tables have more than ", limits_.max_unknown,
                              " fields and types that this version does not know (ParseLimits::max_unknown_fields)"));
    }
    walk_.unknown.push_back(std::move(finding));
    return {};
  }

  // Tables share vtables, and vtables bytes: each is looked through once, and counts like what is unfolded.
  Status NoteUnknownFields(const flatbuffers::Table& table, const TypeTable& type, const char* name) {
    const uint8_t* vtable = table.GetVTable();
    const auto vtable_size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
    if (vtable_size <= SlotOf(type.num_elems) || !looked_at_.emplace(vtable, &type, name).second) return {};
    PTEEDIT_TRY(Unfold(vtable, vtable_size));
    for (size_t field = type.num_elems; SlotOf(field) < vtable_size; ++field) {
      if (table.GetOptionalFieldOffset(SlotOf(field)) == 0) continue;
      PTEEDIT_TRY(Note(Text("table ", Quoted(name), " has field ", field)));
    }
    return {};
  }

  Status Unfold(const uint8_t* start, uint64_t size) {
    Touch(start, size);
    walk_.unfolded_bytes += size;
    if (walk_.unfolded_bytes <= limits_.max_unfolded_bytes) return {};
    return Malformed(Text("tables (", tables_.size, " bytes) share parts so often that they would unfold to more than ",
                          limits_.max_unfolded_bytes, " bytes (ParseLimits::max_unfold_factor)"));
  }

  Status VisitField(const flatbuffers::Table& table, const TypeTable& type, size_t field) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    const uint8_t* at = table.GetAddressOf(SlotOf(field));
    if (at == nullptr) return {};
    const bool is_reference =
        code.is_repeating || code.base_type == flatbuffers::ET_STRING || code.base_type == flatbuffers::ET_SEQUENCE;
    if (!is_reference) return {};
    const uint8_t* target = at + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at);
    if (code.is_repeating) return VisitVector(target, type, field);
    if (code.base_type == flatbuffers::ET_STRING) return VisitString(target);
    return VisitSequence(table, target, type, field);
  }

  Status VisitString(const uint8_t* target) {
    return Unfold(target, sizeof(flatbuffers::uoffset_t) + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target) + 1);
  }

  Status VisitVector(const uint8_t* target, const TypeTable& type, size_t field) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    const auto base = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const auto count = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target);
    const bool of_references = base == flatbuffers::ET_SEQUENCE || base == flatbuffers::ET_STRING;
    const uint64_t element = of_references ? sizeof(flatbuffers::uoffset_t) : flatbuffers::InlineSize(base, nullptr);
    const uint64_t first = static_cast<uint64_t>(target - tables_.data) + sizeof(flatbuffers::uoffset_t);
    // The verifier looks only at where the count is, but numbers are read in place.
    if (count != 0 && first % element != 0) {
      return Malformed(Text("vector ", Quoted(type.names[field]), " has its elements at byte ", Hex(first),
                            ", no multiple of their size (", element, " bytes)"));
    }
    PTEEDIT_TRY(Unfold(target, sizeof(flatbuffers::uoffset_t) + count * element));
    if (base != flatbuffers::ET_SEQUENCE) return {};
    const TypeTable& child_type = *type.type_refs[code.sequence_ref]();
    for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
      const uint8_t* at = target + sizeof(flatbuffers::uoffset_t) * (i + 1);
      const uint8_t* child = at + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at);
      PTEEDIT_TRY(VisitTable(*reinterpret_cast<const flatbuffers::Table*>(child), child_type, type.names[field]));
    }
    return {};
  }

  // A single table, or the value of a union, whose tag is the field before it.
  Status VisitSequence(const flatbuffers::Table& table, const uint8_t* target, const TypeTable& type, size_t field) {
    const TypeTable* child = type.type_refs[type.type_codes[field].sequence_ref]();
    if (child->st == flatbuffers::ST_UNION) {
      const auto tag = table.GetField<uint8_t>(SlotOf(field - 1), 0);
      if (tag >= child->num_elems) return Note(Text("union ", Quoted(type.names[field]), " has type ", tag));
      const flatbuffers::TypeCode member = child->type_codes[tag];
      if (tag == 0 || member.sequence_ref < 0) return {};
      child = child->type_refs[member.sequence_ref]();
    }
    return VisitTable(*reinterpret_cast<const flatbuffers::Table*>(target), *child, type.names[field]);
  }

  ByteSpan tables_;
  const WalkLimits limits_;
  std::set<std::tuple<const uint8_t*, const TypeTable*, const char*>> looked_at_;  // vtables
  std::set<std::string> known_;                                                    // what is in walk_.unknown
  TableWalk walk_;
};

}  // namespace

Result<TableWalk> WalkTables(ByteSpan tables, const TypeTable& root_type, const char* root_name,
                             const WalkLimits& limits) {
  Walker walker(tables, limits);
  PTEEDIT_TRY(walker.VisitTable(*flatbuffers::GetRoot<flatbuffers::Table>(tables.data), root_type, root_name));
  return std::move(walker).Take();
}

}  // namespace pteedit
