#include "program/table_walk.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::ReadScalar;
using flatbuffers::soffset_t;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

constexpr uint64_t kVtableSizes = 2 * sizeof(voffset_t);  // its own and the table's: what every vtable begins with
constexpr uint64_t kLongestOffset = FLATBUFFERS_MAX_BUFFER_SIZE;

// Table `at` keeps the places of its fields in its vtable.
struct TablePlace {
  uint64_t at = 0;
  uint64_t vtable = 0;
  voffset_t vtable_size = 0;
};

// How an error tells its place: the steps to it are put before this while the walk returns, so that they cost nothing
// where all is well.
Error DamagedAt(uint64_t offset, std::string what) {
  Error error = Malformed(std::move(what));
  error.where = Text("' at byte ", Hex(offset));
  return error;
}

Status Behind(const std::string& step, Status status) {
  if (!status && !status.error().where.empty()) {
    Error error = std::move(status).error();
    error.where.insert(0, step);
    return error;
  }
  return status;
}

// "field 'execution_plan[0].values[3].val' at byte 0x1a0" and what is wrong with it.
Error Placed(Error error) {
  if (error.where.empty()) return error;
  const bool is_root = error.where.starts_with('\'');
  error.where = is_root ? "root table" + error.where.substr(1) : "field '" + error.where.substr(1);
  error.message = error.where + " " + error.message;
  return error;
}

// The generated type tables hold field names but not table names; the name of the field that led there has to do.
class Walker {
 public:
  Walker(ByteSpan tables, const WalkLimits& limits) : tables_(tables), limits_(limits) {
    walk_.first_byte = tables.size;
  }

  Status VisitRoot(const TypeTable& type, const char* name) {
    PTEEDIT_ASSIGN(const uint64_t root, TargetOf(0));
    return VisitTable(root, type, name);
  }

  TableWalk Take() && { return std::move(walk_); }

