#include "io/digest.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <cassert>
#include <cstring>

#include "io/streaming.h"

namespace pteedit {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

std::string Sha256Digest::Hex() const {
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) hex += {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  return hex;
}

std::string Xxh128Digest::Hex() const {
  std::string hex;
  for (const uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += kHexDigits[(half >> shift) & 15];
  }
  return hex;
}

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  [[maybe_unused]] const int ok = EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr);
  assert(ok == 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(ByteSpan bytes) {
  [[maybe_unused]] const int ok = EVP_DigestUpdate(context_->evp, bytes.data, bytes.size);
  assert(ok == 1);
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  [[maybe_unused]] const int ok = EVP_DigestFinal_ex(context_->evp, digest.bytes.data(), nullptr);
  assert(ok == 1);
  return digest;
}

Result<Sha256Digest> Sha256Of(const Source& source, Extent extent) {
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
