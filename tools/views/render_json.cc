#include "views/render_json.h"

#include <utility>

#include "pteedit/names.h"
#include "pteedit/try.h"
#include "text/file_json.h"
#include "text/html.h"
#include "views/view.h"

namespace pteedit::cli {

static Json NamesJson(const NameCount& count) {
  Json object;
  object["contents"] = count.contents;
  object["unnamed"] = count.unnamed;
  object["unnamed_bytes"] = count.unnamed_bytes;
  return object;
}

static void PrintView(const ViewJson& view, JsonPrinter& printer) {
  if (!view.row) return printer.Add(view.value);
  printer.BeginList();
  for (size_t i = 0; i < view.count; ++i) printer.Add(view.row(i));
  printer.EndList();
}

// Behind the first `most` rows come nulls, for what only counts them.
static Json WholeOf(ViewJson view, size_t most) {
  if (!view.row) return std::move(view.value);
  Json list = Json::array();
  for (size_t i = 0; i < view.count; ++i) list.push_back(i < most ? view.row(i) : Json());
  return list;
}

Status PrintJson(Inspection inspection, const Json& more, JsonPrinter& printer) {
  PTEEDIT_TRY(FindAll(inspection));
  printer.BeginObject();
  PrintSizesJson(inspection.file, KindName(inspection.container.kind()), inspection.sizes, printer);
  printer.AddMember("modules", ModulesJson(inspection.sizes));
  inspection.sizes = {};
  if (inspection.request.names) printer.AddMember("names", NamesJson(CountNames(inspection.container)));
  PTEEDIT_TRY(ForEachView(inspection, [&](const View& view) {
    printer.Name(view.member);
    PrintView(view.json(inspection), printer);
  }));
  printer.AddMembers(more);
  printer.EndObject();
  return {};
}

Result<Json> RenderForPage(Inspection inspection, const Json& more) {
  Json object = RenderSizesForPage(inspection.file, KindName(inspection.container.kind()), std::move(inspection.sizes));
  inspection.sizes = {};
  MakeRoom(object, object.size() + 1 + inspection.request.selected.size() + more.size());
  if (inspection.request.names) object["names"] = NamesJson(CountNames(inspection.container));
  PTEEDIT_TRY(ForEachView(inspection, [&](const View& view) {
    object[view.member] = ForPage(WholeOf(view.json(inspection), inspection.most_rows));
  }));
  object.update(more);
  return object;
}

Json NewAcrossJson() {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = nullptr;
  return object;
}

}  // namespace pteedit::cli
