// Hashes, behind one door: SHA-256 for all that is relied on, XXH3-128 for what is looked up or shown inside one run.
#ifndef PTEEDIT_SRC_IO_DIGEST_H_
#define PTEEDIT_SRC_IO_DIGEST_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr size_t kSha256Digits = 64;

struct Sha256Digest {
  std::array<uint8_t, 32> bytes{};
  std::strong_ordering operator<=>(const Sha256Digest&) const = default;
  std::string Hex() const;  // kSha256Digits, lower-case
};

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Update(ByteSpan bytes);
  Sha256Digest Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

struct Xxh128Digest {
  uint64_t low = 0, high = 0;
  auto operator<=>(const Xxh128Digest&) const = default;
  std::array<uint8_t, 16> Bytes() const;  // the most significant first
  std::string Hex() const;                // 32 lower-case digits, as xxhsum prints it
};

class Xxh128 {
 public:
  Xxh128();
  ~Xxh128();
  void Update(ByteSpan bytes);
  Xxh128Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a part of a source, read piece by piece.
Result<Sha256Digest> Sha256Of(const Source& source, Extent extent);
Result<Xxh128Digest> Xxh128Of(const Source& source, Extent extent);
Sha256Digest Sha256Of(ByteSpan bytes);
// Of the size and a few KiB: equal contents have equal ones, and others nearly never.
Result<Sha256Digest> SampleOf(const Source& source, Extent extent);
Xxh128Digest Xxh128Of(ByteSpan bytes);

// Whether two parts hold the same bytes, read side by side.
Result<bool> SameBytes(const Source& a, Extent a_extent, const Source& b, Extent b_extent);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_DIGEST_H_
