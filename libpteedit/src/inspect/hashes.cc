#include "pteedit/hashes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "io/extent_hashes.h"
#include "program/container_state.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kXxhBytes = 16;

struct Rows {
  void Add(HashedContent content, std::string name, Extent place) {
    rows.push_back({std::move(name), place.size, content});
    places.push_back(place);
  }
  void MakeRoom(size_t count) {
    rows.reserve(count);
    places.reserve(count);
  }

  std::vector<ContentHash> rows;  // without hashes
  std::vector<Extent> places;     // of each
};

// What the rows of a component are, where they are hashed.
std::optional<HashedContent> ContentOf(std::string_view component) {
  if (component == "Constant Tensors") return HashedContent::kConstant;
  if (component == "Mutable Tensors") return HashedContent::kMutable;
  if (component == "Delegate Blobs") return HashedContent::kDelegate;
  if (component == "Named Data" || component == "Tensors") return HashedContent::kKey;
  return std::nullopt;
}

// At most so many rows.
size_t CountRows(const std::vector<SizeNode>& components) {
  size_t count = 0;
  for (const SizeNode& component : components) {
    if (component.name == "Program") count += CountRows(component.components);
    if (!ContentOf(component.name)) continue;
    for (const SizeNode& row : component.components) count += 1 + row.more->aliases.size();
  }
  return count;
}

// Takes the names, and lets go of what was looked at: there may be as many rows as tables.
void AddRows(std::vector<SizeNode> components, const std::vector<std::string_view>& keys, Rows& list) {
  for (SizeNode& component : components) {
    if (component.name == "Program") AddRows(std::move(component.components), keys, list);
    const std::optional<HashedContent> content = ContentOf(component.name);
    if (!content) continue;
    for (SizeNode& row : component.components) {
      const auto add = [&](std::string name) {
        if (content != HashedContent::kKey ||
            std::ranges::binary_search(keys, std::string_view(name)))  // else the key begins with it
          list.Add(*content, std::move(name), *row.place);
      };
      add(std::move(row.name));
      for (const std::string& alias : row.more->aliases) add(alias);
    }
    component = {};
  }
}

Result<Rows> RowsOf(const Container& file) {
  PTEEDIT_ASSIGN(SizeNode sizes, MeasureSizes(file, {.pieces = SizePieces::kNone}));
  const Container& inner = ProgramIn(file);
  Rows list;
  list.MakeRoom(1 + CountRows(sizes.components) + inner.segments().size());
  list.Add(HashedContent::kFile, {}, *sizes.place);
  std::vector<std::string_view> keys;
  keys.reserve(inner.named_data().size());
  for (const NamedEntry& entry : inner.named_data()) keys.push_back(entry.key);
  std::ranges::sort(keys);
  AddRows(std::move(sizes.components), keys, list);
  for (size_t i = 0; i < inner.segments().size(); ++i) {
    Extent place = inner.segments()[i];
    place.offset += file.program_extent().offset;
    list.Add(HashedContent::kSegment, std::to_string(i), place);
  }
  return list;
}

void Put(const Sha256Digest& digest, ContentHash& row) { row.kind = HashKind::kSha256, row.digest = digest.bytes; }
void Put(const Xxh128Digest& digest, ContentHash& row) {
  row.kind = HashKind::kXxh3;
  const std::array<uint8_t, kXxhBytes> bytes = digest.Bytes();
  std::copy(bytes.begin(), bytes.end(), row.digest.begin());
}

// Equal places are read once.
template <class Hash>
Status HashRows(const Source& source, unsigned threads, Rows list, std::vector<ContentHash>& hashes) {
  hashes = std::move(list.rows);
  std::vector<uint32_t> order(hashes.size());  // by place
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) { return std::pair(list.places[i].offset, list.places[i].size); });
  std::vector<Extent> places;
  std::vector<uint32_t> firsts;  // of the rows in that order, for each place
  places.reserve(order.size());
  firsts.reserve(order.size() + 1);
  for (uint32_t i = 0; i < order.size(); ++i) {
    const Extent place = list.places[order[i]];
    if (!places.empty() && places.back() == place) continue;
    places.push_back(place);
    firsts.push_back(i);
  }
  firsts.push_back(static_cast<uint32_t>(order.size()));
  list.places = std::vector<Extent>();
  return HashExtents<Hash>(source, places, threads, [&](size_t place, const auto& digest) {
    for (uint32_t i = firsts[place]; i < firsts[place + 1]; ++i) Put(digest, hashes[order[i]]);
  });
}

}  // namespace

std::string_view ContentHash::what() const {
  constexpr std::array<std::string_view, 6> kNames = {"file", "constant", "mutable", "delegate", "key", "segment"};
  return kNames[static_cast<size_t>(content)];
}

std::string ContentHash::Hex() const {
  const size_t length = kind == HashKind::kSha256 ? digest.size() : kXxhBytes;
  return HexDigits({reinterpret_cast<const char*>(digest.data()), length});
}

Result<std::vector<ContentHash>> HashContents(const Container& named, HashKind kind, unsigned threads) {
  const Container file = Container::State::Unnamed(named);
  PTEEDIT_ASSIGN(Rows list, RowsOf(file));
  std::vector<ContentHash> hashes;
  PTEEDIT_TRY(kind == HashKind::kSha256 ? HashRows<Sha256>(*file.source(), threads, std::move(list), hashes)
                                        : HashRows<Xxh128>(*file.source(), threads, std::move(list), hashes));
  return hashes;
}

}  // namespace pteedit
