// ptestrip of ETRecords, and slimming again what it wrote.
#include "fuzz_input.h"
#include "pteedit/profile/slim_record.h"
#include "record/etrecord.h"
#include "record/lowered_bytes.h"
#include "record/zip_contents.h"

using namespace pteedit;

namespace {

std::string JsonOf(const Etrecord& record, const std::string& method) {
  const ZipEntry* entry = record.zip().Find(record.EdgeProgramEntry(method));
  const Result<std::string> text =
      entry == nullptr ? std::string() : ReadContents(record.zip(), *entry, kMaxRecordJsonBytes);
  return text ? WithoutLoweredBytes(*text) : std::string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = MakeViewSource("input", {data, size});
  const Result<SlimmedRecord> slimmed = SlimRecord(source);
  if (!slimmed) {
    fuzz::Promise(slimmed.error().code != ErrorCode::kIo, "bytes in memory can be read");
    return 0;
  }
  fuzz::Promise(slimmed->changed ? slimmed->file.size() < size : slimmed->file.size() == size, "none becomes larger");
  const auto slim = slimmed->file.AsSource("slim");
  const Result<Etrecord> before = Etrecord::Open(source), after = Etrecord::Open(slim);
  fuzz::Promise(after && before->Methods() == after->Methods(), "a slim record is one, of the same methods");
  for (const std::string& method : before->Methods())
    fuzz::Promise(JsonOf(*before, method) == JsonOf(*after, method), "has the graph of", method);
  const Result<SlimmedRecord> again = SlimRecord(slim);
  fuzz::Promise(again && !again->changed, "nothing is left to lose:", again ? "" : again.error().message);
  return 0;
}
