// The way through a verified flatbuffer, led by the type tables that flatc generates: each table, vector and string, as
// often as it is referred to.
#ifndef PTEEDIT_SRC_INSPECT_TABLE_VISIT_H_
#define PTEEDIT_SRC_INSPECT_TABLE_VISIT_H_

#include <cstdint>
#include <optional>

#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"
#include "pteedit/container.h"

namespace pteedit {

// How a piece was reached: from the root's field on, each the field of what `before` led to.
struct TableStep {
  const TableStep* before = nullptr;  // null: of the root
  const char* field = "";
  std::optional<uint32_t> index = {};  // of an element of the field's vector
};

const flatbuffers::TypeTable& RootTypeOf(const Container& file);

inline bool IsReference(flatbuffers::TypeCode code) {
  return code.is_repeating || code.base_type == flatbuffers::ET_STRING || code.base_type == flatbuffers::ET_SEQUENCE;
}
// Of a number, or a reference to something else.
inline uint64_t InlineBytes(flatbuffers::TypeCode code) {
  if (IsReference(code)) return sizeof(flatbuffers::uoffset_t);
  return flatbuffers::InlineSize(static_cast<flatbuffers::ElementaryType>(code.base_type), nullptr);
}
inline flatbuffers::voffset_t SlotOf(size_t field) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
}

// `Visitor` has functions of a place and the steps to it, null for the root: AtTable(table, type, step),
// AtVector(start, count, bytes of an element, step) and AtString(start, bytes with count and zero, step), each of which
// says whether that was all. The tables must have passed WalkTables for this type, which bounds the time as well.
template <class Visitor>
class TableVisit {
 public:
  explicit TableVisit(Visitor& visitor) : visitor_(visitor) {}

  bool Go(const flatbuffers::Table& table, const flatbuffers::TypeTable& type,  // NOLINT(misc-no-recursion): as deep
          const TableStep* step = nullptr) {                                    // as the schema
    if (visitor_.AtTable(table, type, step)) return true;
    for (size_t i = 0; i < type.num_elems; ++i) {
      const uint8_t* at = IsReference(type.type_codes[i]) ? table.GetAddressOf(SlotOf(i)) : nullptr;
      if (at == nullptr) continue;
      const TableStep next{step, type.names[i]};
      const uint8_t* target = at + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at);
      if (GoToField(table, target, type, i, next)) return true;
    }
    return false;
  }

 private:
  bool GoToField(const flatbuffers::Table& table, const uint8_t* target, const flatbuffers::TypeTable& type,
                 size_t field, const TableStep& step) {
    const flatbuffers::TypeCode code = type.type_codes[field];
    if (code.is_repeating) return GoToVector(target, type, code, step);
    if (code.base_type == flatbuffers::ET_STRING) return GoToString(target, step);
    // A single table, or the value of a union, whose tag is the field before it.
    const flatbuffers::TypeTable* child = type.type_refs[code.sequence_ref]();
    if (child->st == flatbuffers::ST_UNION) {
      const auto tag = table.GetField<uint8_t>(SlotOf(field - 1), 0);
      if (tag == 0 || tag >= child->num_elems || child->type_codes[tag].sequence_ref < 0) return false;
      child = child->type_refs[child->type_codes[tag].sequence_ref]();
    }
    return Go(*reinterpret_cast<const flatbuffers::Table*>(target), *child, &step);
  }

  bool GoToVector(const uint8_t* target, const flatbuffers::TypeTable& type, flatbuffers::TypeCode code,
                  const TableStep& step) {
    flatbuffers::TypeCode element = code;
    element.is_repeating = 0;
    const auto count = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target);
    if (visitor_.AtVector(target, count, InlineBytes(element), step)) return true;
    if (!IsReference(element)) return false;
    const uint8_t* at = target + sizeof(flatbuffers::uoffset_t);
    for (uint32_t i = 0; i < count; ++i, at += sizeof(flatbuffers::uoffset_t)) {
      const uint8_t* child = at + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at);
      const TableStep next{step.before, step.field, i};
      const bool is_string = code.base_type == flatbuffers::ET_STRING;
      if (is_string
              ? GoToString(child, next)
              : Go(*reinterpret_cast<const flatbuffers::Table*>(child), *type.type_refs[code.sequence_ref](), &next))
        return true;
    }
    return false;
  }

  bool GoToString(const uint8_t* target, const TableStep& step) {
    const uint64_t size = sizeof(flatbuffers::uoffset_t) + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(target) + 1;
    return visitor_.AtString(target, size, step);
  }

  Visitor& visitor_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_TABLE_VISIT_H_
