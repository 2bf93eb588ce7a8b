// This file is compiled without exceptions, others that use the library are not: a namespace of its own keeps the two
// kinds of its inline functions apart wherever both are linked into one program.
#define NLOHMANN_JSON_NAMESPACE nlohmann::without_exceptions
#define NLOHMANN_JSON_NAMESPACE_BEGIN \
  namespace nlohmann {                \
  inline namespace without_exceptions {
#define NLOHMANN_JSON_NAMESPACE_END \
  }                                 \
  }
#include "delegates/json_reader.h"

#include <nlohmann/json.hpp>

#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

using Json = nlohmann::without_exceptions::json;

constexpr size_t kMaxBytes = size_t{8} << 20;
constexpr size_t kMaxValues = 100'000;
constexpr size_t kMaxDepth = 32;

// Called by the library's parser, which keeps its own stack in a vector. Each answer says whether to go on.
class Builder {
 public:
  bool null() { return Add({}); }
  bool boolean(bool) { return Add(Of(JsonValue::Kind::kBoolean)); }
  bool number_integer(int64_t) { return Add(Of(JsonValue::Kind::kNumber)); }
  bool number_unsigned(uint64_t number) {
    JsonValue value = Of(JsonValue::Kind::kNumber);
    value.number = number;
    return Add(std::move(value));
  }
  bool number_float(double, const std::string&) { return Add(Of(JsonValue::Kind::kNumber)); }
  bool string(std::string& text) {
    JsonValue value = Of(JsonValue::Kind::kText);
    value.text = std::move(text);
    return Add(std::move(value));
  }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) { return Open(JsonValue::Kind::kList); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& name) {
    open_.back()->names.push_back(std::move(name));
    return true;
  }
  template <class Exception>
  bool parse_error(size_t position, const std::string&, const Exception&) {
    problem_ = Text("is no JSON from byte ", position, " on");
    return false;
  }

  JsonValue& root() { return root_; }
  const std::string& problem() const { return problem_; }

 private:
  static JsonValue Of(JsonValue::Kind kind) {
    JsonValue value;
    value.kind = kind;
    return value;
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool Add(JsonValue value) {
    if (++count_ > kMaxValues) return Fail(Text("has more than ", kMaxValues, " values"));
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else {
      open_.back()->items.push_back(std::move(value));
      last_ = &open_.back()->items.back();
    }
    return true;
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaxDepth) return Fail(Text("has more than ", kMaxDepth, " levels"));
    if (!Add(Of(kind))) return false;
    open_.push_back(last_);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonValue root_;
  std::vector<JsonValue*> open_;  // from the outermost on; each is the last item of the one before, so none moves
  JsonValue* last_ = nullptr;
  size_t count_ = 0;
  std::string problem_;
};

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

Result<JsonValue> ParseJson(std::string_view text, const char* what) {
  if (text.size() > kMaxBytes) {
    return Unsupported(Text(what, " has ", text.size(), " bytes, at most ", kMaxBytes, " are looked into"));
  }
  Builder builder;
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root());
  return Unsupported(Text(what, " ", builder.problem()));
}

}  // namespace pteedit
