#include "formats/zip_file.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/checked.h"
#include "base/damage.h"
#include "base/load.h"
#include "base/text.h"
#include "formats/zip_layout.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMaxCommentBytes = 0xffff;
constexpr uint16_t kEncryptedFlag = 1;
constexpr uint64_t kMaxEntries = 65536;  // a record has some ten a method
constexpr uint64_t kMaxDirectoryBytes = uint64_t{64} << 20;

Error DamagedDirectory() {
  return Damaged("zip-damaged", "archive has no directory at its end: it is cut, or its directory is damaged");
}

// Where the directory is, and what offsets in it count from: the start of the archive, which need not be the file's.
struct Directory {
  Extent place;
  uint64_t entries = 0;
  uint64_t archive_begin = 0;
  Extent comment;
};

class DirectoryFinder {
 public:
  explicit DirectoryFinder(const Source& source) : source_(source) {}

  Result<Directory> Find() {
    const uint64_t size = std::min(source_.size(), kZipEndBytes + kMaxCommentBytes);
    tail_begin_ = source_.size() - size;
    PTEEDIT_ASSIGN(tail_, ReadBytes(source_, {tail_begin_, size}));
    const std::optional<uint64_t> end = FindEnd();
    if (!end) return DamagedDirectory();
    const ByteSpan bytes{tail_.data() + *end, kZipEndBytes};
    const uint64_t end_at = tail_begin_ + *end;
    PTEEDIT_ASSIGN(std::optional<Directory> directory, FindLong(end_at));
    if (!directory) {
      PTEEDIT_ASSIGN(directory, Place(end_at, Load<uint32_t>(bytes.data + 12), Load<uint32_t>(bytes.data + 16),
                                      Load<uint16_t>(bytes.data + 10)));
    }
    directory->comment = {end_at + kZipEndBytes, source_.size() - end_at - kZipEndBytes};
    return *directory;
  }

 private:
  // The last one whose comment ends with the file.
  std::optional<uint64_t> FindEnd() const {
    if (tail_.size() < kZipEndBytes) return std::nullopt;
    const ByteSpan tail{tail_.data(), tail_.size()};
    for (uint64_t at = tail.size - kZipEndBytes + 1; at-- > 0;) {
      if (Load<uint32_t>(tail.data + at) != kZipEnd) continue;
      if (at + kZipEndBytes + Load<uint16_t>(tail.data + at + 20) == tail.size) return at;
    }
    return std::nullopt;
  }

  // Nothing where the numbers in the end at `end_at` are all there are.
  Result<std::optional<Directory>> FindLong(uint64_t end_at) const {
    if (end_at < kZipLocatorBytes + kZipLongEndBytes) return std::optional<Directory>();
    PTEEDIT_ASSIGN(const std::vector<uint8_t> locator,
                   ReadBytes(source_, {end_at - kZipLocatorBytes, kZipLocatorBytes}));
    if (Load<uint32_t>(locator.data()) != kZipLocator) return std::optional<Directory>();
    // Directly in front, wherever the locator says it is: bytes in front of the archive do not matter so.
    const uint64_t at = end_at - kZipLocatorBytes - kZipLongEndBytes;
    PTEEDIT_ASSIGN(const std::vector<uint8_t> end, ReadBytes(source_, {at, kZipLongEndBytes}));
    const ByteSpan bytes{end.data(), end.size()};
    if (Load<uint32_t>(bytes.data) != kZipLongEnd) return DamagedDirectory();
    PTEEDIT_ASSIGN(const Directory directory, Place(at, Load<uint64_t>(bytes.data + 40),
                                                    Load<uint64_t>(bytes.data + 48), Load<uint64_t>(bytes.data + 32)));
    return std::optional<Directory>(directory);
  }

  // The directory of `size` bytes ends at `end`.
  static Result<Directory> Place(uint64_t end, uint64_t size, uint64_t offset, uint64_t entries) {
    if (size > end || offset > end - size) return DamagedDirectory();
    if (entries > kMaxEntries || size > kMaxDirectoryBytes) {
      return NotUnderstood("zip-damaged", {},
                           Text("archive has ", entries, " entries in a directory of ", size, " bytes, at most ",
                                kMaxEntries, " and ", kMaxDirectoryBytes, " are supported"));
    }
    return Directory{{end - size, size}, entries, end - size - offset, {}};
  }

  const Source& source_;
  uint64_t tail_begin_ = 0;
  std::vector<uint8_t> tail_;
};

class DirectoryReader {
 public:
  DirectoryReader(const Source& source, const Directory& directory, ByteSpan bytes)
      : source_(source), directory_(directory), bytes_(bytes) {}

