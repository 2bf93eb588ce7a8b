#include "hash_list.h"

#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "pteedit/text.h"

namespace pteedit::inspect {
namespace {

constexpr size_t kXxh3Digits = 32;
constexpr size_t kSha256Digits = 64;

using Name = std::pair<std::string, std::string>;  // what, and its escaped name

struct List {
  HashKind kind = HashKind::kXxh3;
  std::map<Name, std::string> hashes;
};

// "<hex>  <what> <name>", or "<hex>  file".
std::optional<std::pair<std::string, Name>> ParseLine(const std::string& line) {
  const size_t digits = line.find_first_not_of("0123456789abcdef");
  if ((digits != kXxh3Digits && digits != kSha256Digits) || line.compare(digits, 2, "  ") != 0) return std::nullopt;
  const std::string rest = line.substr(digits + 2);
  const size_t space = rest.find(' ');
  const std::string what = rest.substr(0, space);
  static const std::set<std::string> known{"file", "constant", "mutable", "delegate", "key", "segment"};
  if (known.count(what) == 0 || (space == std::string::npos) != (what == "file")) return std::nullopt;
  return std::pair(line.substr(0, digits), Name(what, what == "file" ? std::string() : rest.substr(space + 1)));
}

Result<List> ReadList(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return IoError(std::string("cannot open: ") + std::strerror(errno)).In(file);
  List list;
  size_t digits = 0;
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto parsed = ParseLine(line);
    if (!parsed || (digits != 0 && parsed->first.size() != digits)) {
      const char* problem = parsed ? " has another kind of hash than those before" : " is no line of a list of hashes";
      return InvalidArgument("line " + std::to_string(number) + problem).In(file);
    }
    digits = parsed->first.size();
    list.hashes.emplace(parsed->second, parsed->first);
  }
  if (in.bad()) return IoError("cannot be read").In(file);
  if (list.hashes.empty()) return InvalidArgument("has no hashes").In(file);
  list.kind = digits == kSha256Digits ? HashKind::kSha256 : HashKind::kXxh3;
  return list;
}

}  // namespace

std::string HashList(const std::vector<ContentHash>& hashes) {
  std::string text;
  for (const ContentHash& one : hashes) {
    text += one.hex + "  " + one.what + (one.what == "file" ? "" : " " + EscapeControl(one.name)) + "\n";
  }
  return text;
}

Result<std::vector<HashDifference>> CheckHashes(const Container& container, const std::string& list, unsigned threads) {
  Result<List> wanted = ReadList(list);
  if (!wanted) return wanted.error();
  const Result<std::vector<ContentHash>> found = HashContents(container, wanted->kind, threads);
  if (!found) return found.error();
  std::set<std::string> kinds;
  for (const auto& [name, hash] : wanted->hashes) kinds.insert(name.first);
  std::vector<HashDifference> differences;
  std::set<Name> seen;
  for (const ContentHash& one : *found) {
    const Name name(one.what, EscapeControl(one.name));
    if (kinds.count(one.what) == 0 || !seen.insert(name).second) continue;
    const auto expected = wanted->hashes.find(name);
    if (expected == wanted->hashes.end()) {
      differences.push_back({name.first, name.second, "is new"});
    } else if (expected->second != one.hex) {
      differences.push_back({name.first, name.second, "has other bytes"});
    }
  }
  for (const auto& [name, hash] : wanted->hashes) {
    if (seen.count(name) == 0) differences.push_back({name.first, name.second, "is gone"});
  }
  return differences;
}

}  // namespace pteedit::inspect
