#include "json.h"

#include <algorithm>
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

void AddKeyHex(Json& object, const std::string& key) {
  Json with_hex = Json::object();
  for (auto& [name, member] : object.items()) {
    with_hex[name] = std::move(member);
    if (name == "key") with_hex["key_hex"] = HexDigits(key);
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
    if (!IsPlain(text)) text = has_lines ? PrintableLines(text) : ReplaceControl(text);
  } else if (report.is_array()) {
    for (Json& item : report) MakePrintable(item, has_lines);
  } else if (report.is_object()) {
    const auto key = report.find("key");
    const std::string raw = key != report.end() && key->is_string() ? key->get<std::string>() : std::string();
    for (auto& [name, member] : report.items())
      MakePrintable(member, has_lines || name == "stack_traces" || name == "dataframe");
    if (!raw.empty() && report["key"] != raw) AddKeyHex(report, raw);
  }
}

std::string Printed(Json report) {
  MakePrintable(report);
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pteedit::cli
