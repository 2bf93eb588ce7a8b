// Bytes are cut into words of the characters that paths and addresses are made of; each is looked at alone.
#include "inspect/leak_scanner.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace pteedit {
namespace {

constexpr size_t kMaxTexts = 10'000, kMaxBytes = 1024;
constexpr size_t kLeastBytes = 6;    // "/tmp/a"; what is shorter comes by chance in weights
constexpr size_t kLeastSource = 10;  // "net/mlp.py", for the same reason

bool IsLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

constexpr std::array<bool, 256> WordBytes() {
  std::array<bool, 256> bytes = {};
  for (const std::string_view range : {"az", "AZ", "09"})
    for (char c = range[0]; c <= range[1]; ++c) bytes[static_cast<unsigned char>(c)] = true;
  for (const char c : std::string_view("_./\\@%+~-")) bytes[static_cast<unsigned char>(c)] = true;
  return bytes;
}
constexpr std::array<bool, 256> kWordBytes = WordBytes();

bool IsWordByte(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }
bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool EndsInOneOf(std::string_view text, const std::string_view* begin, const std::string_view* end) {
  return std::any_of(begin, end, [&](std::string_view one) { return text.ends_with(one); });
}

bool IsSourceFile(std::string_view word) {
  static constexpr std::string_view kEndings[] = {".py", ".ipynb", ".cc", ".cpp", ".cu", ".h", ".hpp", ".mlir"};
  return EndsInOneOf(word, std::begin(kEndings), std::end(kEndings));
}

// Folders of machines; below anything else only source files are paths for sure.
bool IsOfAMachine(std::string_view word) {
  static constexpr std::string_view kRoots[] = {
      "/home/", "/Users/", "/root/", "/mnt/",  "/media/", "/Volumes/", "/private/",   "/tmp/",    "/var/",
      "/opt/",  "/srv/",   "/usr/",  "/data/", "/nfs/",   "/work/",    "/workspace/", "/builds/", "/scratch/"};
  return std::any_of(std::begin(kRoots), std::end(kRoots),
                     [&](std::string_view root) { return word.size() > root.size() && word.starts_with(root); });
}

// "/home/jo/x" is jo's, and so is "C:\Users\jo\x".
std::string UserOf(std::string_view path) {
  if (path.starts_with("/root/")) return "root";
  for (const std::string_view folder : {"home", "Users"}) {
    const size_t at = path.find(folder);
    if (at == std::string_view::npos || at == 0 || at > 3 || !IsSlash(path[at - 1])) continue;
    std::string_view rest = path.substr(at + folder.size());
    if (rest.empty() || !IsSlash(rest.front())) continue;
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of("/\\")));
    return std::string(rest.substr(0, rest.find_first_of("/\\")));
  }
  return {};
}

// One that no public name service knows.
bool IsPrivateHost(std::string_view host) {
  static constexpr std::string_view kEndings[] = {".local", ".internal", ".intranet", ".corp", ".lan", ".home"};
  static constexpr std::string_view kNetworks[] = {"10.", "192.168.", "172.16.", "127."};
  if (host.size() < 3 || host == "localhost") return false;
  const bool is_name = std::all_of(host.begin(), host.end(), [](char c) { return IsLetterOrDigit(c) || c == '-'; });
  return is_name || EndsInOneOf(host, std::begin(kEndings), std::end(kEndings)) ||
         std::any_of(std::begin(kNetworks), std::end(kNetworks),
                     [&](std::string_view network) { return host.starts_with(network); });
}

std::optional<Leak> AddressIn(std::string_view word) {
  static constexpr std::string_view kEndings[] = {".com", ".org", ".net", ".edu",  ".io",   ".ai",
                                                  ".dev", ".de",  ".uk",  ".cn",   ".jp",   ".fr",
                                                  ".in",  ".kr",  ".lan", ".corp", ".local"};
  const size_t at = word.find('@');
  if (at == std::string_view::npos || word.find_first_of("/\\") != std::string_view::npos) return std::nullopt;
  const std::string_view user = word.substr(0, at), host = word.substr(at + 1);
  if (user.size() < 2 || host.size() < 6 || !EndsInOneOf(host, std::begin(kEndings), std::end(kEndings)))
    return std::nullopt;
  return Leak{"address", std::string(word), std::string(user), {}};
}

