// This file is compiled without exceptions, others that use the library are not: a namespace of its own keeps the two
// kinds of its inline functions apart wherever both are linked into one program.
#define NLOHMANN_JSON_NAMESPACE nlohmann::without_exceptions
#define NLOHMANN_JSON_NAMESPACE_BEGIN \
  namespace nlohmann {                \
  inline namespace without_exceptions {
#define NLOHMANN_JSON_NAMESPACE_END \
  }                                 \
  }
#include "formats/json_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Json = nlohmann::without_exceptions::json;

constexpr size_t kMaxDepth = 32;

using TakeMember = std::function<Status(const std::string& name, const JsonValue& value)>;

// Called by the library's parser, which keeps its own stack in a vector. Each answer says whether to go on.
class Builder {
 public:
  // With `take`, which may be null, the members of the root are given away.
  Builder(const JsonLimits& limits, const TakeMember* take) : limits_(limits), take_(take) {}

  bool null() { return AddLeaf({}); }
  bool boolean(bool is_true) {
    JsonValue value = Of(JsonValue::Kind::kBoolean);
    value.number = is_true ? 1 : 0;
    return AddLeaf(std::move(value));
  }
  bool number_integer(int64_t number) { return AddNumber(0, std::to_string(number), false); }
  bool number_unsigned(uint64_t number) { return AddNumber(number, std::to_string(number), true); }
  bool number_float(double, const std::string& text) { return AddNumber(0, text, false); }
  bool string(std::string& text) {
    JsonValue value = Of(JsonValue::Kind::kText);
    value.text = std::move(text);
    return AddLeaf(std::move(value));
  }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) { return Open(JsonValue::Kind::kList); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    if (skipped_levels_ != 0) return true;
    const auto& names = limits_.left_out;
    skips_next_ = std::find(names.begin(), names.end(), name) != names.end();
    if (!skips_next_) open_.back()->names.push_back(std::move(name));
    return true;
  }
  template <class Exception>
  bool parse_error(size_t position, const std::string&, const Exception&) {
    problem_ = Text("is no JSON from byte ", position, " on");
    return false;
  }

  JsonValue& root() { return root_; }
  const std::string& problem() const { return problem_; }
  const Status& taken() const { return taken_; }

 private:
  static JsonValue Of(JsonValue::Kind kind) {
    JsonValue value;
    value.kind = kind;
    return value;
  }

  bool AddNumber(uint64_t number, std::string written, bool is_count) {
    JsonValue value = Of(JsonValue::Kind::kNumber);
    value.number = number;
    value.is_count = is_count;
    value.written = std::move(written);
    return AddLeaf(std::move(value));
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool AddLeaf(JsonValue value) { return Skips() || (Add(std::move(value)) && GiveAway()); }

  bool Add(JsonValue value) {
    if (++count_ > limits_.max_values) {
      const std::string member =
          take_ == nullptr || root_.names.empty() ? "" : "a member " + Quoted(root_.names.back()) + " of ";
      return Fail(Text("has ", member, "more than ", limits_.max_values, " values"));
    }
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else {
      open_.back()->items.push_back(std::move(value));
      last_ = &open_.back()->items.back();
    }
    return true;
  }

  // A member of the root that is whole.
  bool GiveAway() {
    if (take_ == nullptr || open_.size() != 1 || root_.kind != JsonValue::Kind::kObject) return true;
    taken_ = (*take_)(root_.names.back(), root_.items.back());
    root_.names.clear();
    root_.items.clear();
    count_ = 1;
    return taken_.has_value();
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() + skipped_levels_ == kMaxDepth) return Fail(Text("has more than ", kMaxDepth, " levels"));
    if (Skips()) return ++skipped_levels_ != 0;
    if (!Add(Of(kind))) return false;
    open_.push_back(last_);
    return true;
  }

  bool Close() {
    if (skipped_levels_ != 0) return skipped_levels_-- != 0;
    open_.pop_back();
    return GiveAway();
  }

  // Whether the value that comes now is left out.
  bool Skips() {
    const bool skips = skips_next_ || skipped_levels_ != 0;
    skips_next_ = false;
    return skips;
  }

  const JsonLimits& limits_;
  const TakeMember* take_;
  Status taken_;
  bool skips_next_ = false;
  size_t skipped_levels_ = 0;  // in what is left out
  JsonValue root_;
  std::vector<JsonValue*> open_;  // from the outermost on; each is the last item of the one before, so none moves
  JsonValue* last_ = nullptr;
  size_t count_ = 0;
  std::string problem_;
};

// Words that Python writes for numbers and JSON does not know, and texts instead.
constexpr std::pair<std::string_view, std::string_view> kBareWords[] = {
    {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}, {"NaN", "\"nan\""}};

// The texts in place of the words, but not in texts, whose quotes are escaped by backslashes.
std::string WithoutBareWords(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool in_text = false;
  while (!text.empty()) {
    size_t taken = in_text && text.front() == '\\' ? std::min<size_t>(2, text.size()) : 1;
    std::string_view written = text.substr(0, taken);
    if (text.front() == '"') in_text = !in_text;
    for (const auto& [word, instead] : kBareWords) {
      if (in_text || !text.starts_with(word)) continue;
      written = instead;
      taken = word.size();
      break;
    }
    plain += written;
    text.remove_prefix(taken);
  }
  return plain;
}

}  // namespace

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (size_t i = names.size(); i-- > 0;) {
    if (names[i] == name && i < items.size()) return &items[i];
  }
  return nullptr;
}

std::string_view JsonValue::TextOf(std::string_view name) const {
  const JsonValue* found = Find(name);
  return found != nullptr && found->kind == Kind::kText ? std::string_view(found->text) : std::string_view();
}

static Result<JsonValue> Parse(std::string_view text, const char* what, const JsonLimits& limits,
                               const TakeMember* take) {
  if (text.size() > limits.max_bytes) {
    return Unsupported(Text(what, " has ", text.size(), " bytes, at most ", limits.max_bytes, " are looked into"));
  }
  Builder builder(limits, take);
  const std::string plain = limits.takes_bare_words ? WithoutBareWords(text) : std::string();
  const std::string_view parsed = limits.takes_bare_words ? plain : text;
  if (Json::sax_parse(parsed.begin(), parsed.end(), &builder)) return std::move(builder.root());
  if (!builder.taken()) return builder.taken().error();
  return Unsupported(Text(what, " ", builder.problem()));
}

Result<JsonValue> ParseJson(std::string_view text, const char* what, const JsonLimits& limits) {
  return Parse(text, what, limits, nullptr);
}

Status ForEachJsonMember(std::string_view text, const char* what, const JsonLimits& limits, const TakeMember& take) {
  PTEEDIT_ASSIGN(const JsonValue root, Parse(text, what, limits, &take));
  if (root.kind != JsonValue::Kind::kObject) return Malformed(Text(what, " is no JSON object"));
  return {};
}

}  // namespace pteedit
