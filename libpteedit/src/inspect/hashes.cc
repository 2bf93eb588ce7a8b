#include "pteedit/hashes.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

struct Hashed {
  ContentHash row;
  Extent place;
};

const char* WhatIsIn(const std::string& component) {
  if (component == "Constant Tensors") return "constant";
  if (component == "Mutable Tensors") return "mutable";
  if (component == "Delegate Blobs") return "delegate";
  if (component == "Named Data" || component == "Tensors") return "key";
  return "";
}

void AddRows(const std::vector<SizeNode>& components, const std::set<std::string_view>& keys,
             std::vector<Hashed>& list) {
  for (const SizeNode& component : components) {
    if (component.name == "Program") AddRows(component.components, keys, list);
    const std::string_view what = WhatIsIn(component.name);
    for (const SizeNode& row : component.components) {
      std::vector<std::string> names{row.name};
      names.insert(names.end(), row.aliases.begin(), row.aliases.end());
      for (std::string& name : names) {
        if (what == "key" && keys.count(name) == 0) continue;  // which the key begins with
        if (!what.empty()) list.push_back({{std::string(what), std::move(name), row.place->size, {}}, *row.place});
      }
    }
  }
}

Result<std::string> HexOf(const Source& source, Extent extent, HashKind kind) {
  if (kind == HashKind::kSha256) {
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(source, extent));
    return digest.Hex();
  }
  PTEEDIT_ASSIGN(const Xxh128Digest digest, Xxh128Of(source, extent));
  return digest.Hex();
}

}  // namespace

Result<std::vector<ContentHash>> HashContents(const Container& named, HashKind kind, unsigned threads) {
  const Container file = Container::State::Unnamed(named);
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file));
  std::vector<Hashed> list{{{"file", {}, sizes.size, {}}, *sizes.place}};
  std::set<std::string_view> keys;
  for (const NamedEntry& entry : ProgramIn(file).named_data()) keys.insert(entry.key);
  AddRows(sizes.components, keys, list);
  const Container& inner = ProgramIn(file);
  for (size_t i = 0; i < inner.segments().size(); ++i) {
    Extent place = inner.segments()[i];
    place.offset += file.program_extent().offset;
    list.push_back({{"segment", std::to_string(i), place.size, {}}, place});
  }
  std::map<std::pair<uint64_t, uint64_t>, std::optional<Result<std::string>>> hashes;  // by place
  for (const Hashed& one : list) hashes.try_emplace({one.place.offset, one.place.size});
  std::vector<decltype(hashes)::value_type*> places;
  for (auto& place : hashes) places.push_back(&place);
  ParallelFor(places.size(), threads, [&](size_t i) {
    places[i]->second = HexOf(*file.source(), {places[i]->first.first, places[i]->first.second}, kind);
  });
  std::vector<ContentHash> rows;
  for (Hashed& one : list) {
    const Result<std::string>& hex = *hashes.at({one.place.offset, one.place.size});
    if (!hex) return hex.error();
    one.row.hex = *hex;
    rows.push_back(std::move(one.row));
  }
  return rows;
}

}  // namespace pteedit
