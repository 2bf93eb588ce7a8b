#include "hash_list.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

constexpr size_t kXxh3Digits = 32;
constexpr size_t kSha256Digits = 64;

using Name = std::pair<std::string, std::string>;  // what, and its escaped name

// Several contents may have one name. Their order is that of the program's values, which no rewrite changes.
using Hashes = std::map<Name, std::vector<std::string>>;

struct List {
  HashKind kind = HashKind::kXxh3;
  Hashes hashes;
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
    list.hashes[parsed->second].push_back(parsed->first);
  }
  if (in.bad()) return IoError("cannot be read").In(file);
  if (list.hashes.empty()) return InvalidArgument("has no hashes").In(file);
  list.kind = digits == kSha256Digits ? HashKind::kSha256 : HashKind::kXxh3;
  return list;
}

// "has other bytes", and which it is where the list has several of the name.
std::string ProblemOf(const char* problem, size_t index, size_t count) {
  if (count < 2) return problem;
  return problem + (" (number " + std::to_string(index + 1) + " of its name)");
}

// Each hash once, as where equal contents are stored once.
std::vector<std::string> Different(const std::vector<std::string>& hashes) {
  std::vector<std::string> different;
  std::set<std::string> seen;
  for (const std::string& hash : hashes) {
    if (seen.insert(hash).second) different.push_back(hash);
  }
  return different;
}

// Of the contents of one name.
void Compare(const Name& name, std::vector<std::string> wanted, std::vector<std::string> found,
             std::vector<HashDifference>& differences) {
  if (wanted.size() != found.size()) wanted = Different(wanted), found = Different(found);
  const size_t count = std::max(wanted.size(), found.size());
  for (size_t i = 0; i < count; ++i) {
    const bool is_both = i < wanted.size() && i < found.size();
    if (is_both && wanted[i] == found[i]) continue;
    const char* problem = is_both ? "has other bytes" : i < found.size() ? "is new" : "is gone";
    differences.push_back({name.first, name.second, ProblemOf(problem, i, count)});
  }
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
  PTEEDIT_ASSIGN(List wanted, ReadList(list));
  PTEEDIT_ASSIGN(const std::vector<ContentHash> found, HashContents(container, wanted.kind, threads));
  std::set<std::string> kinds;
  for (const auto& [name, hash] : wanted.hashes) kinds.insert(name.first);
  Hashes hashes;
  std::vector<Name> order;
  for (const ContentHash& one : found) {
    const Name name(one.what, EscapeControl(one.name));
    if (kinds.count(one.what) == 0) continue;
    if (hashes[name].empty()) order.push_back(name);
    hashes[name].push_back(one.hex);
  }
  std::vector<HashDifference> differences;
  for (const Name& name : order) Compare(name, wanted.hashes[name], hashes[name], differences);
  for (const auto& [name, list_hashes] : wanted.hashes) {
    if (hashes.count(name) == 0) Compare(name, list_hashes, {}, differences);
  }
  return differences;
}

}  // namespace pteedit::cli
