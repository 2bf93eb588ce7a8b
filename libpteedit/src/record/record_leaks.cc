#include "pteedit/profile/record_leaks.h"

#include <string>
#include <utility>

#include "inspect/leak_scanner.h"
#include "io/streaming.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "record/zip_contents.h"

namespace pteedit {
namespace {

constexpr uint64_t kMostInflated = uint64_t{256} << 20;  // bytes of one entry
constexpr uint16_t kAsItIs = 0;

ByteSpan SpanOf(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

class RecordScanner {
 public:
  explicit RecordScanner(const ZipFile& zip) : zip_(zip) {}

  Result<Leaks> Scan() && {
    for (const ZipEntry& entry : zip_.entries()) {
      scanner_.Begin({entry.name});
      PTEEDIT_TRY(ScanEntry(entry));
    }
    for (const ZipEntry& entry : zip_.entries()) PTEEDIT_TRY(ScanStructure(entry.listed));
    PTEEDIT_TRY(ScanStructure(zip_.comment()));
    return std::move(scanner_).Finish();
  }

 private:
  Status ScanEntry(const ZipEntry& entry) {
    if (entry.method == kAsItIs && !entry.is_encrypted) return ScanPlace(entry.stored);
    PTEEDIT_ASSIGN(const std::string contents, ReadContents(zip_, entry, kMostInflated));
    Add(SpanOf(contents), /*is_first=*/true);
    return {};
  }

  Status ScanStructure(Extent place) {
    scanner_.Begin({"Zip Structure"}, place.offset);
    return ScanPlace(place);
  }

  Status ScanPlace(Extent place) {
    bool is_first = true;
    return ForEachPiece(*zip_.source(), place, [&](ByteSpan piece) -> Status {
      Add(piece, std::exchange(is_first, false));
      return {};
    });
  }

  void Add(ByteSpan piece, bool is_first) {
    if (piece.size == 0) return;
    if (is_first) is_json_ = piece.data[0] == '{' || piece.data[0] == '[';
    if (!is_json_) return scanner_.Add(piece);
    scanner_.AddJson({reinterpret_cast<const char*>(piece.data), piece.size});
  }

  const ZipFile& zip_;
  LeakScanner scanner_;
  bool is_json_ = false;
};

}  // namespace

Result<Leaks> FindLeaksInRecord(const std::shared_ptr<const Source>& record) {
  PTEEDIT_ASSIGN(const Etrecord opened, Etrecord::Open(record));
  PTEEDIT_TRY(CheckApart(opened.zip()));
  return RecordScanner(opened.zip()).Scan();
}

}  // namespace pteedit