// `before`: the three bytes in front of the word.
std::optional<Leak> LeakIn(std::string_view word, std::string_view before) {
  while (!word.empty() && (word.back() == '.' || word.back() == '-')) word.remove_suffix(1);
  const bool has_drive =
      !IsWordByte(before[0]) && IsLetterOrDigit(before[1]) && before[2] == ':' && !word.starts_with("//");
  if (before.ends_with(':') && word.starts_with("//") && !word.starts_with("///")) {
    const std::string_view host = word.substr(2, word.find('/', 2) - 2);
    const std::string_view name = host.substr(host.find('@') == std::string_view::npos ? 0 : host.find('@') + 1);
    if (!IsPrivateHost(name)) return std::nullopt;
    return Leak{"host", std::string(name), {}, {}};
  }
  if (word.starts_with("///")) word.remove_prefix(2);  // "file:///home"
  if (word.size() < kLeastBytes) return std::nullopt;
  if (has_drive && IsSlash(word.front()) && std::count_if(word.begin(), word.end(), IsSlash) > 1) {
    const std::string path = std::string(before.substr(1)) + std::string(word);
    return Leak{"path", path, UserOf(path), {}};
  }
  const auto slashes = std::count(word.begin(), word.end(), '/');
  if (word.front() == '/' && (IsOfAMachine(word) || (slashes > 1 && IsSourceFile(word))))
    return Leak{"path", std::string(word), UserOf(word), {}};
  if (slashes > 0 && word.size() >= kLeastSource && word.front() != '/' && IsLetterOrDigit(word.front()) &&
      IsSourceFile(word))
    return Leak{"source", std::string(word), {}, {}};
  return AddressIn(word);
}

}  // namespace

void LeakScanner::Begin(std::vector<std::string> components, uint64_t offset) {
  EndWord();
  before_ = {};
  components_ = std::move(components);
  offset_ = offset;
  is_escaped_ = false;
}

void LeakScanner::Add(ByteSpan span) {
  for (size_t i = 0; i < span.size; ++i) AddByte(static_cast<char>(span.data[i]));
}

void LeakScanner::AddJson(std::string_view text) {
  for (const char byte : text) {
    if (!is_escaped_ && byte == '\\') {
      is_escaped_ = true;
      ++offset_;
    } else {
      const bool is_itself = !is_escaped_ || byte == '\\' || byte == '/';
      is_escaped_ = false;
      AddByte(is_itself ? byte : ' ');
    }
  }
}

Leaks LeakScanner::Finish() && {
  EndWord();
  for (auto& [key, leak] : by_text_) leaks_.found.push_back(std::move(leak));
  return std::move(leaks_);
}

void LeakScanner::AddByte(char byte) {
  // A word goes on over other alphabets: names of users may have such letters, weights hardly have such words.
  const bool goes_on = IsWordByte(byte) || (static_cast<signed char>(byte) < 0 && word_.size() >= kLeastBytes);
  if (!goes_on) {
    EndWord();
    before_ = {before_[1], before_[2], byte};
  } else {
    if (word_.empty()) word_begin_ = offset_;
    if (word_.size() < kMaxBytes) word_ += byte;
  }
  ++offset_;
}

void LeakScanner::EndWord() {
  if (word_.size() >= kLeastBytes) Look();
  for (size_t i = word_.size() - std::min<size_t>(word_.size(), 2); i < word_.size(); ++i)
    before_ = {before_[1], before_[2], word_[i]};
  word_.clear();
}

void LeakScanner::Look() {
  std::optional<Leak> leak = LeakIn(word_, {before_.data(), before_.size()});
  if (!leak) return;
  const auto known = by_text_.find({leak->kind, leak->text});
  if (known != by_text_.end()) {
    ++known->second.count;
  } else if (by_text_.size() == kMaxTexts) {
    ++leaks_.left_out;
  } else {
    leak->components = components_;
    leak->offset = word_begin_;
    leak->count = 1;
    std::pair key(leak->kind, leak->text);
    by_text_.emplace(std::move(key), *std::move(leak));
  }
}

}  // namespace pteedit
