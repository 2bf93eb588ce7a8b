#include "program/extended_header.h"

#include <cstring>

#include "base/checked.h"

namespace pteedit {
namespace {

constexpr char kProgramMagic[] = "eh00";
constexpr char kDataMagic[] = "FH01";
constexpr size_t kMagicSize = 4;

template <class T>
T LittleEndianAt(ByteSpan bytes, size_t offset) {
  T value = 0;
  if (Fits(offset, sizeof(T), bytes.size)) std::memcpy(&value, bytes.data + offset, sizeof(T));
  return value;
}

bool HasMagic(ByteSpan head, const char* magic) {
  return Fits(kExtendedHeaderOffset, kMagicSize, head.size) &&
         std::memcmp(head.data + kExtendedHeaderOffset, magic, kMagicSize) == 0;
}

template <size_t N>
void Put(std::array<uint8_t, N>& bytes, size_t offset, const void* value, size_t size) {
  std::memcpy(bytes.data() + offset, value, size);
}

}  // namespace

std::optional<ExtendedHeader> ParseProgramHeader(ByteSpan head) {
  if (!HasMagic(head, kProgramMagic)) return std::nullopt;
  ExtendedHeader header;
  header.length = LittleEndianAt<uint32_t>(head, 12);
  header.tables_size = LittleEndianAt<uint64_t>(head, 16);
  header.segment_base_offset = LittleEndianAt<uint64_t>(head, 24);
  if (header.length >= kProgramHeaderLength) header.segment_data_size = LittleEndianAt<uint64_t>(head, 32);
  return header;
}

std::optional<ExtendedHeader> ParseDataHeader(ByteSpan head) {
  if (!HasMagic(head, kDataMagic)) return std::nullopt;
  ExtendedHeader header;
  header.length = LittleEndianAt<uint32_t>(head, 12);
  header.tables_offset = LittleEndianAt<uint64_t>(head, 16);
  header.tables_size = LittleEndianAt<uint64_t>(head, 24);
  header.segment_base_offset = LittleEndianAt<uint64_t>(head, 32);
  header.segment_data_size = LittleEndianAt<uint64_t>(head, 40);
  return header;
}

std::array<uint8_t, kProgramHeaderLength> ProgramHeaderBytes(const ExtendedHeader& header) {
  std::array<uint8_t, kProgramHeaderLength> bytes{};
  Put(bytes, 0, kProgramMagic, kMagicSize);
  Put(bytes, 4, &kProgramHeaderLength, sizeof(kProgramHeaderLength));
  Put(bytes, 8, &header.tables_size, sizeof(uint64_t));
  Put(bytes, 16, &header.segment_base_offset, sizeof(uint64_t));
  Put(bytes, 24, &header.segment_data_size, sizeof(uint64_t));
  return bytes;
}

std::array<uint8_t, kDataHeaderLength> DataHeaderBytes(const ExtendedHeader& header) {
  std::array<uint8_t, kDataHeaderLength> bytes{};
  Put(bytes, 0, kDataMagic, kMagicSize);
  Put(bytes, 4, &kDataHeaderLength, sizeof(kDataHeaderLength));
  Put(bytes, 8, &header.tables_offset, sizeof(uint64_t));
  Put(bytes, 16, &header.tables_size, sizeof(uint64_t));
  Put(bytes, 24, &header.segment_base_offset, sizeof(uint64_t));
  Put(bytes, 32, &header.segment_data_size, sizeof(uint64_t));
  return bytes;
}

}  // namespace pteedit
