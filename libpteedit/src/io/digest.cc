#include "io/digest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "io/posix_file.h"
#include "io/streaming.h"

namespace pteedit {
namespace {

constexpr size_t kSampledBytes = 4096;  // in the middle

}  // namespace

std::string Sha256Digest::Hex() const { return HexDigits({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }

Result<Sha256Digest> Sha256Of(const Source& source, Extent extent) {
  if (const std::optional<Sha256Bytes> known = source.known_sha256(extent)) return Sha256Digest{*known};
  Sha256 hash;
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    hash.Update(piece);
    return Status();
  }));
  return hash.Finish();
}

Result<Sha256Digest> SampleOf(const Source& source, Extent extent) {
  std::array<uint8_t, kSampledBytes> buffer{};
  const MutableByteSpan sample{buffer.data(), static_cast<size_t>(std::min<uint64_t>(extent.size, buffer.size()))};
  PTEEDIT_TRY(ReadSample(source, extent, (extent.size - sample.size) / 2, sample));
  const std::string size = std::to_string(extent.size);
  Sha256 hash;
  hash.Update({reinterpret_cast<const uint8_t*>(size.data()), size.size()});
  hash.Update({sample.data, sample.size});
  return hash.Finish();
}

Sha256Digest Sha256Of(ByteSpan bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

Result<bool> SameBytes(const Source& a, Extent a_extent, const Source& b, Extent b_extent) {
  if (a_extent.size != b_extent.size) return false;
  std::vector<uint8_t> other(static_cast<size_t>(std::min<uint64_t>(a_extent.size, PieceBytesOf(a))));
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
