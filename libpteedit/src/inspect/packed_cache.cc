// What backends/xnnpack/runtime/XNNWeightsCache.cpp of release 1.5.1 writes, little-endian:
//   packed weights, each at the start of a page
//   index: u32 length of the key | key | u64 offset in the file | u64 bytes | u32 seed     as often as there are
//   entries footer: u64 where the index begins | u32 entries | u32 magic | u32 version
// Weights that are added later lie behind the footer, and another index with all entries behind them.
#include "pteedit/packed_cache.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/damage.h"
#include "base/load.h"
#include "base/text.h"
#include "delegates/xnnpack.h"
#include "inspect/claimed_tree.h"
#include "io/streaming.h"
#include "pteedit/delegates.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kFooterBytes = 20;
constexpr uint32_t kCacheMagic = 0x58505743;  // "XPWC", which the file has the other way round
constexpr uint32_t kCacheVersion = 2;
constexpr uint64_t kEntryRestBytes = 20;                 // behind the key
constexpr uint64_t kMaxIndexBytes = uint64_t{16} << 20;  // some 100,000 entries

// Of files that may end like a cache by chance.
constexpr std::string_view kOtherIdentifiers[] = {"ET12", "FT01", "BP08", "ED00"};
constexpr size_t kMagicBegin = 4, kMagicEnd = 8;

constexpr uint64_t kPageBytes[] = {4096, 16384, 65536};  // of the devices; what follows a weight begins at the next one

struct Footer {
  uint64_t index_begin = 0;
  uint32_t entries = 0, magic = 0, version = 0;
};

// One without magic of what is too short.
Result<Footer> ReadFooter(const Source& file) {
  if (file.size() < kFooterBytes) return Footer();
  PTEEDIT_ASSIGN(const std::vector<uint8_t> bytes, ReadBytes(file, {file.size() - kFooterBytes, kFooterBytes}));
  return Footer{Load<uint64_t>(bytes.data()), Load<uint32_t>(bytes.data() + 8), Load<uint32_t>(bytes.data() + 12),
                Load<uint32_t>(bytes.data() + 16)};
}

Status CheckFooter(const Footer& footer, uint64_t file_size) {
  if (footer.magic != kCacheMagic)
    return NotUnderstood("identifier", {},
                         "is no packed-weight cache of XNNPACK: it does not end with 'CWPX' and a version");
  if (footer.version != kCacheVersion)
    return NotUnderstood("version", {}, Text("version is ", footer.version, ", ", kCacheVersion, " expected"));
  if (footer.index_begin >= file_size - kFooterBytes) {
    return Damaged("cache-index", Text("index begins at byte ", footer.index_begin, ", not before the footer at byte ",
                                       file_size - kFooterBytes));
  }
  if (file_size - footer.index_begin <= kMaxIndexBytes) return {};
  return NotUnderstood(
      "unsupported", {},
      Text("index has ", file_size - footer.index_begin, " bytes, at most ", kMaxIndexBytes, " are supported"));
}

class IndexReader {
 public:
  IndexReader(const Footer& footer, ByteSpan index) : footer_(footer), index_(index) {}

