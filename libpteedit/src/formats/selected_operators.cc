#include "formats/selected_operators.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kOperators = "operators", kKeys = "et_kernel_metadata", kAll = "include_all_operators";
constexpr size_t kMaxLevels = 32;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string_view WithoutQuotes(std::string_view text) {
  const bool is_quoted =
      text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::string_view WithoutComment(std::string_view text) {
  return text.starts_with('#') ? "" : Trimmed(text.substr(0, text.find(" #")));
}

// Where the key of "key: value" ends; npos where the line is no such pair.
size_t EndOfKey(std::string_view text) {
  const size_t end = text.find(": ");
  if (end != text.npos) return end;
  return text.ends_with(':') ? text.size() - 1 : text.npos;
}

bool IsYes(std::string_view value) {
  constexpr std::string_view kYes[] = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
  return std::ranges::find(kYes, value) != std::end(kYes);
}

// "v1/6;0,1|7;" has 6 and 7. Nothing where it is no kernel key.
std::optional<std::set<int8_t>> ScalarTypesOf(std::string_view key) {
  constexpr std::string_view kVersion = "v1";
  if (!key.starts_with(kVersion)) return std::nullopt;
  key.remove_prefix(kVersion.size());
  std::set<int8_t> types;
  while (!key.empty()) {
    if (key.front() != (types.empty() ? '/' : '|')) return std::nullopt;
    key.remove_prefix(1);
    int8_t type = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), type);
    if (error != std::errc() || end == key.data() + key.size() || *end != ';') return std::nullopt;
    types.insert(type);
    key.remove_prefix(std::min(key.size(), key.find('|')));
  }
  return types;
}

class ListingReader {
 public:
  Status Read(std::string_view line) {
    ++number_;
    const size_t indent = line.find_first_not_of(' ');
    std::string_view text = WithoutComment(Trimmed(line));
    if (text.empty() || text == "---") return {};
    const bool is_item = text == "-" || text.starts_with("- ");
    // Items may stand below their key or under its beginning.
    std::erase_if(path_,
                  [&](const Level& level) { return level.indent > indent || (level.indent == indent && !is_item); });
    if (is_item) return ReadItem(Trimmed(text.substr(1)));
    const size_t end = EndOfKey(text);
    if (end == text.npos || path_.size() > kMaxLevels) return IsOurs() && path_.size() < 3 ? Wrong() : Status();
    path_.push_back({indent, std::string(WithoutQuotes(Trimmed(text.substr(0, end))))});
    return ReadPair(Trimmed(text.substr(end + 1)));
  }

  Result<SelectedOperators> Take() && {
    if (!is_listing_)
      return Malformed(Text("is no listing of selected operators: ", Quoted(kOperators), " is missing"));
    return std::move(found_);
  }

 private:
  struct Level {
    size_t indent;
    std::string key;
  };

  bool IsOurs() const { return path_.empty() || path_[0].key == kOperators || path_[0].key == kKeys; }
  Status Wrong() const {
    return Malformed(Text("is no listing of selected operators: line ", number_, " is written otherwise"));
  }

  Status ReadPair(std::string_view value) {
    const std::string& top = path_[0].key;
    const bool has_no_rows = value.empty() || value == "{}" || value == "null";
    if (path_.size() == 1 && (top == kOperators || top == kAll)) is_listing_ = true;
    if (path_.size() == 1 && top == kAll) found_.has_all = IsYes(value);
    if (path_.size() == 1 && (top == kOperators || top == kKeys) && !has_no_rows) return Wrong();
    if (path_.size() < 2 || !IsOurs()) return {};
    SelectedOperators::Kernel& kernel = found_.kernels[path_[1].key];
    if (path_.size() == 2 && top == kKeys && !has_no_rows && value != "[]") return Wrong();
    if (path_.size() == 3 && path_[2].key == "include_all_overloads") kernel.has_all_overloads = IsYes(value);
    return {};
  }

  // Keys of a kernel: without any, or with one that has no types, such as "default", it takes all types, as in the
  // header that a build makes of the listing.
  Status ReadItem(std::string_view item) {
    if (path_.size() != 2 || path_[0].key != kKeys) return IsOurs() && path_.size() < 2 ? Wrong() : Status();
    const std::string_view key = WithoutQuotes(item);
    const std::optional<std::set<int8_t>> types = ScalarTypesOf(key);
    if (!types && key != "default") return Wrong();
    if (!types || types->empty()) takes_all_.insert(path_[1].key);
    std::optional<std::set<int8_t>>& known = found_.kernels[path_[1].key].scalar_types;
    if (takes_all_.contains(path_[1].key)) {
      known.reset();
    } else {
      if (!known) known.emplace();
      known->insert(types->begin(), types->end());
    }
    return {};
  }

  size_t number_ = 0;
  bool is_listing_ = false;
  std::vector<Level> path_;
  std::set<std::string, std::less<>> takes_all_;
  SelectedOperators found_;
};

}  // namespace

Result<SelectedOperators> ReadSelectedOperators(std::string_view yaml) {
  ListingReader reader;
  while (!yaml.empty()) {
    const size_t end = std::min(yaml.find('\n'), yaml.size());
    PTEEDIT_TRY(reader.Read(yaml.substr(0, end)));
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
  }
  return std::move(reader).Take();
}

}  // namespace pteedit
