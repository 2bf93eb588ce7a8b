#include "package/zstd_frames.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "io/streaming.h"
#include "pteedit/package/manifest.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

constexpr int kLastSmallLevel = 19;  // whose windows are no larger than kFileWindowLog
constexpr size_t kPackedPieceBytes = size_t{128} << 10;
constexpr size_t kUnpackedPieceBytes = size_t{512} << 10;

Error Refused(const char* doing, size_t code) {
  return Unsupported(Text("zstd cannot ", doing, ": ", ZSTD_getErrorName(code)));
}

}  // namespace

Status CheckLevel(int level) {
  if (level >= kMinPackLevel && level <= kMaxPackLevel) return {};
  return InvalidArgument(Text("zstd level ", level, ", ", kMinPackLevel, " to ", kMaxPackLevel, " expected"));
}

Result<std::vector<uint8_t>> CompressFrame(ByteSpan bytes, ByteSpan dictionary, int level) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return Unsupported("there is no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  // A window holds the frame; the dictionary before it can be used until the window is full.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kDeltaWindowLog);
  ZSTD_CCtx_refPrefix(context.get(), dictionary.data, dictionary.size);
  std::vector<uint8_t> packed(ZSTD_compressBound(bytes.size));
  const size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data, bytes.size);
  if (ZSTD_isError(size) != 0) return Refused("compress", size);
  packed.resize(size);
  return packed;
}

Status CompressAll(const Source& source, const WholeFrameOptions& options,
                   const std::function<Status(ByteSpan)>& append) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return Unsupported("there is no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, options.level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  // A zstd without threads refuses these. With them the bytes do not depend on how many there are.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_nbWorkers, static_cast<int>(std::max(1U, options.threads)));
  if (options.level > kLastSmallLevel) ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kFileWindowLog);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), source.size());
  std::vector<uint8_t> packed(ZSTD_CStreamOutSize());
  const auto give = [&](ByteSpan piece, ZSTD_EndDirective directive) -> Status {
    ZSTD_inBuffer in{piece.data, piece.size, 0};
    for (size_t left = 1; in.pos < in.size || (directive == ZSTD_e_end && left != 0);) {
      ZSTD_outBuffer out{packed.data(), packed.size(), 0};
      left = ZSTD_compressStream2(context.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) return Refused("compress", left);
      PTEEDIT_TRY(append({packed.data(), out.pos}));
    }
    return options.advance ? options.advance(piece.size) : Status();
  };
  PTEEDIT_TRY(ForEachPiece(source, {0, source.size()}, [&](ByteSpan piece) { return give(piece, ZSTD_e_continue); }));
  return give({}, ZSTD_e_end);
}

Status DecompressFrames(const Source& source, Extent extent, ByteSpan dictionary, uint64_t expected,
                        const std::function<Status(ByteSpan)>& use, int window_log) {
  const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return Unsupported("there is no memory to unpack with");
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window_log);
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
