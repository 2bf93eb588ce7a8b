// SHA-256 without OpenSSL.
#include <memory>

#include "io/digest.h"
#include "io/plain_sha256.h"

namespace pteedit {

struct Sha256::Context {
  PlainSha256 hash;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}

Sha256::~Sha256() = default;

void Sha256::Update(ByteSpan bytes) { context_->hash.Update(bytes); }

Sha256Digest Sha256::Finish() { return {context_->hash.Finish()}; }

}  // namespace pteedit
