#include "render_text.h"

#include "graph_forms.h"
#include "operator_listing.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/modules.h"
#include "text/sections.h"
#include "text/size_tree.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

Result<std::string> SizesText(const SizeNode& root, const Request& request) {
  if (request.components.empty()) {
    if (request.style.format == Format::kCsv) return TreeCsv(root);
    if (request.summary) return SummaryText(root, request.style);
  }
  const SizeNode grouped = GroupByModule(root);
  std::vector<const SizeNode*> open;
  for (const std::string& name : request.components) {
    open.push_back(FindComponent(grouped, name));
    if (open.back() == nullptr) return NoSuchComponent(grouped, name);
  }
  if (request.style.format == Format::kCsv) return TreeCsv(root);
  std::string text = TreeHead(request.style);
  if (request.list) return text + ListText(grouped, open, request.style);
  for (const SizeNode* component : open) text += ComponentText(*component, request.style);
  return text;
}

}  // namespace

Result<std::string> RenderSizesText(const std::string& file, const SizeNode& sizes, const Request& request) {
  Result<std::string> text = SizesText(sizes, request);
  if (!text) return std::move(text).error().In(file);
  return text;
}

Result<std::string> RenderText(const Inspection& inspection, const Request& request) {
  if (request.yaml) {
    if (Status checked = CheckIsProgram(inspection.container); !checked) return std::move(checked).error();
    return OperatorListing(*inspection.requirements, inspection.file);
  }
  if (request.dot) return DotText(inspection);
  if (request.model_explorer) return Printed(ModelExplorerJson(inspection));
  if (!request.node_data.empty()) return Printed(NodeDataJson(inspection, request.node_data));
  Sections sections(request.count(), request.style.format);
  if (request.sizes()) {
    PTEEDIT_ASSIGN(const std::string sizes, RenderSizesText(inspection.file, inspection.sizes, request));
    sections.Add("Sizes", sizes);
  }
  for (const View* view : request.views.selected) sections.Add(view->title, view->text(inspection, request.style));
  return std::move(sections).Take();
}

}  // namespace pteedit::cli