  // The runtime takes all entries or none.
  Result<std::vector<PackedCacheEntry>> Read() {
    std::vector<PackedCacheEntry> entries;
    for (uint32_t i = 0; i < footer_.entries; ++i) {
      PTEEDIT_ASSIGN(PackedCacheEntry entry, ReadEntry(i));
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  Result<PackedCacheEntry> ReadEntry(uint32_t number) {
    const std::string where = Text("entry ", number);
    const bool has_length = Fits(at_, sizeof(uint32_t), index_.size);
    const uint64_t length = has_length ? Load<uint32_t>(index_.data + at_) : 0;
    at_ += sizeof(uint32_t);
    if (!has_length || !Fits(at_, length + kEntryRestBytes, index_.size)) {
      return Damaged("cache-index", where,
                     Text("ends behind the index, which should have ", footer_.entries, " entries"));
    }
    PackedCacheEntry entry;
    entry.key.assign(reinterpret_cast<const char*>(index_.data) + at_, length);
    const uint8_t* rest = index_.data + at_ + length;
    at_ += length + kEntryRestBytes;
    entry.place = {Load<uint64_t>(rest), Load<uint64_t>(rest + 8)};
    entry.seed = Load<uint32_t>(rest + 16);
    if (entry.place.offset < footer_.index_begin && Fits(entry.place, footer_.index_begin)) return entry;
    return Damaged("cache-index", where,
                   Text("has ", entry.place.size, " bytes at ", Hex(entry.place.offset),
                        ", which do not end before the index at ", Hex(footer_.index_begin)));
  }

  const Footer& footer_;
  ByteSpan index_;
  uint64_t at_ = 0;
};

Result<std::set<std::string>> KeysOf(const std::vector<ProgramSet>& programs) {
  std::set<std::string> keys;
  for (const ProgramSet& program : programs) {
    PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(program));
    for (const DelegateDescription& delegate : delegates) {
      if (delegate.backend != kXnnpackBackend) continue;
      for (const DelegateDescription::Key& key : delegate.keys) keys.insert(key.key);
    }
  }
  return keys;
}

// Whether `key` is one of `keys`, or two of them one behind the other. Of the keys only the lengths are tried: there
// are as many as a program has, whatever a cache says.
bool IsAskedFor(const std::set<std::string>& keys, const std::set<size_t>& lengths, const std::string& key) {
  if (keys.contains(key)) return true;
  return std::ranges::any_of(lengths, [&](size_t length) {
    return length < key.size() && lengths.contains(key.size() - length) && keys.contains(key.substr(0, length)) &&
           keys.contains(key.substr(length));
  });
}

Result<bool> IsZero(const Source& file, Extent place) {
  bool is_zero = true;
  PTEEDIT_TRY(ForEachPiece(file, place, [&](ByteSpan piece) -> Status {
    is_zero = is_zero && std::all_of(piece.data, piece.data + piece.size, [](uint8_t byte) { return byte == 0; });
    return {};
  }));
  return is_zero;
}

}  // namespace

Result<bool> IsPackedCache(const Source& file) {
  PTEEDIT_ASSIGN(const Footer footer, ReadFooter(file));
  if (footer.magic != kCacheMagic) return false;
  PTEEDIT_ASSIGN(const std::vector<uint8_t> head, ReadBytes(file, {0, kMagicEnd}));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return std::ranges::find(kOtherIdentifiers, text.substr(kMagicBegin)) == std::ranges::end(kOtherIdentifiers);
}

Result<PackedCache> ReadPackedCache(const Source& file) {
  const auto read = [&]() -> Result<PackedCache> {
    PTEEDIT_ASSIGN(const Footer footer, ReadFooter(file));
    PTEEDIT_TRY(CheckFooter(footer, file.size()));
    PackedCache cache;
    cache.index = {footer.index_begin, file.size() - footer.index_begin};
    PTEEDIT_ASSIGN(const std::vector<uint8_t> index,
                   ReadBytes(file, {footer.index_begin, cache.index.size - kFooterBytes}));
    PTEEDIT_ASSIGN(cache.entries, IndexReader(footer, {index.data(), index.size()}).Read());
    return cache;
  };
  Result<PackedCache> cache = read();
  if (!cache) return std::move(cache).error().In(file.name());
  return cache;
}

Result<SizeNode> MeasurePackedCache(const std::shared_ptr<const Source>& file,
                                    const std::vector<ProgramSet>& programs) {
  PTEEDIT_ASSIGN(PackedCache cache, ReadPackedCache(*file));
  PTEEDIT_ASSIGN(const std::set<std::string> keys, KeysOf(programs));
  std::set<size_t> lengths;
  for (const std::string& key : keys) lengths.insert(key.size());
  ClaimedTree tree(file->size());
  const ClaimedTree::Owner packed = tree.AddComponent("Packed Weights");
  const ClaimedTree::Owner stale = tree.AddComponent("Stale Weights");
  const ClaimedTree::Owner index = tree.AddComponent("Index");
  const ClaimedTree::Owner padding = tree.AddComponent("Padding");
  const ClaimedTree::Owner dead = tree.AddComponent("Dead Bytes");
  std::vector<Extent> places;
  for (PackedCacheEntry& entry : cache.entries) {
    places.push_back(entry.place);
    const bool is_stale = !programs.empty() && !IsAskedFor(keys, lengths, entry.key);
    tree.ClaimWhole(tree.AddRow(is_stale ? stale : packed, std::move(entry.key)), entry.place);
  }
  tree.ClaimWhole(index, cache.index);
  for (const Extent& place : places) {
    for (const uint64_t page : kPageBytes)
      tree.SplitGapsAt(std::min(AlignUp(place.offset + place.size, page), cache.index.offset));
  }
  return std::move(tree).Build([&](Extent gap) -> Result<ClaimedTree::Owner> {
    PTEEDIT_ASSIGN(const bool is_zero, IsZero(*file, gap));
    return is_zero ? padding : dead;
  });
}

}  // namespace pteedit
