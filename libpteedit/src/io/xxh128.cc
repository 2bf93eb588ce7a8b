#include <xxhash.h>
#ifdef PTEEDIT_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>  // puts functions for the processor at hand in the place of those above
#endif

#include <array>
#include <memory>
#include <string>

#include "base/text.h"
#include "io/digest.h"
#include "io/streaming.h"

namespace pteedit {

std::array<uint8_t, 16> Xxh128Digest::Bytes() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, {low, high});
  return std::to_array(canonical.digest);
}

std::string Xxh128Digest::Hex() const {
  const std::array<uint8_t, 16> bytes = Bytes();
  return HexDigits({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

struct Xxh128::State {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> made{XXH3_createState(), &XXH3_freeState};
};

Xxh128::Xxh128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->made.get()); }
Xxh128::~Xxh128() = default;

void Xxh128::Update(ByteSpan bytes) { XXH3_128bits_update(state_->made.get(), bytes.data, bytes.size); }

Xxh128Digest Xxh128::Finish() {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->made.get());
  return {hash.low64, hash.high64};
}

Result<Xxh128Digest> Xxh128Of(const Source& source, Extent extent) {
  Xxh128 hash;
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    hash.Update(piece);
    return Status();
  }));
  return hash.Finish();
}

Xxh128Digest Xxh128Of(ByteSpan bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data, bytes.size);
  return {hash.low64, hash.high64};
}

}  // namespace pteedit
