#include "edit/unpack.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/checked.h"
#include "flatbuffers/flatbuffers.h"

namespace pteedit {
namespace {

constexpr size_t kTableAlignment = sizeof(flatbuffers::soffset_t);
constexpr uint32_t kSchemaBlobAlignment = 16;
constexpr uint32_t kSchemaProgramAlignment = 32;  // of the program inside a bundle
constexpr uint32_t kMaxBlobAlignment = 4096;

class Unpacker {
 public:
  Unpacker(ByteSpan tables, uint64_t most_alignment)
      : tables_(tables),
        is_met_(static_cast<size_t>(tables.size / kTableAlignment + 1)),
        most_alignment_(std::min(most_alignment, AlignmentOf(tables.size, kMaxBlobAlignment))) {}

  template <class Table>
  Table Unpack() {
    return UnpackTable<Table>(*flatbuffers::GetRoot<flatbuffers::Table>(tables_.data));
  }
  // Whether any table was met twice.
  bool met_twice() const { return met_twice_; }

 private:
  template <class Table>
  Table UnpackTable(const flatbuffers::Table& from) {
    const auto place = static_cast<size_t>(reinterpret_cast<const uint8_t*>(&from) - tables_.data);
    met_twice_ = met_twice_ || is_met_[place / kTableAlignment];
    is_met_[place / kTableAlignment] = true;
    Table to;
    Table::Fields(to, [&](int field, auto& value) { Read(from, Slot(field), value); });
    return to;
  }

  static flatbuffers::voffset_t Slot(int field) {
    return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, Number& value) {
    value = from.GetField<Number>(slot, Number{});
  }

  template <class T>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Vector<T>& value) {
    // Strings are vectors of characters with a zero behind; data() and size() are the same.
    if (const auto* found = from.GetPointer<const flatbuffers::Vector<T>*>(slot)) {
      value = tables::Vector<T>::View(reinterpret_cast<const T*>(found->Data()), found->size());
    }
  }

  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Blob& value) {
    Read(from, slot, value.bytes);
    if (value.bytes.present()) value.alignment = ShownAlignment(value.bytes.data());
  }

  template <tables::Optional Child>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, Child& value) {
    if (const auto* found = from.GetPointer<const flatbuffers::Table*>(slot))
      value.emplace(UnpackTable<typename Child::value_type>(*found));
  }

  template <class Table>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Children<Table>& value) {
    using Offsets = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
    const auto* found = from.GetPointer<const Offsets*>(slot);
    if (found == nullptr) return;
    value.present = true;
    value.items.reserve(found->size());
    for (const flatbuffers::Table* item : *found) value.items.push_back(UnpackTable<Table>(*item));
  }

  template <class... Members>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, std::variant<Members...>& value) {
    const auto tag =
        from.GetField<uint8_t>(static_cast<flatbuffers::voffset_t>(slot - sizeof(flatbuffers::voffset_t)), 0);
    if (const auto* found = from.GetPointer<const flatbuffers::Table*>(slot)) ReadMember<0>(*found, tag, value);
  }

  template <size_t I, class... Members>
  void ReadMember(const flatbuffers::Table& from, uint8_t tag, std::variant<Members...>& value) {
    if constexpr (I < sizeof...(Members)) {
      using Member = std::variant_alternative_t<I, std::variant<Members...>>;
      if (tag != I) return ReadMember<I + 1>(from, tag, value);
      if constexpr (!std::is_same_v<Member, std::monostate>) value.template emplace<I>(UnpackTable<Member>(from));
    }
  }

  // Alignments are not stored. A builder that was asked for one pads the whole buffer to a multiple of it: more is
  // chance.
  uint32_t ShownAlignment(const uint8_t* data) const {
    const uint64_t place = static_cast<uint64_t>(data - tables_.data);
    return static_cast<uint32_t>(std::max<uint64_t>(kSchemaBlobAlignment, AlignmentOf(place, most_alignment_)));
  }

  ByteSpan tables_;
  std::vector<bool> is_met_;  // of each place where a table can be: that there is one, which something refers to
  bool met_twice_ = false;
  uint64_t most_alignment_;
};

}  // namespace

tables::Program UnpackProgram(ByteSpan tables, uint64_t most_alignment) {
  Unpacker unpacker(tables, most_alignment);
  tables::Program program = unpacker.Unpack<tables::Program>();
  program.shares_tables = unpacker.met_twice();
  return program;
}

tables::FlatTensor UnpackFlatTensor(ByteSpan tables) {
  return Unpacker(tables, kSchemaBlobAlignment).Unpack<tables::FlatTensor>();
}

tables::BundledProgram UnpackBundledProgram(ByteSpan tables) {
  // No exporter asks for more than the schema, so more is chance here.
  tables::BundledProgram bundle = Unpacker(tables, kSchemaBlobAlignment).Unpack<tables::BundledProgram>();
  bundle.program = {tables::Vector<uint8_t>::Own({}), kSchemaProgramAlignment};
  return bundle;
}

}  // namespace pteedit
