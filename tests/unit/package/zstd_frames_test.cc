#include "package/zstd_frames.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "noise.h"

namespace pteedit::test::zstd_frames_test {
namespace {

using Bytes = std::vector<uint8_t>;

ByteSpan Span(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

struct Unpacked {
  Bytes bytes;
  std::string problem;
};

Unpacked Unpack(const Bytes& packed, uint64_t expected, const Bytes& dictionary = {}) {
  Unpacked unpacked;
  const auto source = MakeViewSource("delta", Span(packed));
  const Status status = DecompressFrames(*source, {0, packed.size()}, Span(dictionary), expected, [&](ByteSpan piece) {
    unpacked.bytes.insert(unpacked.bytes.end(), piece.data, piece.data + piece.size);
    return Status();
  });
  if (!status) unpacked.problem = status.error().message;
  return unpacked;
}

Bytes Frame(const Bytes& bytes, const Bytes& dictionary = {}) {
  return CompressFrame(Span(bytes), Span(dictionary), 9).value();
}

TEST(ZstdFrames, GiveBackWhatWentIn) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}, size_t{kMaxFrameBytes}}) {
    const Bytes bytes(size, 'x');
    const Unpacked unpacked = Unpack(Frame(bytes), size);
    EXPECT_EQ(unpacked.problem, "");
    EXPECT_EQ(unpacked.bytes, bytes);
  }
}

TEST(ZstdFrames, AreSmallWhereTheDictionaryHasTheBytes) {
  const Bytes dictionary = Noise(kMaxDictionaryBytes, 1);
  Bytes bytes(dictionary.begin() + 1'000'000, dictionary.begin() + 1'000'000 + kMaxFrameBytes);
  bytes[5] ^= 1;
  bytes[kMaxFrameBytes / 2] ^= 1;
  const Bytes packed = Frame(bytes, dictionary);
  EXPECT_LT(packed.size(), 1000U);
  EXPECT_EQ(Unpack(packed, bytes.size(), dictionary).bytes, bytes);
}

TEST(ZstdFrames, OneBehindTheOtherAreRead) {
  Bytes packed = Frame(Bytes(1000, 'a'));
  const Bytes second = Frame(Bytes(1000, 'b'));
  packed.insert(packed.end(), second.begin(), second.end());
  const Unpacked unpacked = Unpack(packed, 2000);
  EXPECT_EQ(unpacked.problem, "");
  EXPECT_EQ(unpacked.bytes.back(), 'b');
}

TEST(ZstdFrames, OfMoreBytesThanWereSaidAreRefusedAtThem) {
  const Unpacked unpacked = Unpack(Frame(Bytes(kMaxFrameBytes)), 1000);
  EXPECT_EQ(unpacked.problem, "unpacks to more than 1000 bytes");
  EXPECT_LE(unpacked.bytes.size(), 1000U);
}

TEST(ZstdFrames, OfFewerBytesThanWereSaidAreRefused) {
  EXPECT_EQ(Unpack(Frame(Bytes(1000)), 1001).problem, "unpacks to 1000 bytes, 1001 expected");
}

TEST(ZstdFrames, OfAsManyBytesAsThereAreNumbersAreRefused) {
  EXPECT_EQ(Unpack(Frame(Bytes(1000)), UINT64_MAX).problem, "unpacks to 1000 bytes, 18446744073709551615 expected");
}

TEST(ZstdFrames, ThatAreCutAreRefused) {
  Bytes packed = Frame(Noise(1000, 1));
  packed.pop_back();
  EXPECT_EQ(Unpack(packed, 1000).problem, "is damaged: it is cut");
}

TEST(ZstdFrames, ThatAreNoneAreRefused) {
  EXPECT_NE(Unpack(Bytes(100, 'x'), 100).problem.find("is damaged: "), std::string::npos);
}

TEST(ZstdFrames, ThatAskForMuchMemoryAreRefused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
  Bytes packed(1000);
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_inBuffer in{"text", 4, 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);  // so that the size is not known beforehand
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  EXPECT_NE(Unpack(packed, 4).problem.find("memory"), std::string::npos);
}

}  // namespace
}  // namespace pteedit::test::zstd_frames_test
