#include "text/html.h"

#include <string_view>
#include <utility>
#include <vector>

#include "page_parts.h"
#include "sizes_text.h"

namespace pteedit::cli {
namespace {

void Bound(Json& value) {
  if (!value.is_structured()) return;
  Json left_out = Json::object();
  for (auto& [name, member] : value.items()) {
    if (member.is_array() && member.size() > kMaxEntries) {
      if (value.is_object()) left_out[name + "_left_out"] = member.size() - kMaxEntries;
      member.get_ref<Json::array_t&>().resize(kMaxEntries);
    }
    Bound(member);
  }
  if (value.is_object()) value.update(left_out);
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// A text of JSON itself, from ForPage: no other text begins with this, since control bytes are replaced in all.
constexpr char kWritten = '\1';

bool IsWritten(const Json& member) {
  return member.is_string() && member.get_ref<const std::string&>().starts_with(kWritten);
}

// Inside a script element only "<" could end it.
void AddInScript(std::string_view json, std::string& text) {
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
}

std::string InScript(const Json& list) {
  std::string text = "[";
  for (const Json& file : list) {
    text += text.size() == 1 ? "{" : ",{";
    bool is_first = true;
    for (const auto& [name, member] : file.items()) {
      if (!is_first) text += ',';
      is_first = false;
      AddInScript(Json(name).dump() + ":", text);
      if (IsWritten(member)) {
        AddInScript(std::string_view(member.get_ref<const std::string&>()).substr(1), text);
      } else {
        AddInScript(member.dump(), text);
      }
    }
    text += '}';
  }
  return text + "]";
}

std::string NameOf(const Json& file) { return file["file"].is_null() ? "across the files" : file["file"]; }

// What browsers without scripts show: the components at the top.
std::string Fallback(const Json& list) {
  std::string html;
  for (const Json& file : list) {
    if (!file.contains("sizes")) continue;
    html += "<h1>" + Escaped(NameOf(file)) + "</h1>\n<table>\n";
    for (const Json& node : file["sizes"]["components"]) {
      html += "<tr><td>" + Escaped(node["name"].get<std::string>()) + "</td><td class=\"number\">" +
              HumanSize(node["size"].get<uint64_t>()) + "</td></tr>\n";
    }
    html += "</table>\n";
  }
  return html + "<p>The other views need scripts, which this page holds itself.</p>";
}

std::string Title(const std::string& tool, const Json& list) {
  std::string title;
  for (const Json& file : list) {
    if (!file["file"].is_null()) title += (title.empty() ? "" : ", ") + NameOf(file);
  }
  return tool + ": " + title;
}

std::string Script() {
  std::string script;
  for (const std::string_view part : page::kScripts) script += part;
  return script;
}

}  // namespace

Json ForPage(Json member) {
  const bool is_cut = member.is_array() && member.size() > kMaxEntries;  // by the object that it becomes a member of
  if (!member.is_structured() || is_cut) return member;
  Bound(member);
  MakePrintable(member);
  return kWritten + member.dump();
}

std::string HtmlPage(const std::string& tool, Json list) {
  Bound(list);
  for (Json& file : list) {
    for (auto& [name, member] : file.items()) {
      if (!IsWritten(member)) MakePrintable(member);
    }
  }
  const std::vector<std::pair<std::string_view, std::string>> parts = {
      {"TOOL", tool},          {"VERSION", page::kVersion},  {"TITLE", Escaped(Title(tool, list))},
      {"STYLE", page::kStyle}, {"FALLBACK", Fallback(list)}, {"REPORT", InScript(list)},
      {"SCRIPT", Script()}};
  std::string html;
  std::string_view rest = page::kPage;
  for (const auto& [name, text] : parts) {  // in the order of the page
    const std::string mark = "@" + std::string(name) + "@";
    const size_t place = rest.find(mark);
    html.append(rest.substr(0, place)).append(text);
    rest.remove_prefix(place + mark.size());
  }
  return html.append(rest);
}

}  // namespace pteedit::cli
