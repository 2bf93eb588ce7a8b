#include <xxhash.h>

#include <memory>
#include <string>

#include "io/digest.h"
#include "io/streaming.h"

namespace pteedit {
namespace {

constexpr char kXxhDigits[] = "0123456789abcdef";

}  // namespace

std::string Xxh128Digest::Hex() const {
  std::string hex;
  for (const uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += kXxhDigits[(half >> shift) & 15];
  }
  return hex;
}

Result<Xxh128Digest> Xxh128Of(const Source& source, Extent extent) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    XXH3_128bits_update(state.get(), piece.data, piece.size);
    return Status();
  }));
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return Xxh128Digest{hash.low64, hash.high64};
}

Xxh128Digest Xxh128Of(ByteSpan bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data, bytes.size);
  return {hash.low64, hash.high64};
}

}  // namespace pteedit
