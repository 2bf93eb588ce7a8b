#include "render_text.h"

#include "operator_listing.h"
#include "text/format.h"
#include "text/sections.h"
#include "text/size_tree.h"
#include "views/view.h"

namespace pteedit::inspect {
namespace {

Result<std::string> SizesText(const SizeNode& root, const Views& views) {
  std::vector<const SizeNode*> open;
  for (const std::string& name : views.components) {
    open.push_back(FindComponent(root, name));
    if (open.back() == nullptr) return NoSuchComponent(root, name);
  }
  if (views.style.format == Format::kCsv) return TreeCsv(root);
  std::string text = TreeHead(views.style);
  if (views.list) return text + ListText(root, open, views.style);
  for (const SizeNode* component : open) text += ComponentText(*component, views.style);
  return text;
}

}  // namespace

Result<std::string> RenderSizesText(const std::string& file, const SizeNode& sizes, const Views& views) {
  Result<std::string> text = SizesText(sizes, views);
  if (!text) return std::move(text).error().In(file);
  return text;
}

Result<std::string> RenderText(const Inspection& inspection, const Views& views) {
  if (views.yaml && inspection.container.kind() == FileKind::kData)
    return InvalidArgument("is a data file, which has no operators").In(inspection.file);
  if (views.yaml) return OperatorListing(*inspection.requirements, inspection.file);
  Sections sections(views.count(), views.style.format);
  if (views.sizes()) {
    const Result<std::string> sizes = RenderSizesText(inspection.file, inspection.sizes, views);
    if (!sizes) return sizes.error();
    sections.Add("Sizes", *sizes);
  }
  for (const View* view : views.selected) sections.Add(view->title, view->text(inspection, views.style));
  return std::move(sections).Take();
}

}  // namespace pteedit::inspect
