#include "record/zip_contents.h"

#include <zlib.h>

#include <optional>
#include <utility>

namespace pteedit {
namespace {

constexpr uint16_t kStored = 0, kDeflated = 8;  // methods
constexpr int kMemoryLevel = 8;                 // of zlib, its default

// Nothing where that takes no less.
std::optional<std::vector<uint8_t>> Deflate(const std::string& contents) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::vector<uint8_t> out(contents.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
  stream.avail_in = static_cast<uInt>(contents.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const bool is_smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out < out.size();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_smaller) return std::nullopt;
  return std::vector<uint8_t>(out);  // of just this size
}

}  // namespace

ZipContents PackContents(const std::string& contents) {
  ZipContents packed;
  packed.bytes = contents.size();
  packed.checksum = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()));
  std::optional<std::vector<uint8_t>> deflated = Deflate(contents);
  packed.method = deflated ? kDeflated : kStored;
  std::vector<uint8_t> bytes = deflated ? *std::move(deflated) : std::vector<uint8_t>(contents.begin(), contents.end());
  const uint64_t size = bytes.size();
  packed.stored.Append(MakeMemorySource("archive", std::move(bytes)), {0, size});
  return packed;
}

}  // namespace pteedit
