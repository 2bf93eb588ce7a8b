#include "inspect/field_search.h"

#include "base/text.h"
#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"

namespace pteedit {
namespace {

using flatbuffers::ReadScalar;
using flatbuffers::Table;
using flatbuffers::TypeCode;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

class FieldSearch {
 public:
  FieldSearch(ByteSpan tables, uint64_t offset) : tables_(tables), offset_(offset) {}

  // Whether the byte is in the table or what it refers to; then found() tells where.
  bool InTable(const Table& table, const TypeTable& type, const std::string& path) {
    const uint8_t* vtable = table.GetVTable();
    const uint8_t* start = reinterpret_cast<const uint8_t*>(&table);
    if (Holds(start, sizeof(flatbuffers::soffset_t)) || Holds(vtable, ReadScalar<voffset_t>(vtable))) {
      const bool is_vtable = Holds(vtable, ReadScalar<voffset_t>(vtable));
      return is_vtable ? Found(path + "(vtable)", vtable, ReadScalar<voffset_t>(vtable))
                       : Found(path + "(vtable)", start, sizeof(flatbuffers::soffset_t));
    }
    for (size_t i = 0; i < type.num_elems; ++i) {
      const uint8_t* at = table.GetAddressOf(SlotOf(i));
      if (at != nullptr && InField(table, at, type, i, (path.empty() ? "" : path + ".") + type.names[i])) return true;
    }
    return false;
  }

  const FieldPlace& found() const { return found_; }

 private:
  static voffset_t SlotOf(size_t field) { return flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(field)); }

  uint64_t PlaceOf(const uint8_t* address) const { return static_cast<uint64_t>(address - tables_.data); }

  bool Holds(const uint8_t* start, uint64_t size) const {
    return offset_ >= PlaceOf(start) && offset_ - PlaceOf(start) < size;
  }

  bool Found(std::string path, const uint8_t* start, uint64_t size) {
    found_ = {std::move(path), {PlaceOf(start), size}};
    return true;
  }

  bool InField(const Table& table, const uint8_t* at, const TypeTable& type, size_t field, const std::string& path) {
    const TypeCode code = type.type_codes[field];
    const auto base = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const bool is_reference = code.is_repeating || base == flatbuffers::ET_STRING || base == flatbuffers::ET_SEQUENCE;
    const uint64_t size = is_reference ? sizeof(uoffset_t) : flatbuffers::InlineSize(base, nullptr);
    if (Holds(at, size)) return Found(path, at, size);
    if (!is_reference) return false;
    const uint8_t* target = at + ReadScalar<uoffset_t>(at);
    if (code.is_repeating) return InVector(target, type, field, path);
    if (base == flatbuffers::ET_STRING) return InString(target, path);
    return InSequence(table, target, type, field, path);
  }

  bool InString(const uint8_t* target, const std::string& path) {
    const uint64_t size = sizeof(uoffset_t) + ReadScalar<uoffset_t>(target) + 1;
    return Holds(target, size) && Found(path, target, size);
  }

  bool InVector(const uint8_t* target, const TypeTable& type, size_t field, const std::string& path) {
    const TypeCode code = type.type_codes[field];
    const auto base = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const bool of_references = base == flatbuffers::ET_SEQUENCE || base == flatbuffers::ET_STRING;
    const uint64_t element = of_references ? sizeof(uoffset_t) : flatbuffers::InlineSize(base, nullptr);
    const auto count = ReadScalar<uoffset_t>(target);
    if (Holds(target, sizeof(uoffset_t))) return Found(path, target, sizeof(uoffset_t));
    const uint8_t* first = target + sizeof(uoffset_t);
    if (Holds(first, count * element)) {
      const uint64_t index = (offset_ - PlaceOf(first)) / element;
      return Found(Text(path, '[', index, ']'), first + index * element, element);
    }
    if (!of_references) return false;
    for (uoffset_t i = 0; i < count; ++i) {
      const uint8_t* at = first + i * element;
      const uint8_t* child = at + ReadScalar<uoffset_t>(at);
      const std::string name = Text(path, '[', i, ']');
      const bool is_inside = base == flatbuffers::ET_STRING ? InString(child, name)
                                                            : InTable(*reinterpret_cast<const Table*>(child),
                                                                      *type.type_refs[code.sequence_ref](), name);
      if (is_inside) return true;
    }
    return false;
  }

  // A single table, or the value of a union, whose tag is the field before it.
  bool InSequence(const Table& table, const uint8_t* target, const TypeTable& type, size_t field,
                  const std::string& path) {
    const TypeTable* child = type.type_refs[type.type_codes[field].sequence_ref]();
    if (child->st == flatbuffers::ST_UNION) {
      const auto tag = table.GetField<uint8_t>(SlotOf(field - 1), 0);
      if (tag == 0 || tag >= child->num_elems) return false;
      const TypeCode member = child->type_codes[tag];
      if (member.sequence_ref < 0) return false;
      child = child->type_refs[member.sequence_ref]();
    }
    return InTable(*reinterpret_cast<const Table*>(target), *child, path);
  }

  ByteSpan tables_;
  uint64_t offset_;
  FieldPlace found_;
};

}  // namespace

std::optional<FieldPlace> FindField(ByteSpan tables, const TypeTable& root_type, uint64_t offset) {
  FieldSearch search(tables, offset);
  if (!search.InTable(*flatbuffers::GetRoot<Table>(tables.data), root_type, "")) return std::nullopt;
  return search.found();
}

}  // namespace pteedit
