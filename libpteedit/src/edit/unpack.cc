#include "edit/unpack.h"

#include <algorithm>
#include <type_traits>

#include "base/checked.h"
#include "flatbuffers/flatbuffers.h"

namespace pteedit {
namespace {

constexpr uint32_t kSchemaBlobAlignment = 16;
constexpr uint32_t kSchemaProgramAlignment = 32;  // of the program inside a bundle
constexpr uint32_t kMaxBlobAlignment = 4096;

class Unpacker {
 public:
  Unpacker(ByteSpan tables, uint64_t most_alignment)
      : tables_(tables), most_alignment_(std::min(most_alignment, AlignmentOf(tables.size, kMaxBlobAlignment))) {}

  template <class Table>
  Table Unpack() const {
    return UnpackTable<Table>(*flatbuffers::GetRoot<flatbuffers::Table>(tables_.data));
  }

 private:
  template <class Table>
  Table UnpackTable(const flatbuffers::Table& from) const {
    Table to;
    Table::Fields(to, [&](int field, auto& value) { Read(from, Slot(field), value); });
    return to;
  }

  static flatbuffers::voffset_t Slot(int field) {
    return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, Number& value) const {
    value = from.GetField<Number>(slot, Number{});
  }

  template <class T>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Vector<T>& value) const {
    // Strings are vectors of characters with a zero behind; data() and size() are the same.
    if (const auto* found = from.GetPointer<const flatbuffers::Vector<T>*>(slot)) {
      value = tables::Vector<T>::View(reinterpret_cast<const T*>(found->Data()), found->size());
    }
  }

  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Blob& value) const {
    Read(from, slot, value.bytes);
    if (value.bytes.present()) value.alignment = ShownAlignment(value.bytes.data());
  }

  template <class Table>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, std::optional<Table>& value) const {
    if (const auto* found = from.GetPointer<const flatbuffers::Table*>(slot)) value = UnpackTable<Table>(*found);
  }

  template <class Table>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, tables::Children<Table>& value) const {
    using Offsets = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
    const auto* found = from.GetPointer<const Offsets*>(slot);
    if (found == nullptr) return;
    value.present = true;
    value.items.reserve(found->size());
    for (const flatbuffers::Table* item : *found) value.items.push_back(UnpackTable<Table>(*item));
  }

  template <class... Members>
  void Read(const flatbuffers::Table& from, flatbuffers::voffset_t slot, std::variant<Members...>& value) const {
    const auto tag =
        from.GetField<uint8_t>(static_cast<flatbuffers::voffset_t>(slot - sizeof(flatbuffers::voffset_t)), 0);
    if (const auto* found = from.GetPointer<const flatbuffers::Table*>(slot)) ReadMember<0>(*found, tag, value);
  }

  template <size_t I, class... Members>
  void ReadMember(const flatbuffers::Table& from, uint8_t tag, std::variant<Members...>& value) const {
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
  uint64_t most_alignment_;
};

}  // namespace

tables::Program UnpackProgram(ByteSpan tables, uint64_t most_alignment) {
  return Unpacker(tables, most_alignment).Unpack<tables::Program>();
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
