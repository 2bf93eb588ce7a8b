#include "render_text.h"

#include <sstream>
#include <utility>

#include "operator_listing.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/modules.h"
#include "text/sections.h"
#include "text/size_tree.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// Those that are asked for.
Result<std::vector<const SizeNode*>> Named(const SizeNode& grouped, const Request& request) {
  std::vector<const SizeNode*> open;
  for (const std::string& name : request.components) {
    open.push_back(FindComponent(grouped, name));
    if (open.back() == nullptr) return NoSuchComponent(grouped, name);
  }
  return open;
}

Result<std::string> SizesText(SizeNode root, const Request& request) {
  if (request.style.format == Format::kCsv) {
    if (!request.components.empty()) PTEEDIT_TRY(Named(GroupByModule(root), request));
    return TreeCsv(root);
  }
  if (request.components.empty() && request.summary) return SummaryText(root, request.style);
  const SizeNode grouped = GroupByModule(std::move(root));
  PTEEDIT_ASSIGN(const std::vector<const SizeNode*> open, Named(grouped, request));
  std::string text = TreeHead(request.style);
  if (request.list) return text + ListText(grouped, open, request.style);
  for (const SizeNode* component : open) text += ComponentText(*component, request.style);
  return text;
}

std::string TextOf(const View& view, const Inspection& inspection, const Style& style) {
  if (view.text != nullptr) return view.text(inspection, style);
  std::ostringstream text;
  view.print_text(inspection, style, text);
  return std::move(text).str();
}

}  // namespace

Result<std::string> RenderSizesText(const std::string& file, SizeNode sizes, const Request& request) {
  Result<std::string> text = SizesText(std::move(sizes), request);
  if (!text) return std::move(text).error().In(file);
  return text;
}

Status PrintText(Inspection inspection, const Request& request, const std::function<std::ostream&()>& begin) {
  if (request.yaml) {
    PTEEDIT_TRY(FindAll(inspection));
    if (Status checked = CheckIsProgram(inspection.container); !checked) return std::move(checked).error();
    begin() << OperatorListing(*inspection.requirements, inspection.file);
    return {};
  }
  std::ostringstream text;
  Sections sections(request.count(), request.style.format);
  if (request.sizes()) {
    PTEEDIT_ASSIGN(SizeNode sizes, SizesOf(inspection));
    PTEEDIT_ASSIGN(const std::string shown, RenderSizesText(inspection.file, std::move(sizes), request));
    sections.Add("Sizes", shown, text);
  }
  PTEEDIT_TRY(ForEachView(inspection, [&](const View& view) {
    const bool is_last = &view == request.views.selected.back();  // behind which nothing can fail
    const bool is_long = view.print_text != nullptr && HasRows(inspection);
    if (!is_last || !is_long) return sections.Add(view.title, TextOf(view, inspection, request.style), text);
    std::ostream& out = begin() << std::exchange(text, std::ostringstream()).str();
    view.print_text(inspection, request.style, sections.Begin(view.title, out));
  }));
  if (text.tellp() != 0) begin() << std::move(text).str();  // empty: --delegates of a data file
  return {};
}

}  // namespace pteedit::cli
