#include "profile/etdump.h"

#include <string_view>

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kIdentifier = "ED00";
constexpr uint64_t kIdentifierOffset = 4;  // in a flatbuffer
constexpr uint64_t kPrefixBytes = sizeof(uint32_t);
constexpr uint64_t kMaxBytes = (uint64_t{1} << 31) - 1;  // what a flatbuffer can have

bool HasIdentifierAt(ByteSpan head, uint64_t offset) {
  return Fits(offset, kIdentifier.size(), head.size) &&
         std::memcmp(head.data + offset, kIdentifier.data(), kIdentifier.size()) == 0;
}

}  // namespace

FlatTables Etdump::Tables() const {
  return FlatTables({bytes.get() + buffer.offset, static_cast<size_t>(buffer.size)}, "ETDump");
}

std::optional<uint64_t> EtdumpStart(ByteSpan head) {
  for (const uint64_t start : {kPrefixBytes, uint64_t{0}}) {
    if (HasIdentifierAt(head, start + kIdentifierOffset)) return start;
  }
  return std::nullopt;
}

Result<Etdump> OpenEtdump(std::shared_ptr<const Source> source) {
  const uint64_t size = source->size();
  if (size > kMaxBytes) return Unsupported(Text("ETDump has ", size, " bytes, at most ", kMaxBytes, " are supported"));
  std::shared_ptr<uint8_t[]> bytes(new uint8_t[size]);
  PTEEDIT_TRY(source->Read(0, {bytes.get(), static_cast<size_t>(size)}));
  const std::optional<uint64_t> start = EtdumpStart({bytes.get(), static_cast<size_t>(size)});
  if (!start) return NotUnderstood("identifier", {}, "not an ETDump: identifier 'ED00' expected at byte 4 or 8");
  Extent buffer{*start, size - *start};
  if (*start == kPrefixBytes) {
    uint32_t prefix = 0;
    std::memcpy(&prefix, bytes.get(), sizeof(prefix));
    if (prefix > buffer.size) {
      return Damaged("file-cut", Text("ETDump ends at byte ", kPrefixBytes + prefix, ", after the end of the file (",
                                      size, " bytes)"));
    }
    buffer.size = prefix;
  }
  return Etdump{std::move(source), std::move(bytes), buffer};
}

}  // namespace pteedit
