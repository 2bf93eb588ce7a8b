#include "values.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "json.h"
#include "pteedit/metadata.h"
#include "pteedit/source.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

std::string InQuotes(const std::string& text) { return "'" + EscapeControl(text) + "'"; }

template <class T>
std::optional<T> NumberIn(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

Result<NewConstantMethod::Item> ItemOf(const Json& value, const std::string& word) {
  const auto wrong = [&](const std::string& what) { return InvalidArgument("--set-method " + InQuotes(word) + what); };
  if (value.is_boolean()) return NewConstantMethod::Item(value.get<bool>());
  if (value.is_string()) return NewConstantMethod::Item(value.get<std::string>());
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
    return wrong(" has a number that no int64 holds");
  if (value.is_number_integer()) return NewConstantMethod::Item(value.get<int64_t>());
  if (value.is_number_float() && std::isfinite(value.get<double>()))
    return NewConstantMethod::Item(value.get<double>());
  return wrong(" has a value that is no number, true, false or text");
}

// An integer of more digits than 64 bits hold is read as a float.
bool HasTooManyDigits(const Json& value, const std::string& text) {
  return value.is_number_float() && text.find_first_of(".eE") == std::string::npos;
}

Result<std::vector<int64_t>> ParseInts(const std::string& text) {
  std::vector<int64_t> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::optional<int64_t> number = NumberIn<int64_t>(part);
    if (!number) return InvalidArgument(InQuotes(part) + " is no int64");
    numbers.push_back(*number);
  }
  return numbers;
}

Result<MetadataValue> ParseValue(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string type = colon == std::string::npos ? std::string() : text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
  if (type == "string") return MetadataValue(rest);
  if (type == "int") {
    if (const std::optional<int64_t> number = NumberIn<int64_t>(rest)) return MetadataValue(*number);
    return InvalidArgument(InQuotes(rest) + " is no int64");
  }
  if (type == "float") {
    if (const std::optional<double> number = NumberIn<double>(rest)) return MetadataValue(*number);
    return InvalidArgument(InQuotes(rest) + " is no number");
  }
  if (type == "ints") {
    PTEEDIT_ASSIGN(std::vector<int64_t> numbers, ParseInts(rest));
    return MetadataValue(std::move(numbers));
  }
  return MetadataValue(text);
}

}  // namespace

Result<std::pair<std::string, std::string>> NameAndValue(const std::string& option, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals != std::string::npos && equals != 0) return std::pair(word.substr(0, equals), word.substr(equals + 1));
  return InvalidArgument(option + " " + InQuotes(word) + " has no '=' behind a name");
}

Result<AddedMethods> ParseAddedMethods(const std::string& word) {
  const size_t slash = word.rfind('/');
  const size_t colon = word.find(':', slash == std::string::npos ? 0 : slash);
  PTEEDIT_ASSIGN(Container program, OpenContainer(word.substr(0, colon)));
  AddedMethods added{std::move(program), {}, {}};
  if (colon == std::string::npos) return added;
  const size_t equals = word.find('=', colon);
  added.method = word.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
  if (equals != std::string::npos) added.name = word.substr(equals + 1);
  if (added.method.empty() || (equals != std::string::npos && added.name.empty()))
    return InvalidArgument("--add-methods " + InQuotes(word) + " names no method behind ':' or '='");
  return added;
}

Result<NewConstantMethod> ParseConstantMethod(const std::string& word) {
  PTEEDIT_ASSIGN(const auto parts, NameAndValue("--set-method", word));
  const auto& [name, text] = parts;
  NewConstantMethod method{name, {}, false};
  const Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (HasTooManyDigits(value, text))
    return InvalidArgument("--set-method " + InQuotes(word) + " has a number that no int64 holds");
  method.is_list = value.is_array();
  if (value.is_discarded()) {
    method.items.emplace_back(text);
    return method;
  }
  for (const Json& item : method.is_list ? value : Json::array({value})) {
    PTEEDIT_ASSIGN(NewConstantMethod::Item read, ItemOf(item, word));
    method.items.push_back(std::move(read));
  }
  return method;
}

Result<NewData> ParseMetadata(const std::string& word) {
  PTEEDIT_ASSIGN(const auto parts, NameAndValue("--set-metadata", word));
  const auto& [key, text] = parts;
  NewData data{std::string(kMetadataPrefix) + key, nullptr, /*replace=*/true};
  constexpr std::string_view kFromFile = "bytes:@";
  if (text.rfind(kFromFile, 0) == 0) {
    PTEEDIT_ASSIGN(data.bytes, OpenFileSource(text.substr(kFromFile.size())));
    return data;
  }
  const Result<MetadataValue> value = ParseValue(text);
  if (!value) return InvalidArgument("--set-metadata " + InQuotes(word) + ": " + value.error().message);
  data.bytes = MakeMemorySource(data.key, EncodeMetadata(*value));
  return data;
}

Result<Splat> ParseSplat(const std::string& word) {
  constexpr std::string_view kRandom = "random:";
  if (word == "zeros") return Splat{};
  if (word.rfind(kRandom, 0) == 0) {
    if (const auto seed = NumberIn<uint64_t>(std::string_view(word).substr(kRandom.size()))) return Splat{*seed};
  }
  return InvalidArgument("--splat " + InQuotes(word) + " is neither zeros nor random:SEED with a number");
}

}  // namespace pteedit::cli
