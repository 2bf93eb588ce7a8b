#include "pteedit/shards.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>

#include "base/text.h"
#include "formats/json_text.h"

namespace pteedit {
namespace {

// Where the number of a shard goes.
size_t StemOf(const std::string& name) {
  const size_t dot = name.rfind('.'), slash = name.rfind('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return has_extension ? dot : name.size();
}

// The number that `text` ends with, which goes.
std::optional<size_t> TakeNumber(std::string_view& text) {
  const size_t end = text.find_last_not_of("0123456789");
  const size_t begin = end == std::string_view::npos ? 0 : end + 1;
  size_t number = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  text = text.substr(0, begin);
  return number;
}

}  // namespace

std::string ShardName(const std::string& name, size_t index, size_t count) {
  if (count == 1) return name;
  char number[64];
  std::snprintf(number, sizeof(number), "-%05zu-of-%05zu", index + 1, count);
  return name.substr(0, StemOf(name)) + number + name.substr(StemOf(name));
}

std::optional<ShardOf> FindShard(const std::string& path) {
  std::string_view stem = std::string_view(path).substr(0, StemOf(path));
  const std::optional<size_t> count = TakeNumber(stem);
  if (!count || !stem.ends_with("-of-")) return std::nullopt;
  stem.remove_suffix(4);
  const std::optional<size_t> number = TakeNumber(stem);
  if (!number || *number == 0 || *number > *count || !stem.ends_with('-')) return std::nullopt;
  stem.remove_suffix(1);
  ShardOf shard{std::string(stem) + path.substr(StemOf(path)), *number - 1, *count};
  if (ShardName(shard.name, shard.index, shard.count) != path) return std::nullopt;
  return shard;
}

std::string ShardIndexText(const std::vector<IndexedShard>& shards) {
  std::map<std::string, std::string> files;  // by key
  for (const IndexedShard& shard : shards) {
    for (const std::string& key : shard.keys) files.emplace(key, shard.file);
  }
  const std::string rows = Joined(shards, ",", [](const IndexedShard& shard) {
    return Text("\n  {\n   \"file\": ", JsonText(shard.file), ",\n   \"bytes\": ", shard.bytes, "\n  }");
  });
  const std::string keys =
      Joined(files, ",", [](const auto& key) { return Text("\n  ", JsonText(key.first), ": ", JsonText(key.second)); });
  return Text("{\n \"schema_version\": 1,\n \"shards\": [", rows, "\n ],\n \"keys\": {", keys, "\n }\n}\n");
}

}  // namespace pteedit
