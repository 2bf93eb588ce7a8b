#include "record/zip_contents.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/damage.h"
#include "base/text.h"
#include "formats/zip_layout.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr int kMemoryLevel = 8;  // of zlib, its default
constexpr size_t kPieceBytes = size_t{64} << 10;

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

// Raw deflated bytes, piece by piece. Never makes more than it was told to expect.
class Inflater {
 public:
  Inflater() : is_ready_(inflateInit2(&stream_, -MAX_WBITS) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }

  // Whether they are whole and of exactly `bytes` bytes; `out` holds what they inflate to.
  Result<std::optional<std::string>> Inflate(const Source& source, Extent stored, uint64_t bytes) {
    std::string out;
    int status = is_ready_ ? Z_OK : Z_MEM_ERROR;
    while (status == Z_OK && stored.size != 0) {
      const Extent piece{stored.offset, std::min<uint64_t>(stored.size, kPieceBytes)};
      PTEEDIT_ASSIGN(std::vector<uint8_t> read, ReadBytes(source, piece));
      stored = {stored.offset + piece.size, stored.size - piece.size};
      stream_.next_in = read.data();
      stream_.avail_in = static_cast<uInt>(read.size());
      status = InflatePiece(out, bytes);
    }
    if (status != Z_STREAM_END || out.size() != bytes) return std::optional<std::string>();
    return std::optional<std::string>(std::move(out));
  }

 private:
  int InflatePiece(std::string& out, uint64_t bytes) {
    int status = Z_OK;
    do {
      const size_t begin = out.size();
      // One more than expected, to see that there is no more.
      out.resize(begin + static_cast<size_t>(std::min<uint64_t>(bytes + 1 - begin, kPieceBytes)));
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + begin);
      stream_.avail_out = static_cast<uInt>(out.size() - begin);
      status = inflate(&stream_, Z_NO_FLUSH);
      out.resize(out.size() - stream_.avail_out);
    } while (status == Z_OK && stream_.avail_out == 0 && out.size() <= bytes);
    const bool needs_input = status == Z_BUF_ERROR && stream_.avail_in == 0;
    return needs_input ? Z_OK : out.size() > bytes ? Z_DATA_ERROR : status;
  }

  z_stream stream_{};
  bool is_ready_;  // behind the stream, which it makes ready
};

uint32_t ChecksumOf(const std::string& bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Result<std::optional<std::string>> Contents(const Source& source, const ZipEntry& entry) {
  if (entry.method == kZipDeflated) return Inflater().Inflate(source, entry.stored, entry.bytes);
  if (entry.stored.size != entry.bytes) return std::optional<std::string>();
  std::string contents(static_cast<size_t>(entry.bytes), '\0');
  PTEEDIT_TRY(source.Read(entry.stored.offset, {reinterpret_cast<uint8_t*>(contents.data()), contents.size()}));
  return std::optional<std::string>(std::move(contents));
}

}  // namespace

Result<std::string> ReadContents(const ZipFile& zip, const ZipEntry& entry, uint64_t most) {
  const std::string place = Text("entry ", Quoted(entry.name));
  if (entry.is_encrypted || (entry.method != kZipStored && entry.method != kZipDeflated)) {
    return Unsupported(Text(place, " is neither stored nor deflated, or is encrypted"));
  }
  if (entry.bytes > most) {
    return Unsupported(Text(place, " has ", entry.bytes, " bytes, at most ", most, " are looked into"));
  }
  PTEEDIT_ASSIGN(std::optional<std::string> contents, Contents(*zip.source(), entry));
  if (contents && ChecksumOf(*contents) == entry.checksum) return *std::move(contents);
  return Damaged("zip-damaged", place, "is damaged: its contents are not those that the directory promises");
}

ZipContents PackContents(const std::string& contents) {
  ZipContents packed;
  packed.bytes = contents.size();
  packed.checksum = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(contents.data()), contents.size()));
  std::optional<std::vector<uint8_t>> deflated = Deflate(contents);
  packed.method = deflated ? kZipDeflated : kZipStored;
  std::vector<uint8_t> bytes = deflated ? *std::move(deflated) : std::vector<uint8_t>(contents.begin(), contents.end());
  const uint64_t size = bytes.size();
  packed.stored.Append(MakeMemorySource("archive", std::move(bytes)), {0, size});
  return packed;
}

}  // namespace pteedit
