#include "pteedit/hashes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
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
  void Add(std::string_view what, std::string name, Extent place) {
    rows.push_back({what, std::move(name), place.size});
    places.push_back(place);
  }
  void MakeRoom(size_t count) {
    rows.reserve(count);
    places.reserve(count);
  }

  std::vector<ContentHash> rows;  // without hashes
  std::vector<Extent> places;     // of each
};

std::string_view WhatIsIn(const std::string& component) {
  if (component == "Constant Tensors") return "constant";
  if (component == "Mutable Tensors") return "mutable";
  if (component == "Delegate Blobs") return "delegate";
  if (component == "Named Data" || component == "Tensors") return "key";
  return "";
}

// At most so many rows.
size_t CountRows(const std::vector<SizeNode>& components) {
  size_t count = 0;
  for (const SizeNode& component : components) {
    if (component.name == "Program") count += CountRows(component.components);
    if (WhatIsIn(component.name).empty()) continue;
    for (const SizeNode& row : component.components) count += 1 + row.more->aliases.size();
  }
  return count;
}

// Takes the names, and lets go of what was looked at: there may be as many rows as tables.
void AddRows(std::vector<SizeNode> components, const std::set<std::string_view>& keys, Rows& list) {
  for (SizeNode& component : components) {
    if (component.name == "Program") AddRows(std::move(component.components), keys, list);
    const std::string_view what = WhatIsIn(component.name);
    if (what.empty()) continue;
    for (SizeNode& row : component.components) {
      const auto add = [&](std::string name) {
        if (what != "key" || keys.contains(name))  // else the key begins with it
          list.Add(what, std::move(name), *row.place);
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
  list.Add("file", {}, *sizes.place);
  std::set<std::string_view> keys;
  for (const NamedEntry& entry : inner.named_data()) keys.insert(entry.key);
  AddRows(std::move(sizes.components), keys, list);
  for (size_t i = 0; i < inner.segments().size(); ++i) {
    Extent place = inner.segments()[i];
    place.offset += file.program_extent().offset;
    list.Add("segment", std::to_string(i), place);
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
Status HashRows(const Source& source, unsigned threads, Rows& list) {
  std::vector<size_t> order(list.rows.size());  // by place
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::tie(list.places[a].offset, list.places[a].size) < std::tie(list.places[b].offset, list.places[b].size);
  });
  std::vector<Extent> places;
  for (const size_t i : order) {
    if (places.empty() || places.back() != list.places[i]) places.push_back(list.places[i]);
  }
  PTEEDIT_ASSIGN(const Digests<Hash> digests, HashExtents<Hash>(source, places, threads));
  size_t number = 0;
  for (const size_t i : order) {
    if (places[number] != list.places[i]) ++number;
    Put(digests[number], list.rows[i]);
  }
  return {};
}

}  // namespace

std::string ContentHash::Hex() const {
  const size_t length = kind == HashKind::kSha256 ? digest.size() : kXxhBytes;
  return HexDigits({reinterpret_cast<const char*>(digest.data()), length});
}

Result<std::vector<ContentHash>> HashContents(const Container& named, HashKind kind, unsigned threads) {
  const Container file = Container::State::Unnamed(named);
  PTEEDIT_ASSIGN(auto list, RowsOf(file));
  // XXH3 is as fast as memory: what moves between two cores takes longer.
  PTEEDIT_TRY(kind == HashKind::kSha256 ? HashRows<Sha256>(*file.source(), threads, list)
                                        : HashRows<Xxh128>(*file.source(), 1, list));
  return std::move(list.rows);
}

}  // namespace pteedit
