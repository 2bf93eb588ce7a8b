// Hashes of what is in a file, to tell whether two files hold the same, and which part changed where they do not.
#ifndef PTEEDIT_HASHES_H_
#define PTEEDIT_HASHES_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

enum class HashKind : uint8_t {
  kXxh3,    // XXH3 with 128 bits: fast, and easily forged
  kSha256,  // safe against whoever wants two contents to look alike
};

enum class HashedContent : uint8_t { kFile, kConstant, kMutable, kDelegate, kKey, kSegment };

struct ContentHash {
  std::string name;  // as the size tree calls it; the number of a segment; empty for the file
  uint64_t bytes = 0;
  HashedContent content = HashedContent::kFile;
  HashKind kind = HashKind::kXxh3;
  std::array<uint8_t, 32> digest = {};  // the most significant byte first; of XXH3 16 bytes

  PTEEDIT_API std::string_view what() const;  // "file", "constant", "mutable", "delegate", "key" or "segment"
  PTEEDIT_API std::string Hex() const;        // 32 or 64 lower-case digits
};

// The file, then its constants, mutable tensors, processed blobs and keys, each under each of its names, then its
// segments; names that only a checkpoint has do not count, as lists are compared by name. Of a bundle also those of the
// program inside. Reads what it hashes, once; SHA-256 with `threads` threads. Fails only where the file can no longer
// be read.
PTEEDIT_API Result<std::vector<ContentHash>> HashContents(const Container& file, HashKind kind, unsigned threads = 1);

}  // namespace pteedit

#endif  // PTEEDIT_HASHES_H_
