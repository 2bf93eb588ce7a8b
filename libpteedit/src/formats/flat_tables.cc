#include "formats/flat_tables.h"

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"

namespace pteedit {
namespace {

constexpr uint64_t kTableBytes = 8;        // what one table takes at least: its own offset and a reference to it
constexpr uint64_t kFreeTables = 1 << 16;  // small files may share some
constexpr uint32_t kFieldListHead = 4;     // its own size and that of the table, u16 each

}  // namespace

FlatTables::FlatTables(ByteSpan file, Extent buffer, const char* what)
    : file_(file), buffer_(buffer), what_(what), tables_left_(buffer.size / kTableBytes + kFreeTables) {}

Status FlatTables::status() const {
  if (error_) return *error_;
  return {};
}

FlatTables::Table FlatTables::Root() { return Enter(buffer_.offset); }

std::string_view FlatTables::GetText(Table table, uint32_t field) {
  const Vector letters = GetVector(table, field, 1);
  const uint8_t* bytes = letters ? Bytes(letters.at + sizeof(uint32_t), letters.count) : nullptr;
  return bytes == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(bytes), letters.count);
}

FlatTables::Vector FlatTables::GetVector(Table table, uint32_t field, uint64_t element_size) {
  const Table start = GetTable(table, field);
  if (!start) return {};
  const Vector vector{start.at, Read<uint32_t>(start.at)};
  return Bytes(vector.at + sizeof(uint32_t), vector.count * element_size) == nullptr ? Vector() : vector;
}

FlatTables::Table FlatTables::TableAt(Vector vector, uint32_t index) {
  return Enter(vector.at + sizeof(uint32_t) + uint64_t{index} * sizeof(uint32_t));
}

Extent FlatTables::PlaceOf(Table table) {
  if (!table) return {};
  const auto size = Read<uint16_t>(FieldsOf(table) + sizeof(uint16_t));
  return Bytes(table.at, size) == nullptr ? Extent() : Extent{table.at, size};
}

Extent FlatTables::FieldListOf(Table table) {
  if (!table) return {};
  const uint64_t fields = FieldsOf(table);
  const auto size = Read<uint16_t>(fields);
  return Bytes(fields, size) == nullptr ? Extent() : Extent{fields, size};
}

Extent FlatTables::PlaceOf(Vector vector, uint64_t element_size) const {
  if (!vector) return {};
  return {vector.at, sizeof(uint32_t) + vector.count * element_size};
}

Extent FlatTables::PlaceOfText(Table table, uint32_t field) {
  const Vector letters = GetVector(table, field, 1);
  if (!letters) return {};
  const Extent text = PlaceOf(letters, 1);
  const Extent with_end{text.offset, text.size + 1};
  return Fits(with_end, buffer_.offset + buffer_.size) ? with_end : text;
}

const uint8_t* FlatTables::Bytes(uint64_t at, uint64_t size) {
  if (error_) return nullptr;
  if (at >= buffer_.offset && Fits(at, size, buffer_.offset + buffer_.size)) return file_.data + at;
  Fail(Damaged("tables-damaged", Text(what_, " (", buffer_.size, " bytes) is damaged: an offset leads out of it, to ",
                                      size, " bytes at ", Hex(at))));
  return nullptr;
}

FlatTables::Table FlatTables::Enter(uint64_t at) {
  const auto offset = Read<uint32_t>(at);
  if (offset == 0 || error_) return {};
  if (tables_left_ == 0) {
    Fail(Damaged("tables-damaged", Text(what_, " reaches its tables more often than it could hold any")));
    return {};
  }
  --tables_left_;
  return {at + offset};
}

uint64_t FlatTables::FieldsOf(Table table) {
  // Leads forwards and backwards; where it leads in front of the file it wraps, and then is outside.
  return table.at - static_cast<uint64_t>(int64_t{Read<int32_t>(table.at)});
}

uint64_t FlatTables::Find(Table table, uint32_t field) {
  if (!table || error_) return 0;
  const uint64_t fields = FieldsOf(table);
  const auto size = Read<uint16_t>(fields);
  const uint64_t place = kFieldListHead + uint64_t{field} * sizeof(uint16_t);
  if (error_ || place + sizeof(uint16_t) > size) return 0;
  const auto offset = Read<uint16_t>(fields + place);
  return offset == 0 || error_ ? 0 : table.at + offset;
}

void FlatTables::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace pteedit
