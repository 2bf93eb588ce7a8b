#include "views/hash_list.h"

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

// Several contents may have one name. Their order is that of the program's values, which no rewrite changes, then that
// of the data files.
struct Held {
  std::string hex;
  std::string file;  // that holds it; empty in a list
};
// Of one name.
struct Contents {
  std::vector<Held> wanted, found;
};

struct List {
  HashKind kind = HashKind::kXxh3;
  std::map<Name, Contents> contents;
};

// "<hex>  <what> <name>", or "<hex>  file".
std::optional<std::pair<std::string, Name>> ParseLine(const std::string& line) {
  const size_t digits = line.find_first_not_of("0123456789abcdef");
  if ((digits != kXxh3Digits && digits != kSha256Digits) || line.compare(digits, 2, "  ") != 0) return std::nullopt;
  const std::string rest = line.substr(digits + 2);
  const size_t space = rest.find(' ');
  const std::string what = rest.substr(0, space);
  static const std::set<std::string> kKnown{"file", "constant", "mutable", "delegate", "key", "segment"};
  if (kKnown.count(what) == 0 || (space == std::string::npos) != (what == "file")) return std::nullopt;
  return std::pair(line.substr(0, digits), Name(what, what == "file" ? std::string() : rest.substr(space + 1)));
}

// "model.pte:", as stands above the list of each of several files.
bool IsTitle(const std::string& line, bool is_section_start) { return is_section_start && line.ends_with(':'); }

Result<List> ReadList(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return IoError(std::string("cannot open: ") + std::strerror(errno)).In(file);
  List list;
  size_t digits = 0;
  size_t number = 0;
  bool is_section_start = true;
  for (std::string line; std::getline(in, line); is_section_start = line.empty()) {
    ++number;
    const auto parsed = ParseLine(line);
    if (!parsed && (line.empty() || IsTitle(line, is_section_start))) continue;
    if (!parsed || (digits != 0 && parsed->first.size() != digits)) {
      const char* problem = parsed ? " has another kind of hash than those before" : " is no line of a list of hashes";
      return InvalidArgument("line " + std::to_string(number) + problem).In(file);
    }
    digits = parsed->first.size();
    list.contents[parsed->second].wanted.push_back({parsed->first, {}});
  }
  if (in.bad()) return IoError("cannot be read").In(file);
  if (list.contents.empty()) return InvalidArgument("has no hashes").In(file);
  list.kind = digits == kSha256Digits ? HashKind::kSha256 : HashKind::kXxh3;
  return list;
}

// "has other bytes", and which it is where the list has several of the name.
std::string ProblemOf(const char* problem, size_t index, size_t count) {
  if (count < 2) return problem;
  return problem + (" (number " + std::to_string(index + 1) + " of its name)");
}

// Each hash once, as where equal contents are stored once.
std::vector<Held> Different(const std::vector<Held>& contents) {
  std::vector<Held> different;
  std::set<std::string> seen;
  for (const Held& one : contents) {
    if (seen.insert(one.hex).second) different.push_back(one);
  }
  return different;
}

// Of the contents of one name.
void Compare(const Name& name, const Contents& contents, CheckedHashes& checked) {
  auto [wanted, found] = contents;
  if (wanted.size() != found.size()) wanted = Different(wanted), found = Different(found);
  const size_t count = std::max(wanted.size(), found.size());
  checked.contents += count;
  for (size_t i = 0; i < count; ++i) {
    const bool is_found = i < found.size();
    const bool is_both = i < wanted.size() && is_found;
    if (is_both && wanted[i].hex == found[i].hex) continue;
    const char* problem = is_both ? "has other bytes" : is_found ? "is new" : "is gone";
    checked.differences.push_back(
        {is_found ? found[i].file : checked.file, name.first, name.second, ProblemOf(problem, i, count)});
  }
}

// Adds what the file and its data files hold of the kinds that the list speaks of. Returns the names in their order.
Result<std::vector<const Name*>> FindHashes(const ProgramSet& set, unsigned threads, List& list) {
  std::set<std::string_view> kinds;
  for (const auto& [name, contents] : list.contents) kinds.insert(name.first);
  std::vector<Container> files{set.file()};
  files.insert(files.end(), set.data().begin(), set.data().end());
  std::vector<const Name*> order;
  for (const Container& file : files) {
    PTEEDIT_ASSIGN(const std::vector<ContentHash> hashes, HashContents(file, list.kind, threads));
    for (const ContentHash& one : hashes) {
      if (kinds.count(one.what()) == 0) continue;
      auto& [name, contents] = *list.contents.try_emplace(Name(one.what(), EscapeControl(one.name))).first;
      if (contents.found.empty()) order.push_back(&name);
      contents.found.push_back({one.Hex(), file.name()});
    }
  }
  return order;
}

}  // namespace

void PrintHashList(const std::vector<ContentHash>& hashes, std::ostream& out) {
  for (const ContentHash& one : hashes) {
    out << one.Hex() << "  " << one.what();
    if (one.what() != "file") out << ' ' << EscapeControl(one.name);
    out << '\n';
  }
}

Result<CheckedHashes> CheckHashes(const ProgramSet& set, const std::string& list, unsigned threads) {
  PTEEDIT_ASSIGN(List both, ReadList(list));
  PTEEDIT_ASSIGN(const std::vector<const Name*> order, FindHashes(set, threads, both));
  CheckedHashes checked{set.name(), 0, {}};
  for (const Name* name : order) Compare(*name, both.contents.at(*name), checked);
  for (const auto& [name, contents] : both.contents) {
    if (contents.found.empty()) Compare(name, contents, checked);
  }
  return checked;
}

}  // namespace pteedit::cli
