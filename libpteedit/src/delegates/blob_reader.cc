#include "delegates/blob_reader.h"

#include "pteedit/try.h"

namespace pteedit {

Result<BlobBytes> ReadPart(const BlobInput& input, Extent part, uint64_t most, const char* what) {
  if (!Fits(part, input.blob.size)) {
    return Unsupported(
        Text(what, " of ", Words(part), " is not inside the processed blob (", input.blob.size, " bytes)"));
  }
  if (part.size > most)
    return Unsupported(Text(what, " has ", part.size, " bytes, at most ", most, " are looked into"));
  BlobBytes read{std::make_unique<uint8_t[]>(static_cast<size_t>(part.size)), {}};
  PTEEDIT_TRY(input.source->Read(input.blob.offset + part.offset, {read.owner.get(), static_cast<size_t>(part.size)}));
  read.bytes = {read.owner.get(), static_cast<size_t>(part.size)};
  return read;
}

bool HasIdentifier(ByteSpan bytes, std::string_view identifier) {
  constexpr size_t kPlace = 4;
  return bytes.size >= kPlace + identifier.size() &&
         std::memcmp(bytes.data + kPlace, identifier.data(), identifier.size()) == 0;
}

std::vector<BlobPart> FillGaps(const std::vector<BlobPart>& named, uint64_t blob_size, const char* gap) {
  std::vector<BlobPart> parts;
  uint64_t end = 0;
  const auto pad_to = [&](uint64_t offset) {
    if (offset > end) parts.push_back({gap, {end, offset - end}});
  };
  for (const BlobPart& part : named) {
    if (part.extent.size == 0) continue;
    pad_to(part.extent.offset);
    parts.push_back(part);
    end = part.extent.offset + part.extent.size;
  }
  pad_to(blob_size);
  return parts;
}

}  // namespace pteedit
