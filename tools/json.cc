#include "json.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter < '\x7f'; });
}

std::string PrintableLines(std::string_view text) {
  std::string lines;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines += (start == 0 ? "" : "\n") + ReplaceControl(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string PrintableText(const std::string& text, bool has_lines) {
  if (IsPlain(text)) return text;
  return has_lines ? PrintableLines(text) : ReplaceControl(text);
}

bool HasLines(std::string_view name) { return name == "stack_traces" || name == "dataframe"; }

constexpr const char *kKey = "key", *kKeyHex = "key_hex";

void AddKeyHex(Json& object, const std::string& key) {
  Json with_hex = Json::object();
  for (auto& [name, member] : object.items()) {
    with_hex[name] = std::move(member);
    if (name == kKey) with_hex[kKeyHex] = HexDigits(key);
  }
  object = std::move(with_hex);
}

}  // namespace

const char* CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kExists:
      return "exists";
    case ErrorCode::kIo:
      return "io";
  }
  return "";
}

void MakePrintable(Json& report, bool has_lines) {  // NOLINT(misc-no-recursion): as deep as reports are
  if (report.is_string()) {
    std::string& text = report.get_ref<std::string&>();
    if (!IsPlain(text)) text = PrintableText(text, has_lines);
  } else if (report.is_array()) {
    for (Json& item : report) MakePrintable(item, has_lines);
  } else if (report.is_object()) {
    const auto key = report.find(kKey);
    const std::string raw = key != report.end() && key->is_string() ? key->get<std::string>() : std::string();
    for (auto& [name, member] : report.items()) MakePrintable(member, has_lines || HasLines(name));
    if (!raw.empty() && report[kKey] != raw) AddKeyHex(report, raw);
  }
}

std::string Printed(const Json& report) {
  std::ostringstream out;
  JsonPrinter printer(out);
  printer.Add(report);
  printer.Finish();
  return std::move(out).str();
}

void JsonPrinter::Finish() {
  out_ << text_;
  if (!form_.is_compact) out_ << '\n';
  text_.clear();
}

void JsonPrinter::NewLine() {
  constexpr size_t kMostHeld = 1 << 16;
  if (text_.size() > kMostHeld) {
    out_ << text_;
    text_.clear();
  }
  if (form_.is_compact) return;
  text_ += '\n';
  text_.append(levels_.size(), ' ');
}

void JsonPrinter::BeginItem() {
  if (!has_name_ && !levels_.empty()) {
    if (!levels_.back().is_empty) text_ += ',';
    NewLine();
    levels_.back().is_empty = false;
    has_lines_ = levels_.back().has_lines;
  }
  has_name_ = false;
}

void JsonPrinter::Begin(char bracket) {
  BeginItem();
  text_ += bracket;
  levels_.push_back({.is_empty = true, .has_lines = has_lines_});
}

void JsonPrinter::End(char bracket) {
  const bool is_empty = levels_.back().is_empty;
  levels_.pop_back();
  if (!is_empty) NewLine();
  text_ += bracket;
}

void JsonPrinter::EndObject() {
  const std::vector<std::pair<std::string, uint64_t>> left_out = std::move(levels_.back().left_out);
  for (const auto& [name, count] : left_out) AddMember(name + "_left_out", count);
  End('}');
}

void JsonPrinter::Name(const std::string& name) {
  BeginItem();
  AddText(name);
  text_ += form_.is_compact ? ":" : ": ";
  name_ = name;
  has_name_ = true;
  has_lines_ = levels_.back().has_lines || HasLines(name);
}

// Most texts need no escapes.
void JsonPrinter::AddText(const std::string& text) {
  if (IsPlain(text) && text.find_first_of("\"\\") == std::string::npos) {
    text_.append("\"").append(text).append("\"");
  } else {
    text_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void JsonPrinter::Add(const Json& value) {  // NOLINT(misc-no-recursion): as deep as reports are
  if (value.is_object()) {
    BeginObject();
    AddMembers(value);
    return EndObject();
  }
  if (value.is_array()) return AddList(value, [](const Json& item) -> const Json& { return item; });
  BeginItem();
  if (value.is_string()) {
    AddText(PrintableText(value.get_ref<const std::string&>(), has_lines_));
  } else {
    text_ += value.is_number_unsigned() ? std::to_string(value.get<uint64_t>()) : value.dump();
  }
}

void JsonPrinter::AddRows(size_t count, const std::function<void(size_t i)>& add) {
  const size_t shown = std::min(count, form_.most_items);
  if (shown < count && has_name_) levels_.back().left_out.emplace_back(name_, count - shown);
  BeginList();
  for (size_t i = 0; i < shown; ++i) add(i);
  EndList();
}

void JsonPrinter::AddMembers(const Json& object) {  // NOLINT(misc-no-recursion)
  for (const auto& [name, member] : object.items()) {
    AddMember(name, member);
    if (name != kKey || !member.is_string()) continue;
    const std::string& key = member.get_ref<const std::string&>();
    if (PrintableText(key, has_lines_) != key) AddMember(kKeyHex, HexDigits(key));
  }
}

}  // namespace pteedit::cli
