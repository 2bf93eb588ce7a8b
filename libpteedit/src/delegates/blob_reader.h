// What decoders share: bounded reads of an untrusted blob.
#ifndef PTEEDIT_SRC_DELEGATES_BLOB_READER_H_
#define PTEEDIT_SRC_DELEGATES_BLOB_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "base/load.h"
#include "base/text.h"
#include "delegates/decoder.h"
#include "program/schema.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

inline std::string Words(Extent extent) { return Text(extent.size, " bytes at ", Hex(extent.offset)); }

// Flatbuffers in blobs that are larger are not looked into.
inline constexpr uint64_t kMaxGraphBytes = uint64_t{64} << 20;
// What decoders look into at most, of whatever backend.
inline constexpr size_t kMaxDims = 16, kMaxNameBytes = 256, kMaxOperators = 200'000, kMaxWeights = 100'000;

// A piece of a blob in memory.
struct BlobBytes {
  std::unique_ptr<uint8_t[]> owner;  // aligned as operator new does, at least 16
  ByteSpan bytes;
};

inline std::string_view ViewOf(const BlobBytes& read) {
  return {reinterpret_cast<const char*>(read.bytes.data), read.bytes.size};
}

// Reads extent `part`, counted from the blob's start. kUnsupported, calling it `what`, where it is not inside the blob
// or has more than `most` bytes.
Result<BlobBytes> ReadPart(const BlobInput& input, Extent part, uint64_t most, const char* what);

// The root of a flatbuffer without identifier; null where an offset leads out of it.
template <class Root>
const Root* VerifiedRoot(ByteSpan bytes) {
  constexpr uint32_t kMaxDepth = 64;
  constexpr uint32_t kMaxTables = 1'000'000;
  flatbuffers::Verifier verifier(bytes.data, bytes.size, kMaxDepth, kMaxTables);
  return verifier.VerifyBuffer<Root>(nullptr) ? flatbuffers::GetRoot<Root>(bytes.data) : nullptr;
}

// Whether bytes 4 to 7 are `identifier`.
bool HasIdentifier(ByteSpan bytes, std::string_view identifier);

// Named ranges, disjoint and ascending, without the empty ones and with what lies between them as parts called `gap`.
std::vector<BlobPart> FillGaps(const std::vector<BlobPart>& named, uint64_t blob_size, const char* gap = "padding");

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_BLOB_READER_H_
