// What zstd's decoder calls for frames of zstd 0.5 to 0.7, which no release has: nothing, so that a linker leaves half
// of Debian's decoder out. Weak, where somebody links the real ones. Frames of then are refused as there is no memory
// for their decoder.
#include <cstddef>

namespace {

constexpr size_t kVersionUnsupported = ~size_t{0} - 11;  // as zstd's functions return -ZSTD_error_version_unsupported

}  // namespace

// Their parameters, which nobody looks at, are left out.
// NOLINTBEGIN
#define PTEEDIT_NO_ZSTD(version)                                                                            \
  __attribute__((weak)) void* ZSTDv##version##_createDCtx() { return nullptr; }                             \
  __attribute__((weak)) size_t ZSTDv##version##_freeDCtx() { return 0; }                                    \
  __attribute__((weak)) size_t ZSTDv##version##_decompress_usingDict() { return kVersionUnsupported; }      \
  __attribute__((weak)) size_t ZSTDv##version##_getFrameParams() { return kVersionUnsupported; }            \
  __attribute__((weak)) void ZSTDv##version##_findFrameSizeInfoLegacy() {}                                  \
  __attribute__((weak)) void* ZBUFFv##version##_createDCtx() { return nullptr; }                            \
  __attribute__((weak)) size_t ZBUFFv##version##_freeDCtx() { return 0; }                                   \
  __attribute__((weak)) size_t ZBUFFv##version##_decompressInitDictionary() { return kVersionUnsupported; } \
  __attribute__((weak)) size_t ZBUFFv##version##_decompressContinue() { return kVersionUnsupported; }

extern "C" {
PTEEDIT_NO_ZSTD(05)
PTEEDIT_NO_ZSTD(06)
PTEEDIT_NO_ZSTD(07)
}
// NOLINTEND
