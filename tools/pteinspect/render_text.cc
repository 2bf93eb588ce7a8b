#include "render_text.h"

#include "sections.h"
#include "size_tree.h"
#include "views/format.h"
#include "views/view.h"

namespace pteedit::inspect {
namespace {

constexpr size_t kNearMatches = 3;

Error NoSuchComponent(const SizeNode& root, const std::string& name) {
  std::string message = "no component '" + EscapeControl(name) + "'";
  const std::vector<std::string> near = NearMatches(root, name, kNearMatches);
  const std::string names =
      Join(near, " or ", [](const std::string& match) { return "'" + EscapeControl(match) + "'"; });
  return InvalidArgument(message + (names.empty() ? ", see -l for those that exist" : ", did you mean " + names + "?"));
}

Result<std::string> SizesText(const SizeNode& root, const Views& views) {
  std::vector<const SizeNode*> open;
  for (const std::string& name : views.components) {
    open.push_back(FindComponent(root, name));
    if (open.back() == nullptr) return NoSuchComponent(root, name);
  }
  if (views.list) return ListText(root, open, views.exact_bytes);
  std::string text;
  for (const SizeNode* component : open) text += ComponentText(*component, views.exact_bytes);
  return text;
}

}  // namespace

Result<std::string> RenderText(const Inspection& inspection, const Views& views) {
  Sections sections(views.count());
  if (views.sizes()) {
    const Result<std::string> sizes = SizesText(inspection.sizes, views);
    if (!sizes) return Error(sizes.error()).In(inspection.file);
    sections.Add("Sizes", *sizes);
  }
  for (const View* view : views.selected) sections.Add(view->title, view->text(inspection, views.exact_bytes));
  return std::move(sections).Take();
}

}  // namespace pteedit::inspect
