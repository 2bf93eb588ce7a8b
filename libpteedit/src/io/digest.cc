#include "io/digest.h"

#include <cstring>
#include <optional>

#include "io/streaming.h"

namespace pteedit {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace

std::string Sha256Digest::Hex() const {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) hex += {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  return hex;
}

Result<Sha256Digest> Sha256Of(const Source& source, Extent extent) {
  if (const std::optional<Sha256Bytes> known = source.known_sha256(extent)) return Sha256Digest{*known};
  Sha256 hash;
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    hash.Update(piece);
    return Status();
  }));
  return hash.Finish();
}

Sha256Digest Sha256Of(ByteSpan bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

Result<bool> SameBytes(const Source& a, Extent a_extent, const Source& b, Extent b_extent) {
  if (a_extent.size != b_extent.size) return false;
  std::vector<uint8_t> other(static_cast<size_t>(std::min<uint64_t>(a_extent.size, kStreamPieceBytes)));
  uint64_t done = 0;
  bool same = true;
  Status status = ForEachPiece(a, a_extent, [&](ByteSpan piece) {
    if (!same) return Status();
    Status read = b.Read(b_extent.offset + done, {other.data(), piece.size});
    same = read.has_value() && std::memcmp(piece.data, other.data(), piece.size) == 0;
    done += piece.size;
    return read;
  });
  if (!status) return std::move(status).error();
  return same;
}

}  // namespace pteedit
