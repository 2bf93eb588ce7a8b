#include "program/key_search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "io/streaming.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program/listing_size.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// At each byte the question is which keys begin there. A filter of one bit for each key's first bytes answers "none"
// for most places without looking at keys. Else all keys that match begin the greatest key that is not above the text,
// so one binary search finds a candidate, and the match is that key or one that it begins with: these form a chain
// (prefix), which hostile keys ("a", "aa", "aaa", ...) make as long as they like. So each key also has a jump down its
// chain, of lengths that double as in a skip list, and the longest match takes a logarithm of steps. All shorter
// matches follow from it; they are entered until one is there already, so each key is entered once.

constexpr uint64_t kMentionBytes = 64;  // what one takes beside its key

constexpr size_t kMostHead = sizeof(uint64_t);
constexpr size_t kWordBits = 64;
constexpr size_t kBitsPerKey = 16;                // one of sixteen others passes
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio: its upper bits depend on all

std::string_view AsText(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

size_t CommonBytes(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
                             a.begin());
}

}  // namespace

KeySearch::KeySearch(const std::vector<std::string_view>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].empty() && keys[i].size() <= kMaxKeyBytes) order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(),
            [&](size_t a, size_t b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
  keys_.reserve(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || keys[order_[i - 1]] != keys[order_[i]]) AddKey(keys[order_[i]], i);
  }
  head_ = kMostHead;
  for (const Key& key : keys_) head_ = std::min(head_, key.text.size());
  filter_.resize(std::bit_ceil(std::max<size_t>(keys_.size() * kBitsPerKey / kWordBits, 2)));
  for (const Key& key : keys_) {
    const size_t bit = BitOf(reinterpret_cast<const uint8_t*>(key.text.data()), key.text.size());
    filter_[bit / kWordBits] |= uint64_t{1} << bit % kWordBits;
  }
}

size_t KeySearch::BitOf(const uint8_t* bytes, size_t left) const {
  uint64_t head = 0;
  if (left >= kMostHead) {
    std::memcpy(&head, bytes, kMostHead);
  } else {
    std::memcpy(&head, bytes, head_);
  }
  head <<= (kMostHead - head_) * 8;  // little-endian: what lies behind the head goes
  return static_cast<size_t>(head * kSpread >>
                             (kWordBits - static_cast<size_t>(std::countr_zero(filter_.size() * kWordBits))));
}

bool KeySearch::MayStart(const uint8_t* bytes, size_t left) const {
  const size_t bit = BitOf(bytes, left);
  return (filter_[bit / kWordBits] >> bit % kWordBits & 1) != 0;
}

// In sorted order.
void KeySearch::AddKey(std::string_view text, size_t first) {
  Key key{text, first};
  // The keys that begin with one another follow each other, so the prefix is found by climbing.
  key.prefix = keys_.empty() ? kNone : keys_.size() - 1;
  while (key.prefix != kNone && !text.starts_with(keys_[key.prefix].text)) key.prefix = keys_[key.prefix].prefix;
  if (key.prefix != kNone) {
    const Key& prefix = keys_[key.prefix];
    key.depth = prefix.depth + 1;
    // Jumps of two equal lengths become one of both, so that lengths grow like those of binary digits.
    const bool doubles =
        prefix.jump != kNone && keys_[prefix.jump].jump != kNone &&
        prefix.depth - keys_[prefix.jump].depth == keys_[prefix.jump].depth - keys_[keys_[prefix.jump].jump].depth;
    key.jump = doubles ? keys_[prefix.jump].jump : key.prefix;
  }
  longest_ = std::max(longest_, text.size());
  keys_.push_back(key);
}

// The last key that is not greater begins with all that match, and those it begins with match as far as it does.
size_t KeySearch::LongestMatch(std::string_view text) const {
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), text,
                                      [](std::string_view value, const Key& key) { return value < key.text; });
  if (after == keys_.begin()) return kNone;
  size_t match = static_cast<size_t>(after - keys_.begin()) - 1;
  const size_t common = CommonBytes(text, keys_[match].text);
  while (match != kNone && keys_[match].text.size() > common) {
    const size_t jump = keys_[match].jump;
    match = jump != kNone && keys_[jump].text.size() > common ? jump : keys_[match].prefix;
  }
  return match;
}

