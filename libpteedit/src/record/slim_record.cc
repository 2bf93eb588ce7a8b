// Look at each entry, decide what becomes of it, lay them out anew, read the result back.
#include "pteedit/profile/slim_record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/damage.h"
#include "base/text.h"
#include "formats/zip_layout.h"
#include "io/streaming.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "record/lowered_bytes.h"
#include "record/record_names.h"
#include "record/zip_contents.h"

namespace pteedit {
namespace {

class Slimmer {
 public:
  Slimmer(const Etrecord& record, unsigned threads)
      : record_(record), source_(record.zip().source()), threads_(threads) {}

  Result<SlimmedRecord> Run() {
    PTEEDIT_TRY(CheckApart(record_.zip()));
    for (const ZipEntry& entry : record_.zip().entries()) PTEEDIT_TRY(Add(entry));
    PTEEDIT_TRY(AddNames());
    PTEEDIT_ASSIGN(const std::vector<uint8_t> comment, ReadBytes(*source_, record_.zip().comment()));
    slimmed_.file = std::move(plan_).Finish({comment.data(), comment.size()});
    slimmed_.changed = is_smaller_ && slimmed_.file.size() < source_->size();
    if (!slimmed_.changed) return Copy();
    if (packed_ != 0) {
      slimmed_.report.notes.push_back(Text(packed_, packed_ == 1 ? " program or map is" : " programs and maps are",
                                           " deflated, which saves ", packed_saving_, " bytes"));
    }
    PTEEDIT_TRY(CheckPlan());
    return std::move(slimmed_);
  }

 private:
  Status Add(const ZipEntry& entry) {
    if (entry.is_encrypted) {
      return Unsupported(Text("entry ", Quoted(entry.name), " is encrypted, so the record cannot be written again"));
    }
    PTEEDIT_ASSIGN(const ZipContents contents, Choose(entry));
    PTEEDIT_ASSIGN(const std::vector<uint8_t> listed, ReadBytes(*source_, entry.listed));
    is_smaller_ = is_smaller_ || contents.stored.size() < entry.stored.size;
    ZipEntry planned;
    planned.name = entry.name;
    planned.bytes = contents.bytes;
    planned.checksum = contents.checksum;
    planned_.push_back(std::move(planned));
    plan_.Add({listed.data(), listed.size()}, contents);
    return {};
  }

  // What the weights were called, by their hashes, while they are there. A record that had such a table keeps it.
  Status AddNames() {
    if (record_.zip().Find(kNamesEntry) != nullptr) return {};
    const Result<std::vector<ContentName>> names = NamesInRecord(record_);
    if (!names && names.error().code == ErrorCode::kIo) return names.error();
    if (!names || names->empty()) return {};  // weights that nobody can read go all the same
    PTEEDIT_ASSIGN(const std::vector<ContentName> hashed, HashContentNames(*names, threads_));
    const std::string text = NamesTable(hashed);
    if (!ParseJson(text, "", RecordJsonLimits({}))) return {};  // too long for every reader
    const ZipContents table = PackContents(text);
    ZipEntry planned;
    planned.name = kNamesEntry;
    planned.bytes = table.bytes;
    planned.checksum = table.checksum;
    planned_.push_back(std::move(planned));
    const std::vector<uint8_t> listed = NewZipEntry(kNamesEntry);
    plan_.Add({listed.data(), listed.size()}, table);
    return {};
  }

  Result<ZipContents> Choose(const ZipEntry& entry) {
    switch (record_.KindOf(entry)) {
      case RecordEntry::kSaved:
        return Empty(entry);
      case RecordEntry::kJson:
        return Pack(entry);
      case RecordEntry::kTests:
        return Keep(entry, "programs can be tried with it");
      case RecordEntry::kUnknown:
        return Keep(entry, "of a kind that is not known");
      case RecordEntry::kIdentifier:
      case RecordEntry::kNames:
        break;
    }
    return AsStored(entry);
  }

  ZipContents AsStored(const ZipEntry& entry) const {
    ZipContents contents{{}, entry.bytes, entry.checksum, entry.method};
    contents.stored.Append(source_, entry.stored);
    return contents;
  }

  ZipContents Keep(const ZipEntry& entry, const char* reason) {
    slimmed_.report.skipped.push_back({"entry", entry.name, entry.stored.size, std::string(reason)});
    return AsStored(entry);
  }

  ZipContents Empty(const ZipEntry& entry) {
    if (entry.stored.size == 0) return AsStored(entry);
    slimmed_.report.items.push_back({"entry", entry.name, {}, entry.stored.size, source_->name(), {}});
    return {};
  }

  // Reads it whole, so that a damaged one is seen here.
  Result<ZipContents> Pack(const ZipEntry& entry) {
    if (entry.bytes > kMaxRecordJsonBytes) return Keep(entry, "too large to be looked into");
    PTEEDIT_ASSIGN(const std::string text, ReadContents(record_.zip(), entry, kMaxRecordJsonBytes));
    const std::string slim = WithoutLoweredBytes(text);
    if (slim.size() != text.size()) {
      const uint64_t bytes = text.size() - slim.size();
      slimmed_.report.items.push_back({"delegate", entry.name, {}, bytes, source_->name(), {}});
    }
    if (entry.method != kZipStored && slim.size() == text.size()) return AsStored(entry);
    ZipContents packed = PackContents(slim);
    if (packed.method == kZipStored && slim.size() == text.size()) return AsStored(entry);
    if (entry.method == kZipStored && packed.method != kZipStored) {
      ++packed_;
      packed_saving_ += slim.size() - packed.stored.size();
    }
    return packed;
  }

  SlimmedRecord Copy() {
    slimmed_.file = PlannedFile();
    slimmed_.file.Append(source_, {0, source_->size()});
    slimmed_.report.items.clear();
    return std::move(slimmed_);
  }

  // Opens what was planned, as anybody would: the same entries, each with contents of its own.
  Status CheckPlan() const {
    PTEEDIT_ASSIGN(const Etrecord after, Etrecord::Open(slimmed_.file.AsSource(source_->name())));
    const bool is_same =
        std::equal(planned_.begin(), planned_.end(), after.zip().entries().begin(), after.zip().entries().end(),
                   [](const ZipEntry& planned, const ZipEntry& now) {
                     return now.name == planned.name && now.bytes == planned.bytes && now.checksum == planned.checksum;
                   });
    if (!is_same) return Unsupported("the record would not be the same when written again");
    return CheckApart(after.zip());
  }

  const Etrecord& record_;
  std::shared_ptr<const Source> source_;
  unsigned threads_;
  ZipPlan plan_;
  std::vector<ZipEntry> planned_;  // what they are to be called and to have
  SlimmedRecord slimmed_;
  bool is_smaller_ = false;
  size_t packed_ = 0;
  uint64_t packed_saving_ = 0;
};

Result<SlimmedRecord> Slim(const std::shared_ptr<const Source>& source, unsigned threads) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  return Slimmer(record, threads).Run();
}

}  // namespace

Result<SlimmedRecord> SlimRecord(const std::shared_ptr<const Source>& record, unsigned threads) {
  Result<SlimmedRecord> slimmed = Slim(record, threads);
  if (!slimmed) return std::move(slimmed).error().In(record->name());
  return slimmed;
}

}  // namespace pteedit
