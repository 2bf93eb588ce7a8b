#include "pteedit/metadata.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they lie in memory");

constexpr uint64_t kMaxGuessedBytes = uint64_t{64} << 10;
constexpr int64_t kMostExact = int64_t{1} << 53;  // ints beyond that are more likely floats

template <class T>
std::vector<uint8_t> BytesOf(const T* values, size_t count) {
  std::vector<uint8_t> bytes(count * sizeof(T));
  if (count != 0) std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

// Without control characters but those of text in lines.
bool IsText(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return EscapeControl(text) == text;
}

}  // namespace

std::vector<uint8_t> EncodeMetadata(const MetadataValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return BytesOf(text->data(), text->size());
  if (const auto* number = std::get_if<int64_t>(&value)) return BytesOf(number, 1);
  if (const auto* number = std::get_if<double>(&value)) return BytesOf(number, 1);
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) return BytesOf(numbers->data(), numbers->size());
  return std::get<std::vector<uint8_t>>(value);
}

MetadataValue GuessMetadata(ByteSpan bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data), bytes.size);
  if (IsText(text)) return text;
  if (bytes.size % sizeof(int64_t) != 0) return std::vector<uint8_t>(bytes.data, bytes.data + bytes.size);
  std::vector<int64_t> numbers(bytes.size / sizeof(int64_t));
  std::memcpy(numbers.data(), bytes.data, bytes.size);
  if (numbers.size() > 1) return numbers;
  const auto number = std::bit_cast<double>(numbers.front());
  const bool is_exact = numbers.front() < kMostExact && numbers.front() > -kMostExact;
  if (!is_exact && std::isfinite(number)) return number;
  return numbers.front();
}

Result<std::vector<MetadataEntry>> ReadMetadata(const Container& file) {
  std::vector<MetadataEntry> all;
  for (const NamedEntry& entry : file.named_data()) {
    if (entry.key.substr(0, kMetadataPrefix.size()) != kMetadataPrefix) continue;
    MetadataEntry& read = all.emplace_back();
    read.key = entry.key.substr(kMetadataPrefix.size());
    read.bytes = entry.extent.size;
    if (read.bytes > kMaxGuessedBytes) continue;
    std::vector<uint8_t> bytes(static_cast<size_t>(read.bytes));
    PTEEDIT_TRY(file.source()->Read(entry.extent.offset, {bytes.data(), bytes.size()}));
    read.value = GuessMetadata({bytes.data(), bytes.size()});
  }
  return all;
}

}  // namespace pteedit
