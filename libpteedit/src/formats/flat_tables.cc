#include "formats/flat_tables.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"

namespace pteedit {
namespace {

// A flatbuffer is a graph of offsets, which a hostile file bends: out of the buffer, into the middle of something else,
// or all to one table, so that the walk of a small file never ends. It is not verified as a whole beforehand, since
// what is read here often holds gigabytes of weights that nobody looks at. Each read checks its own bytes instead
// (IsInside), each step into a table costs one of as many as the bytes could hold together with references to them
// (Enter), and what is copied out comes from an allowance (Take). So a walk takes time linear in the bytes, whatever
// they say. Tables that overlap are read as they are: they are somebody's bytes, and only read.

constexpr uint64_t kIdentifierOffset = 4;
constexpr uint64_t kTableBytes = 8;          // what one table takes at least: its own offset and a reference to it
constexpr uint64_t kFreeTables = 1 << 16;    // small files may share some
constexpr uint64_t kMostTables = 1'000'000;  // of a part of a source, far more than any graph has
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kMaxPages = 16384;

}  // namespace

FlatTables::FlatTables(ByteSpan memory, const char* what)
    : memory_(memory), part_{0, memory.size}, what_(what), tables_left_(memory.size / kTableBytes + kFreeTables) {}

FlatTables::FlatTables(std::shared_ptr<const Source> source, Extent part, const char* what)
    : source_(std::move(source)),
      part_(part),
      what_(what),
      tables_left_(std::min(part.size / kTableBytes + kFreeTables, kMostTables)) {}

Status FlatTables::status() const {
  if (error_) return *error_;
  return {};
}

bool FlatTables::HasIdentifier(std::string_view identifier) {
  std::string found(identifier.size(), '\0');
  Copy(kIdentifierOffset, {reinterpret_cast<uint8_t*>(found.data()), found.size()});
  return !error_ && found == identifier;
}

FlatTables::Table FlatTables::Root() {
  const Table root = Enter(0);
  if (!root) Fail(Text(what_, " has no root table"));
  return root;
}

std::string FlatTables::TextAt(Table start) {
  const Vector letters = VectorAt(start, 1);
  if (!Take(letters.count)) return {};
  std::string text(letters.count, '\0');
  Copy(letters.at, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  return text;
}

std::vector<std::string> FlatTables::GetTexts(Table table, Field field) {
  std::vector<std::string> texts;
  for (const Table start : GetTables(table, field)) texts.push_back(TextAt(start));
  return texts;
}

FlatTables::Vector FlatTables::VectorAt(Table start, uint64_t element_size) {
  if (!start) return {};
  const Vector vector{start.at + sizeof(uint32_t), Read<uint32_t>(start.at)};
  return IsInside(vector.at, vector.count * element_size) ? vector : Vector();
}

std::vector<FlatTables::Table> FlatTables::GetTables(Table table, Field field) {
  const Vector offsets = GetVector(table, field, sizeof(uint32_t));
  std::vector<Table> tables;
  for (uint32_t i = 0; i < offsets.count && !error_; ++i)
    tables.push_back(Enter(offsets.at + uint64_t{i} * sizeof(uint32_t)));
  return tables;
}

std::vector<uint64_t> FlatTables::GetSizes(Table table, Field field) {
  const Vector list = GetVector(table, field, sizeof(int32_t));
  std::vector<uint64_t> sizes;
  if (!Take(list.count * sizeof(uint64_t))) return sizes;
  for (uint32_t i = 0; i < list.count && !error_; ++i) {
    const auto size = NumberAt<int32_t>(list, i);
    sizes.push_back(size > 0 ? static_cast<uint64_t>(size) : 0);
  }
  return sizes;
}

Extent FlatTables::PlaceOf(Table table) {
  if (!table) return {};
  const auto size = Read<uint16_t>(FieldsOf(table) + sizeof(uint16_t));
  return IsInside(table.at, size) ? Extent{table.at, size} : Extent();
}

Extent FlatTables::FieldListOf(Table table) {
  if (!table) return {};
  const uint64_t fields = FieldsOf(table);
  const auto size = Read<uint16_t>(fields);
  return IsInside(fields, size) ? Extent{fields, size} : Extent();
}

Extent FlatTables::PlaceOf(Vector vector, uint64_t element_size) const {
  if (!vector) return {};
  return {vector.at - sizeof(uint32_t), sizeof(uint32_t) + vector.count * element_size};
}

Extent FlatTables::PlaceOfText(Table table, Field field) {
  const Vector letters = GetVector(table, field, 1);
  if (!letters) return {};
  const Extent text = PlaceOf(letters, 1);
  const Extent with_end{text.offset, text.size + 1};
  return Fits(with_end, part_.size) ? with_end : text;
}

FlatTables::Table FlatTables::Enter(uint64_t at) {
  const auto offset = Read<uint32_t>(at);
  if (offset == 0 || error_) return {};
  if (tables_left_ == 0) {
    Fail(Text(what_, " reaches its tables more often than it could hold any"));
    return {};
  }
  --tables_left_;
  return {at + offset};
}

uint64_t FlatTables::FieldsOf(Table table) {
  // Leads forwards and backwards; where it leads in front of the flatbuffer it wraps, and then is outside.
  return table.at - static_cast<uint64_t>(int64_t{Read<int32_t>(table.at)});
}

uint64_t FlatTables::Find(Table table, Field field) {
  if (!table || error_) return 0;
  const uint64_t fields = FieldsOf(table);
  const auto size = Read<uint16_t>(fields);
  if (error_ || uint64_t{field} + sizeof(uint16_t) > size) return 0;
  const auto offset = Read<uint16_t>(fields + field);
  return offset == 0 || error_ ? 0 : table.at + offset;
}

bool FlatTables::IsInside(uint64_t at, uint64_t size) {
  if (error_) return false;
  if (Fits(at, size, part_.size)) return true;
  Fail(
      Text(what_, " (", part_.size, " bytes) is damaged: an offset leads out of it, to ", size, " bytes at ", Hex(at)));
  return false;
}

void FlatTables::Copy(uint64_t at, MutableByteSpan out) {
  if (!IsInside(at, out.size)) return;
  if (source_ == nullptr) std::copy_n(memory_.data + at, out.size, out.data);
  while (source_ != nullptr && out.size != 0) {
    const uint8_t* page = Page(at / kPageBytes);
    if (page == nullptr) return;
    const uint64_t begin = at % kPageBytes;
    const auto count = static_cast<size_t>(std::min<uint64_t>(out.size, kPageBytes - begin));
    std::copy_n(page + begin, count, out.data);
    out = {out.data + count, out.size - count};
    at += count;
  }
}

const uint8_t* FlatTables::Page(uint64_t number) {
  std::unique_ptr<uint8_t[]>& page = pages_[number];
  if (page != nullptr) return page.get();
  if (pages_.size() > kMaxPages) {
    Fail(Text(what_, " has tables in over ", kMaxPages, " pages of ", kPageBytes, " bytes"));
    return nullptr;
  }
  const uint64_t begin = number * kPageBytes;
  const uint64_t size = std::min(kPageBytes, part_.size - begin);
  page = std::make_unique<uint8_t[]>(kPageBytes);
  Status read = source_->Read(part_.offset + begin, {page.get(), static_cast<size_t>(size)});
  if (read) return page.get();
  if (!error_) error_ = std::move(read).error();
  return nullptr;
}

bool FlatTables::Take(uint64_t bytes) {
  if (bytes > bytes_left_) Fail(Text(what_, " refers to over 64 MiB of texts and sizes"));
  if (error_) return false;
  bytes_left_ -= bytes;
  return true;
}

void FlatTables::Fail(const std::string& message) {
  if (error_) return;
  error_ = source_ == nullptr ? Damaged("tables-damaged", message) : Unsupported(message);
}

}  // namespace pteedit