  Result<std::vector<ZipEntry>> Read() {
    std::vector<ZipEntry> entries;
    for (uint64_t i = 0; i < directory_.entries; ++i) {
      number_ = i;
      PTEEDIT_ASSIGN(ZipEntry entry, ReadEntry());
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  Error Wrong() const {
    return Damaged("zip-damaged", Text("entry ", number_, " of the archive's directory is damaged"));
  }

  Result<ZipEntry> ReadEntry() {
    if (!Fits(at_, kZipEntryBytes, bytes_.size) || Load<uint32_t>(bytes_.data + at_) != kZipEntry) return Wrong();
    const uint64_t begin = at_;
    const uint64_t name_size = Load<uint16_t>(bytes_.data + begin + 28);
    const Extent extra{begin + kZipEntryBytes + name_size, Load<uint16_t>(bytes_.data + begin + 30)};
    at_ = extra.offset + extra.size + Load<uint16_t>(bytes_.data + begin + 32);
    if (at_ > bytes_.size) return Wrong();
    ZipEntry entry;
    entry.listed = {directory_.place.offset + begin, at_ - begin};
    entry.name.assign(reinterpret_cast<const char*>(bytes_.data) + begin + kZipEntryBytes, name_size);
    entry.is_encrypted = (Load<uint16_t>(bytes_.data + begin + 8) & kEncryptedFlag) != 0;
    entry.method = Load<uint16_t>(bytes_.data + begin + 10);
    entry.checksum = Load<uint32_t>(bytes_.data + begin + 16);
    entry.stored.size = Load<uint32_t>(bytes_.data + begin + 20);
    entry.bytes = Load<uint32_t>(bytes_.data + begin + 24);
    uint64_t head = Load<uint32_t>(bytes_.data + begin + 42);
    if (!TakeLong(extra, {&entry.bytes, &entry.stored.size, &head})) return Wrong();
    PTEEDIT_TRY(Locate(entry, head));
    return entry;
  }

  // Puts numbers of 64 bits where the entry says that they are elsewhere; they stand in this order in the extra field.
  bool TakeLong(Extent extra, std::initializer_list<uint64_t*> numbers) const {
    const uint64_t end = extra.offset + extra.size;
    uint64_t at = extra.offset;
    while (Fits(at, 4, end) && Load<uint16_t>(bytes_.data + at) != kZipLongFieldId)
      at += 4 + Load<uint16_t>(bytes_.data + at + 2);
    at += 4;
    for (uint64_t* number : numbers) {
      if (*number != kZipInLongField) continue;
      if (!Fits(at, sizeof(uint64_t), end)) return false;
      *number = Load<uint64_t>(bytes_.data + at);
      at += sizeof(uint64_t);
    }
    return true;
  }

  // Behind the entry's head, whose name and extra fields may be others than those in the directory.
  Status Locate(ZipEntry& entry, uint64_t head) const {
    const std::string place = Text("entry ", Quoted(entry.name));
    const uint64_t size = source_.size();
    const std::optional<uint64_t> begin = CheckedAdd(directory_.archive_begin, head);
    if (!begin || !Fits(*begin, kZipHeadBytes, size)) {
      return Damaged("zip-damaged", place, Text("begins after the end of the file (", size, " bytes)"));
    }
    PTEEDIT_ASSIGN(const std::vector<uint8_t> read, ReadBytes(source_, {*begin, kZipHeadBytes}));
    const ByteSpan bytes{read.data(), read.size()};
    if (Load<uint32_t>(bytes.data) != kZipHead) {
      return Damaged("zip-damaged", place, Text("has no head at ", Hex(*begin), ", where the directory says it is"));
    }
    entry.head = *begin;
    entry.stored.offset = *begin + kZipHeadBytes + Load<uint16_t>(bytes.data + 26) + Load<uint16_t>(bytes.data + 28);
    if (Fits(entry.stored, size)) return {};
    return Damaged("zip-damaged", place,
                   Text("has ", entry.stored.size, " bytes at ", Hex(entry.stored.offset),
                        ", which end after the end of the file (", size, " bytes)"));
  }

  const Source& source_;
  const Directory& directory_;
  ByteSpan bytes_;
  uint64_t at_ = 0;
  uint64_t number_ = 0;
};

}  // namespace

bool LooksLikeZip(ByteSpan head) { return head.size >= sizeof(kZipHead) && Load<uint32_t>(head.data) == kZipHead; }

std::string_view FirstZipName(ByteSpan head) {
  if (!LooksLikeZip(head) || head.size < kZipHeadBytes) return {};
  const auto size = Load<uint16_t>(head.data + 26);
  if (!Fits(kZipHeadBytes, size, head.size)) return {};
  return {reinterpret_cast<const char*>(head.data) + kZipHeadBytes, size};
}

Result<ZipFile> ZipFile::Open(std::shared_ptr<const Source> source) {
  PTEEDIT_ASSIGN(const Directory directory, DirectoryFinder(*source).Find());
  PTEEDIT_ASSIGN(const std::vector<uint8_t> bytes, ReadBytes(*source, directory.place));
  ZipFile zip;
  PTEEDIT_ASSIGN(zip.entries_, DirectoryReader(*source, directory, {bytes.data(), bytes.size()}).Read());
  zip.by_name_.resize(zip.entries_.size());
  std::iota(zip.by_name_.begin(), zip.by_name_.end(), size_t{0});
  std::stable_sort(zip.by_name_.begin(), zip.by_name_.end(),
                   [&](size_t a, size_t b) { return zip.entries_[a].name < zip.entries_[b].name; });
  zip.source_ = std::move(source);
  zip.comment_ = directory.comment;
  return zip;
}

const ZipEntry* ZipFile::Find(std::string_view name) const {
  const auto behind = std::upper_bound(by_name_.begin(), by_name_.end(), name,
                                       [&](std::string_view wanted, size_t i) { return wanted < entries_[i].name; });
  if (behind == by_name_.begin()) return nullptr;
  const ZipEntry& last = entries_[*std::prev(behind)];
  return last.name == name ? &last : nullptr;
}

Status CheckApart(const ZipFile& zip) {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : zip.entries()) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const ZipEntry* a, const ZipEntry* b) { return a->head < b->head; });
  for (size_t i = 1; i < order.size(); ++i) {
    const uint64_t end = order[i - 1]->stored.offset + order[i - 1]->stored.size;
    if (end <= order[i]->head) continue;
    return Damaged("zip-damaged", Text("entry ", Quoted(order[i]->name)),
                   Text("begins at ", Hex(order[i]->head), ", inside entry ", Quoted(order[i - 1]->name)));
  }
  return {};
}

}  // namespace pteedit
