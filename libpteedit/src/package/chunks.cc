#include "package/chunks.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// A rolling hash is shifted by one bit a byte, so its highest bits know the last 64 bytes. Cuts are made where some of
// them are zero: two more than the usual length has, or two fewer once a chunk is longer, so that lengths stay close to
// it (FastCDC, Xia et al. 2016).
constexpr int kUsualBits = 16;
static_assert(size_t{1} << kUsualBits == kUsualChunkBytes);
constexpr uint64_t HighestBits(int count) { return ~uint64_t{0} << (64 - count); }
constexpr uint64_t kHardMask = HighestBits(kUsualBits + 2);
constexpr uint64_t kEasyMask = HighestBits(kUsualBits - 2);

// What each byte adds. Any numbers without a pattern will do (these are splitmix64's), as long as they stay: other ones
// would cut the same files elsewhere.
constexpr std::array<uint64_t, 256> MakeGear() {
  std::array<uint64_t, 256> gear{};
  uint64_t state = 0;
  for (uint64_t& number : gear) {
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    number = mixed ^ (mixed >> 31);
  }
  return gear;
}
constexpr std::array<uint64_t, 256> kGear = MakeGear();

// The length of the first chunk of `bytes`, all of them where they end before a cut.
size_t FirstCut(ByteSpan bytes) {
  const size_t end = std::min(bytes.size, kMaxChunkBytes);
  const size_t usual = std::min(bytes.size, kUsualChunkBytes);
  uint64_t hash = 0;
  size_t at = std::min(bytes.size, kMinChunkBytes);
  while (at < usual) {
    hash = (hash << 1) + kGear[bytes.data[at++]];
    if ((hash & kHardMask) == 0) return at;
  }
  while (at < end) {
    hash = (hash << 1) + kGear[bytes.data[at++]];
    if ((hash & kEasyMask) == 0) return at;
  }
  return end;
}

}  // namespace

Result<std::vector<Chunk>> CutChunks(const Source& source, Extent extent) {
  std::vector<uint8_t> buffer(static_cast<size_t>(std::min<uint64_t>(extent.size, kStreamPieceBytes)));
  std::vector<Chunk> chunks;
  size_t begin = 0, end = 0;  // of what is in the buffer and in no chunk yet
  uint64_t unread = extent.size;
  for (uint64_t done = 0; done < extent.size;) {
    if (end - begin < kMaxChunkBytes && unread != 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
      const size_t step = static_cast<size_t>(std::min<uint64_t>(unread, buffer.size() - end));
      PTEEDIT_TRY(source.Read(extent.offset + extent.size - unread, {buffer.data() + end, step}));
      end += step;
      unread -= step;
    }
    const ByteSpan rest{buffer.data() + begin, end - begin};
    const size_t size = FirstCut(rest);
    chunks.push_back({{extent.offset + done, size}, Xxh128Of(ByteSpan{rest.data, size})});
    begin += size;
    done += size;
  }
  return chunks;
}

}  // namespace pteedit
