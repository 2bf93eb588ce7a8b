#include "pteedit/hashes.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "io/digest.h"
#include "io/extent_hashes.h"
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
      names.insert(names.end(), row.more->aliases.begin(), row.more->aliases.end());
      for (std::string& name : names) {
        if (what == "key" && keys.count(name) == 0) continue;  // which the key begins with
        if (!what.empty()) list.push_back({{std::string(what), std::move(name), row.place->size, {}}, *row.place});
      }
    }
  }
}

Result<std::vector<std::string>> HashPlaces(const Source& source, const std::vector<Extent>& places, HashKind kind,
                                            unsigned threads) {
  if (kind == HashKind::kSha256) return HashExtents<Sha256>(source, places, threads);
  return HashExtents<Xxh128>(source, places, 1);  // as fast as memory: what moves between two cores takes longer
}

}  // namespace

Result<std::vector<ContentHash>> HashContents(const Container& named, HashKind kind, unsigned threads) {
  const Container file = Container::State::Unnamed(named);
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file, {.pieces = false}));
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
  std::map<std::pair<uint64_t, uint64_t>, size_t> numbers;  // of the places, in the order of their offsets
  for (const Hashed& one : list) numbers.try_emplace({one.place.offset, one.place.size});
  std::vector<Extent> places;
  for (auto& [place, number] : numbers) {
    number = places.size();
    places.push_back({place.first, place.second});
  }
  PTEEDIT_ASSIGN(const std::vector<std::string> hex, HashPlaces(*file.source(), places, kind, threads));
  std::vector<ContentHash> rows;
  for (Hashed& one : list) {
    one.row.hex = hex[numbers.at({one.place.offset, one.place.size})];
    rows.push_back(std::move(one.row));
  }
  return rows;
}

}  // namespace pteedit
