#include "program/key_promises.h"

#include <map>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "io/digest.h"
#include "program/content_key.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool IsOurs(const NamedEntry& entry) { return entry.layout && IsContentKey(entry.key); }

}  // namespace

bool PromisesContent(const NamedEntry& entry, bool is_hash) {
  return IsOurs(entry) || (is_hash && IsSha256Key(entry.key));
}

Result<std::vector<Sha256Digest>> HashEntries(const Container& file, const std::vector<const NamedEntry*>& entries,
                                              unsigned threads) {
  std::map<std::pair<uint64_t, uint64_t>, size_t> numbers;
  std::vector<Extent> contents;
  std::vector<size_t> content_of;
  for (const NamedEntry* entry : entries) {
    const Extent content = ContentOf(*entry);
    const auto [place, is_new] = numbers.try_emplace({content.offset, content.size}, contents.size());
    if (is_new) contents.push_back(content);
    content_of.push_back(place->second);
  }
  std::vector<Sha256Digest> digests(contents.size());
  PTEEDIT_TRY(ParallelFor(contents.size(), threads, [&](size_t i) -> Status {
    PTEEDIT_ASSIGN(digests[i], Sha256Of(*file.source(), contents[i]));
    return {};
  }));
  std::vector<Sha256Digest> by_entry;
  for (const size_t content : content_of) by_entry.push_back(digests[content]);
  return by_entry;
}

Result<std::vector<Finding>> FindBrokenPromises(const Container& file, const std::vector<const NamedEntry*>& entries,
                                                unsigned threads) {
  PTEEDIT_ASSIGN(const std::vector<Sha256Digest> digests, HashEntries(file, entries, threads));
  std::vector<Finding> found;
  for (size_t i = 0; i < entries.size(); ++i) {
    const NamedEntry& entry = *entries[i];
    const Sha256Digest& digest = digests[i];
    const std::string kept = IsOurs(entry) ? ContentKey(digest, *entry.layout) : Sha256KeyLike(entry.key, digest);
    if (kept == entry.key) continue;
    found.push_back({"key-hash", Severity::kError, Text("key ", Quoted(entry.key)),
                     Text("promises other bytes than it has, whose key is ", Quoted(kept))});
  }
  return found;
}

}  // namespace pteedit
