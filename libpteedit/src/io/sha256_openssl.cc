// SHA-256 by OpenSSL, which knows the instructions that processors have for it.
#include <openssl/evp.h>

#include <cassert>
#include <memory>

#include "io/digest.h"

namespace pteedit {

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

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

}  // namespace pteedit
