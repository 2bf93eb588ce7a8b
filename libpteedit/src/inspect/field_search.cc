#include "inspect/field_search.h"

#include "base/text.h"
#include "inspect/table_visit.h"

namespace pteedit {
namespace {

using flatbuffers::ReadScalar;
using flatbuffers::uoffset_t;
using flatbuffers::voffset_t;

std::string PathOf(const TableStep* step) {
  if (step == nullptr) return "";
  const std::string before = PathOf(step->before);
  return Text(before, before.empty() ? "" : ".", step->field, step->index ? Text('[', *step->index, ']') : "");
}

class FieldSearch {
 public:
  FieldSearch(ByteSpan tables, uint64_t offset) : tables_(tables), offset_(offset) {}

  bool AtTable(const flatbuffers::Table& table, const flatbuffers::TypeTable& type, const TableStep* step) {
    const uint8_t* vtable = table.GetVTable();
    const uint8_t* start = reinterpret_cast<const uint8_t*>(&table);
    if (Holds(vtable, ReadScalar<voffset_t>(vtable)))
      return Found(PathOf(step) + "(vtable)", vtable, ReadScalar<voffset_t>(vtable));
    if (Holds(start, sizeof(flatbuffers::soffset_t)))
      return Found(PathOf(step) + "(vtable)", start, sizeof(flatbuffers::soffset_t));
    for (size_t i = 0; i < type.num_elems; ++i) {
      const uint8_t* at = table.GetAddressOf(SlotOf(i));
      const uint64_t size = InlineBytes(type.type_codes[i]);
      const TableStep field{step, type.names[i]};
      if (at != nullptr && Holds(at, size)) return Found(PathOf(&field), at, size);
    }
    return false;
  }

  bool AtVector(const uint8_t* start, uint32_t count, uint64_t element, const TableStep& step) {
    if (Holds(start, sizeof(uoffset_t))) return Found(PathOf(&step), start, sizeof(uoffset_t));
    const uint8_t* first = start + sizeof(uoffset_t);
    if (!Holds(first, count * element)) return false;
    const uint64_t index = (offset_ - PlaceOf(first)) / element;
    return Found(Text(PathOf(&step), '[', index, ']'), first + index * element, element);
  }

  bool AtString(const uint8_t* start, uint64_t size, const TableStep& step) {
    return Holds(start, size) && Found(PathOf(&step), start, size);
  }

  const FieldPlace& found() const { return found_; }

 private:
  uint64_t PlaceOf(const uint8_t* address) const { return static_cast<uint64_t>(address - tables_.data); }

  bool Holds(const uint8_t* start, uint64_t size) const {
    return offset_ >= PlaceOf(start) && offset_ - PlaceOf(start) < size;
  }

  bool Found(std::string path, const uint8_t* start, uint64_t size) {
    found_ = {std::move(path), {PlaceOf(start), size}};
    return true;
  }

  ByteSpan tables_;
  uint64_t offset_;
  FieldPlace found_;
};

}  // namespace

std::optional<FieldPlace> FindField(ByteSpan tables, const flatbuffers::TypeTable& root_type, uint64_t offset) {
  FieldSearch search(tables, offset);
  if (!TableVisit(search).Go(*flatbuffers::GetRoot<flatbuffers::Table>(tables.data), root_type)) return std::nullopt;
  return search.found();
}

}  // namespace pteedit
