#include "delegates/sparse_tables.h"

#include <algorithm>

namespace pteedit {
namespace {

constexpr uint64_t kMaxPages = 16384;
constexpr uint64_t kIdentifierOffset = 4;

}  // namespace

Status SparseTables::status() const {
  if (error_) return *error_;
  return {};
}

bool SparseTables::HasIdentifier(std::string_view identifier) {
  std::string found(identifier.size(), '\0');
  Copy(kIdentifierOffset, {reinterpret_cast<uint8_t*>(found.data()), found.size()});
  return !error_ && found == identifier;
}

SparseTables::Table SparseTables::Root() {
  const uint64_t at = Read<uint32_t>(0);
  if (at == 0) Fail(Unsupported(Text(what_, " has no root table")));
  return {at};
}

std::string SparseTables::GetText(Table table, Field field) {
  const Vector letters = GetVector(table, field, 1);
  if (!Take(0, letters.count)) return {};
  std::string text(letters.count, '\0');
  Copy(letters.at, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  return text;
}

SparseTables::Vector SparseTables::GetVector(Table table, Field field, uint64_t element_size) {
  const Table start = GetTable(table, field);
  if (!start) return {};
  const Vector vector{start.at + sizeof(uint32_t), Read<uint32_t>(start.at)};
  if (error_) return {};
  if (Fits(vector.at, vector.count * element_size, part_.size)) return vector;
  Fail(Unsupported(Text(what_, " has a list of ", vector.count * element_size, " bytes at ", Hex(vector.at),
                        ", which is not inside its ", part_.size, " bytes")));
  return {};
}

std::vector<SparseTables::Table> SparseTables::GetTables(Table table, Field field) {
  const Vector offsets = GetVector(table, field, sizeof(uint32_t));
  std::vector<Table> tables;
  if (!Take(offsets.count, 0)) return tables;
  for (uint32_t i = 0; i < offsets.count && !error_; ++i)
    tables.push_back(Follow(offsets.at + uint64_t{i} * sizeof(uint32_t)));
  return tables;
}

std::vector<uint64_t> SparseTables::GetSizes(Table table, Field field) {
  const Vector list = GetVector(table, field, sizeof(int32_t));
  std::vector<uint64_t> sizes;
  if (!Take(0, list.count * sizeof(uint64_t))) return sizes;
  for (uint32_t i = 0; i < list.count && !error_; ++i) {
    const auto size = Read<int32_t>(list.at + uint64_t{i} * sizeof(int32_t));
    sizes.push_back(size > 0 ? static_cast<uint64_t>(size) : 0);
  }
  return sizes;
}

SparseTables::Table SparseTables::Follow(uint64_t at) {
  if (at == 0) return {};
  const auto offset = Read<uint32_t>(at);
  return offset == 0 || error_ ? Table() : Table{at + offset};
}

uint64_t SparseTables::Find(Table table, Field field) {
  if (!table || error_) return 0;
  // Wraps where it leads in front of the flatbuffer, and then is outside.
  const uint64_t fields = table.at - static_cast<uint64_t>(int64_t{Read<int32_t>(table.at)});
  const auto size = Read<uint16_t>(fields);
  if (error_ || uint64_t{field} + sizeof(uint16_t) > size) return 0;
  const auto place = Read<uint16_t>(fields + field);
  return place == 0 || error_ ? 0 : table.at + place;
}

void SparseTables::Copy(uint64_t at, MutableByteSpan out) {
  if (error_) return;
  if (!Fits(at, out.size, part_.size)) {
    return Fail(
        Unsupported(Text(what_, " (", part_.size, " bytes) is damaged: an offset leads out of it, to ", Hex(at))));
  }
  while (out.size != 0) {
    const uint8_t* page = Page(at / kPageBytes);
    if (page == nullptr) return;
    const uint64_t begin = at % kPageBytes;
    const auto count = static_cast<size_t>(std::min<uint64_t>(out.size, kPageBytes - begin));
    std::copy_n(page + begin, count, out.data);
    out = {out.data + count, out.size - count};
    at += count;
  }
}

const uint8_t* SparseTables::Page(uint64_t number) {
  std::unique_ptr<uint8_t[]>& page = pages_[number];
  if (page != nullptr) return page.get();
  if (pages_.size() > kMaxPages) {
    Fail(Unsupported(Text(what_, " has tables in over ", kMaxPages, " pages of ", kPageBytes, " bytes")));
    return nullptr;
  }
  const uint64_t begin = number * kPageBytes;
  const uint64_t size = std::min(kPageBytes, part_.size - begin);
  page = std::make_unique<uint8_t[]>(kPageBytes);
  Status read = input_.source->Read(input_.blob.offset + part_.offset + begin, {page.get(), static_cast<size_t>(size)});
  if (read) return page.get();
  Fail(std::move(read).error());
  return nullptr;
}

bool SparseTables::Take(uint64_t tables, uint64_t bytes) {
  if (tables > tables_left_ || bytes > bytes_left_) {
    Fail(Unsupported(Text(what_, " refers to over a million tables, or to over 64 MiB of texts and sizes")));
  }
  if (error_) return false;
  tables_left_ -= tables;
  bytes_left_ -= bytes;
  return true;
}

void SparseTables::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace pteedit
