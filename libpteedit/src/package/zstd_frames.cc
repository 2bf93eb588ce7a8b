#include "package/zstd_frames.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

constexpr int kMaxWindowLog = 21;
static_assert(uint64_t{1} << kMaxWindowLog == kMaxFrameBytes);
constexpr size_t kPackedPieceBytes = size_t{128} << 10;
constexpr size_t kUnpackedPieceBytes = size_t{512} << 10;

Error Refused(const char* doing, size_t code) {
  return Unsupported(Text("zstd cannot ", doing, ": ", ZSTD_getErrorName(code)));
}

}  // namespace

Result<std::vector<uint8_t>> CompressFrame(ByteSpan bytes, ByteSpan dictionary, int level) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return Unsupported("there is no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  // A window holds the frame; the dictionary before it can be used until the window is full.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kMaxWindowLog);
  ZSTD_CCtx_refPrefix(context.get(), dictionary.data, dictionary.size);
  std::vector<uint8_t> packed(ZSTD_compressBound(bytes.size));
  const size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data, bytes.size);
  if (ZSTD_isError(size) != 0) return Refused("compress", size);
  packed.resize(size);
  return packed;
}

Status DecompressFrames(const Source& source, Extent extent, ByteSpan dictionary, uint64_t expected,
                        const std::function<Status(ByteSpan)>& use) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return Unsupported("there is no memory to unpack with");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  ZSTD_DCtx_refPrefix(context.get(), dictionary.data, dictionary.size);
  std::vector<uint8_t> packed(static_cast<size_t>(std::min<uint64_t>(extent.size, kPackedPieceBytes)));
  // One byte more than expected shows that there are more.
  std::vector<uint8_t> unpacked(static_cast<size_t>(std::min<uint64_t>(expected, kUnpackedPieceBytes - 1)) + 1);
  uint64_t given = 0;
  size_t hint = 1;  // 0 at the end of a frame
  for (uint64_t done = 0; done < extent.size;) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(extent.size - done, packed.size()));
    PTEEDIT_TRY(source.Read(extent.offset + done, {packed.data(), step}));
    ZSTD_inBuffer in{packed.data(), step, 0};
    for (bool full = false; in.pos < in.size || full;) {
      ZSTD_outBuffer out{unpacked.data(), unpacked.size(), 0};
      hint = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(hint) != 0) return Malformed(Text("is damaged: ", ZSTD_getErrorName(hint)));
      if (out.pos > expected - given) return Malformed(Text("unpacks to more than ", expected, " bytes"));
      PTEEDIT_TRY(use({unpacked.data(), out.pos}));
      given += out.pos;
      full = hint != 0 && out.pos == out.size;  // zstd may hold more back
    }
    done += step;
  }
  if (hint != 0) return Malformed("is damaged: it is cut");
  if (given != expected) return Malformed(Text("unpacks to ", given, " bytes, ", expected, " expected"));
  return {};
}

}  // namespace pteedit
