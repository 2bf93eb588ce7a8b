#include "text/html.h"

#include <algorithm>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "page_parts.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "text/file_json.h"

namespace pteedit::cli {
namespace {

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

// Inside a script element only "<" could end it, and it stands in texts alone.
void AddInScript(std::string_view json, std::string& script) {
  for (const char c : json) {
    if (c == '<') {
      script += "\\u003c";
    } else {
      script += c;
    }
  }
}

// Keeps what is printed as it comes: one text that grows is there twice.
class PieceBuffer : public std::streambuf {
 public:
  std::vector<std::string> Take() { return std::move(pieces_); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    pieces_.emplace_back(text, static_cast<size_t>(size));
    return size;
  }

  int_type overflow(int_type letter) override {
    if (!traits_type::eq_int_type(letter, traits_type::eof()))
      pieces_.emplace_back(1, traits_type::to_char_type(letter));
    return traits_type::not_eof(letter);
  }

 private:
  std::vector<std::string> pieces_;
};

constexpr size_t kMostAround = size_t{256} << 10;  // of a page around its report

std::string NameOf(const PageObject& object) { return object.file ? ReplaceControl(*object.file) : "across the files"; }

// What browsers without scripts show: the components at the top.
std::string Fallback(const std::vector<PageObject>& list) {
  std::string html;
  for (const PageObject& object : list) {
    if (object.components.empty()) continue;
    html += "<h1>" + Escaped(NameOf(object)) + "</h1>\n<table>\n";
    for (const auto& [name, size] : object.components) {
      html +=
          "<tr><td>" + Escaped(ReplaceControl(name)) + "</td><td class=\"number\">" + HumanSize(size) + "</td></tr>\n";
    }
    html += "</table>\n";
  }
  return html + "<p>The other views need scripts, which this page holds itself.</p>";
}

std::string Title(const std::string& tool, const std::vector<PageObject>& list) {
  std::string title;
  for (const PageObject& object : list) {
    if (object.file) title += (title.empty() ? "" : ", ") + NameOf(object);
  }
  return tool + ": " + title;
}

// The largest components stay, and one more stands for the rest: what a page has room for.
void Fold(SizeNode& node) {  // NOLINT(misc-no-recursion)
  std::vector<SizeNode>& components = node.components;
  if (components.size() > kMaxEntries) {
    constexpr size_t kShown = kMaxEntries - 1;
    std::ranges::stable_sort(components, std::ranges::greater(), &SizeNode::size);
    SizeNode rest;
    rest.name = "(" + std::to_string(components.size() - kShown) + " more)";
    for (size_t i = kShown; i < components.size(); ++i) rest.size += components[i].size;
    components.resize(kShown);
    components.push_back(std::move(rest));
  }
  for (SizeNode& component : components) Fold(component);
}

}  // namespace

Result<PageObject> PrintForPage(PageObject object, const std::function<Status(JsonPrinter&)>& print) {
  PieceBuffer pieces;
  std::ostream out(&pieces);
  JsonPrinter printer(out, {.is_compact = true, .most_items = kMaxEntries});
  printer.BeginObject();
  PTEEDIT_TRY(print(printer));
  printer.EndObject();
  printer.Finish();
  object.json = pieces.Take();
  return object;
}

PageObject ForPage(const Json& object) {
  PageObject made;
  if (!object["file"].is_null()) made.file = object["file"].get<std::string>();
  return *PrintForPage(std::move(made), [&](JsonPrinter& printer) -> Status {
    printer.AddMembers(object);
    return {};
  });
}

Result<PageObject> SizesForPage(const std::string& file, const char* kind, SizeNode sizes,
                                const std::function<Status(JsonPrinter&)>& print_more) {
  Fold(sizes);
  PageObject object{file};
  for (const SizeNode& component : sizes.components) object.components.emplace_back(component.name, component.size);
  return PrintForPage(std::move(object), [&](JsonPrinter& printer) -> Status {
    PrintSizesJson(file, kind, sizes, printer, /*has_offsets=*/true);
    sizes = {};
    return print_more(printer);
  });
}

PageObject SizesForPage(const std::string& file, const char* kind, SizeNode sizes, const Json& more) {
  return *SizesForPage(file, kind, std::move(sizes), [&](JsonPrinter& printer) -> Status {
    printer.AddMembers(more);
    return {};
  });
}

std::string HtmlPage(const std::string& tool, std::vector<PageObject> list) {
  std::string html;
  size_t size = kMostAround;  // without room for all, growing takes that of two pages
  for (const PageObject& object : list) {
    for (const std::string& piece : object.json) size += piece.size();
  }
  html.reserve(size);
  std::string_view rest = page::kPage;
  const auto put = [&](std::string_view mark, std::string_view text) {  // in the order of the page
    const size_t place = rest.find(mark);
    html.append(rest.substr(0, place)).append(text);
    rest.remove_prefix(place + mark.size());
  };
  put("@TOOL@", tool);
  put("@VERSION@", page::kVersion);
  put("@TITLE@", Escaped(Title(tool, list)));
  put("@STYLE@", page::kStyle);
  put("@FALLBACK@", Fallback(list));
  put("@REPORT@", "[");
  for (PageObject& object : list) {
    if (&object != &list.front()) html += ',';
    for (std::string& piece : object.json) AddInScript(std::exchange(piece, {}), html);
  }
  html += ']';
  put("@SCRIPT@", "");
  for (const std::string_view part : page::kScripts) html.append(part);
  return html.append(rest);
}

}  // namespace pteedit::cli