void KeySearch::Scan(ByteSpan bytes, Found& found) const {
  for (size_t i = 0; i + head_ <= bytes.size; ++i) {
    if (!MayStart(bytes.data + i, bytes.size - i)) continue;
    const std::string_view text = AsText({bytes.data + i, std::min(bytes.size - i, longest_)});
    for (size_t match = LongestMatch(text); match != kNone && found.insert(match).second;) match = keys_[match].prefix;
  }
}

std::vector<size_t> KeySearch::IndicesOf(const Found& found) const {
  std::vector<size_t> indices;
  for (const size_t key : found) {
    const size_t end = key + 1 < keys_.size() ? keys_[key + 1].first : order_.size();
    for (size_t i = keys_[key].first; i < end; ++i) indices.push_back(order_[i]);
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<size_t> KeySearch::FindInAny(const std::vector<ByteSpan>& texts) const {
  Found found;
  if (keys_.empty()) return {};
  for (const ByteSpan text : texts) Scan(text, found);
  return IndicesOf(found);
}

Result<std::vector<size_t>> KeySearch::FindIn(const Source& source, Extent extent) const {
  if (keys_.empty()) return std::vector<size_t>();
  Found found;
  std::vector<uint8_t> window;  // the end of the last piece, where a key may have begun, and the new one
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    window.insert(window.end(), piece.data, piece.data + piece.size);
    Scan({window.data(), window.size()}, found);
    const size_t keep = std::min(window.size(), longest_ - 1);
    window.erase(window.begin(), window.end() - static_cast<std::ptrdiff_t>(keep));
    return Status();
  }));
  return IndicesOf(found);
}

Result<std::vector<std::vector<std::vector<size_t>>>> KeysOfDelegates(const Container& program,
                                                                      const std::vector<std::string_view>& keys) {
  const KeySearch search(keys);
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> by_blob;
  std::vector<std::vector<std::vector<size_t>>> result;
  uint64_t most = MostListedBytes(program);
  for (const std::string_view key : keys) most += kMentionBytes + key.size();  // each once, however small the tables
  ListingBudget budget(most);
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    result.emplace_back();
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      const Extent blob = BlobExtent(program, *delegate);
      const auto [place, is_new] = by_blob.try_emplace({blob.offset, blob.size});
      if (is_new) {
        PTEEDIT_ASSIGN(place->second, search.FindIn(*program.source(), blob));
      }
      std::vector<ByteSpan> specs;
      for (const schema::CompileSpec* spec : OrEmpty(delegate->compile_specs()))
        specs.push_back({OrEmpty(spec->value()).data(), OrEmpty(spec->value()).size()});
      const std::vector<size_t> more = search.FindInAny(specs);
      std::vector<size_t> mentioned;
      std::set_union(place->second.begin(), place->second.end(), more.begin(), more.end(),
                     std::back_inserter(mentioned));
      for (const size_t key : mentioned) {
        Status taken = budget.Take(kMentionBytes + keys[key].size(), "keys that delegates mention");
        if (!taken) return std::move(taken).error().In(program.name());
      }
      result.back().push_back(std::move(mentioned));
    }
  }
  return result;
}

Result<std::vector<bool>> FindReferredData(const ProgramSet& set) {
  const schema::Program& root = set.program().state().program_root();
  std::set<std::string_view> referred;
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
    if (StoreOf(root, tensor) == Store::kExternal)
      referred.insert(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
  });
  std::vector<bool> found;
  std::vector<std::string_view> keys;  // of files that no tensor refers to
  std::vector<size_t> files;           // by key
  for (const Container& file : set.data()) {
    const std::vector<NamedEntry>& entries = file.named_data();
    found.push_back(std::any_of(entries.begin(), entries.end(),
                                [&](const NamedEntry& entry) { return referred.count(entry.key) != 0; }));
    for (size_t i = 0; !found.back() && i < entries.size(); ++i) {
      keys.push_back(entries[i].key);
      files.push_back(found.size() - 1);
    }
  }
  if (keys.empty()) return found;
  PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(set.program(), keys));
  for (const auto& method : mentioned) {
    for (const auto& delegate : method) {
      for (const size_t key : delegate) found[files[key]] = true;
    }
  }
  return found;
}

}  // namespace pteedit