 private:
  static size_t SlotOf(size_t field) { return flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(field)); }

  template <class Number>
  Number Read(uint64_t offset) const {
    return ReadScalar<Number>(tables_.data + offset);
  }

  // Where the field lies; 0 where it is absent.
  uint64_t PlaceOf(const TablePlace& table, size_t field) const {
    if (SlotOf(field) >= table.vtable_size) return 0;
    const auto offset = Read<voffset_t>(table.vtable + SlotOf(field));
    return offset == 0 ? 0 : table.at + offset;
  }

  void Touch(uint64_t begin, uint64_t size) {
    walk_.first_byte = std::min(walk_.first_byte, begin);
    walk_.end_byte = std::max(walk_.end_byte, begin + size);
  }

  std::string OutsideWords() const { return Text("outside the tables (", tables_.size, " bytes)"); }

  // A number of `size` bytes, which is read in place.
  Status CheckNumber(uint64_t at, uint64_t size) const {
    if (!Fits(at, size, tables_.size)) return DamagedAt(at, "is " + OutsideWords());
    if (at % size == 0) return {};
    return DamagedAt(at, Text("is not aligned: its place is no multiple of its size (", size, " bytes)"));
  }

  // Where the reference at `at` leads.
  Result<uint64_t> TargetOf(uint64_t at) const {
    const auto offset = Read<uoffset_t>(at);
    if (offset == 0) return DamagedAt(at, "leads to itself");
    if (offset <= kLongestOffset && Fits(at, offset, tables_.size - 1)) return at + offset;
    return DamagedAt(at, Text("leads to byte ", Hex(at + offset), ", ", OutsideWords()));
  }

  Result<TablePlace> ReadTable(uint64_t at) const {
    PTEEDIT_TRY(CheckNumber(at, sizeof(soffset_t)));
    const uint64_t vtable = at - static_cast<uint64_t>(int64_t{Read<soffset_t>(at)});
    if (!Fits(vtable, sizeof(voffset_t), tables_.size) || vtable % sizeof(voffset_t) != 0) {
      return DamagedAt(at, Text("has its vtable at byte ", Hex(vtable), ", an even place inside the tables (",
                                tables_.size, " bytes) expected"));
    }
    const auto size = Read<voffset_t>(vtable);
    if (size < kVtableSizes || size % sizeof(voffset_t) != 0) {
      return DamagedAt(at,
                       Text("has a vtable of ", size, " bytes, an even number from ", kVtableSizes, " on expected"));
    }
    if (Fits(vtable, size, tables_.size)) return TablePlace{at, vtable, size};
    return DamagedAt(at, Text("has a vtable that ends at byte ", Hex(vtable + size), ", ", OutsideWords()));
  }

  Status VisitTable(uint64_t at, const TypeTable& type, const char* name) {
    PTEEDIT_ASSIGN(const TablePlace table, ReadTable(at));
    Touch(table.vtable, table.vtable_size);
    Touch(table.at, Read<voffset_t>(table.vtable + sizeof(voffset_t)));
    PTEEDIT_TRY(NoteUnknownFields(table, type, name));
    for (size_t i = 0; i < type.num_elems; ++i) {
      if (Status status = VisitField(table, type, i); !status)
        return Behind(Text('.', type.names[i]), std::move(status));
    }
    return {};
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
  Status NoteUnknownFields(const TablePlace& table, const TypeTable& type, const char* name) {
    if (table.vtable_size <= SlotOf(type.num_elems) || !looked_at_.emplace(table.vtable, &type, name).second) return {};
    PTEEDIT_TRY(Unfold(table.vtable, table.vtable_size));
    for (size_t field = type.num_elems; SlotOf(field) < table.vtable_size; ++field) {
      if (PlaceOf(table, field) != 0) PTEEDIT_TRY(Note(Text("table ", Quoted(name), " has field ", field)));
    }
    return {};
  }

  Status Unfold(uint64_t start, uint64_t size) {
    Touch(start, size);
    walk_.unfolded_bytes += size;
    if (walk_.unfolded_bytes <= limits_.max_unfolded_bytes) return {};
    return Malformed(Text("tables (", tables_.size, " bytes) share parts so often that they would unfold to more than ",
                          limits_.max_unfolded_bytes, " bytes (ParseLimits::max_unfold_factor)"));
  }

  Status VisitField(const TablePlace& table, const TypeTable& type, size_t field) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    const uint64_t at = PlaceOf(table, field);
    if (at == 0) return {};
    const auto base = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const bool is_reference = code.is_repeating || base == flatbuffers::ET_STRING || base == flatbuffers::ET_SEQUENCE;
    PTEEDIT_TRY(CheckNumber(at, is_reference ? sizeof(uoffset_t) : flatbuffers::InlineSize(base, nullptr)));
    if (!is_reference) return {};
    PTEEDIT_ASSIGN(const uint64_t target, TargetOf(at));
    if (code.is_repeating) return VisitVector(target, type, field);
    if (base == flatbuffers::ET_SEQUENCE) return VisitSequence(table, target, type, field);
    PTEEDIT_ASSIGN(const uint64_t size, StringSize(target));
    return Unfold(target, size);
  }

  // Of a count and so many elements.
  Result<uint64_t> SizeOf(uint64_t target, uint64_t element) const {
    PTEEDIT_TRY(CheckNumber(target, sizeof(uoffset_t)));
    const uint64_t count = Read<uoffset_t>(target);
    const uint64_t size = sizeof(uoffset_t) + count * element;
    if (Fits(target, size, tables_.size)) return size;
    return DamagedAt(target, Text("has ", count, " elements up to byte ", Hex(target + size), ", ", OutsideWords()));
  }

  // With its count and the zero behind it.
  Result<uint64_t> StringSize(uint64_t target) const {
    PTEEDIT_ASSIGN(const uint64_t size, SizeOf(target, 1));
    if (Fits(target, size + 1, tables_.size) && tables_.data[target + size] == 0) return size + 1;
    return DamagedAt(target, Text("is a string of ", size - sizeof(uoffset_t), " bytes without a zero behind them"));
  }

  Status VisitVector(uint64_t target, const TypeTable& type, size_t field) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    const auto base = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const bool of_references = base == flatbuffers::ET_SEQUENCE || base == flatbuffers::ET_STRING;
    const uint64_t element = of_references ? sizeof(uoffset_t) : flatbuffers::InlineSize(base, nullptr);
    PTEEDIT_ASSIGN(const uint64_t size, SizeOf(target, element));
    const uint64_t first = target + sizeof(uoffset_t);
    // The verifier looks only at where the count is, but numbers are read in place.
    if (size > sizeof(uoffset_t) && first % element != 0) {
      return DamagedAt(first,
                       Text("is not aligned: its elements begin at no multiple of their size (", element, " bytes)"));
    }
    PTEEDIT_TRY(Unfold(target, size));
    if (!of_references) return {};
    for (uint64_t at = first; at < target + size; at += element) {
      if (Status status = VisitElement(at, type, field); !status) {
        return Behind(Text('[', (at - first) / element, ']'), std::move(status));
      }
    }
    return {};
  }

  Status VisitElement(uint64_t at, const TypeTable& type, size_t field) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    PTEEDIT_ASSIGN(const uint64_t target, TargetOf(at));
    if (code.base_type == flatbuffers::ET_STRING) {
      PTEEDIT_TRY(StringSize(target));
      return {};
    }
    return VisitTable(target, *type.type_refs[code.sequence_ref](), type.names[field]);
  }

  // A single table, or the value of a union, whose tag is the field before it.
  Status VisitSequence(const TablePlace& table, uint64_t target, const TypeTable& type, size_t field) {
    const TypeTable* child = type.type_refs[type.type_codes[field].sequence_ref]();
    if (child->st == flatbuffers::ST_UNION) {
      const uint64_t tag_place = PlaceOf(table, field - 1);
      const uint8_t tag = tag_place == 0 ? 0 : Read<uint8_t>(tag_place);
      if (tag >= child->num_elems) return Note(Text("union ", Quoted(type.names[field]), " has type ", tag));
      const flatbuffers::TypeCode member = child->type_codes[tag];
      if (tag == 0 || member.sequence_ref < 0) return {};
      child = child->type_refs[member.sequence_ref]();
    }
    return VisitTable(target, *child, type.names[field]);
  }

  ByteSpan tables_;
  const WalkLimits limits_;
  std::set<std::tuple<uint64_t, const TypeTable*, const char*>> looked_at_;  // vtables
  std::set<std::string> known_;                                              // what is in walk_.unknown
  TableWalk walk_;
};

}  // namespace

Result<TableWalk> WalkTables(ByteSpan tables, const TypeTable& root_type, const char* root_name,
                             const WalkLimits& limits) {
  Walker walker(tables, limits);
  if (const Status status = walker.VisitRoot(root_type, root_name); !status) return Placed(status.error());
  return std::move(walker).Take();
}

}  // namespace pteedit
