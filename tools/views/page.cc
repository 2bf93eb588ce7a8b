#include "views/page.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "json.h"
#include "pteedit/duplicates.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"
#include "text/html.h"
#include "text/reports.h"
#include "threads.h"
#include "views/render_json.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

Result<ViewRequest> ViewsOf(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (std::ranges::none_of(AllViews(), [&](const View* view) { return option == view->option; }))
      return InvalidArgument("there is no view '" + EscapeControl(option) + "'");
  }
  ViewRequest request;
  for (const View* view : AllViews()) {
    if (std::ranges::find(options, view->option) != options.end()) request.selected.push_back(view);
  }
  return request;
}

// One list for the file and one for each data file; none where they are too damaged.
std::vector<FileFindings> FindingsOf(const ProgramSet& set) {
  std::vector<std::shared_ptr<const Source>> data;
  for (const Container& file : set.data()) data.push_back(file.source());
  Result<std::vector<FileFindings>> found = Verify(set.file().source(), data, {true, ThreadCount()});
  return found ? *std::move(found) : std::vector<FileFindings>();
}

// Each file looked at, the data files with what the program before them reads.
Result<Json> FilesJson(const ProgramSet& set, const std::vector<BlobDecoder>& decoders, const ViewRequest& request) {
  PTEEDIT_ASSIGN(Inspection whole, Inspect(set.file().name(), set, decoders, nullptr, request));
  const KeyUses uses = set.data().empty() ? KeyUses() : whole.key_uses;
  PTEEDIT_ASSIGN(Json first, RenderForPage(std::move(whole), Json::object()));
  Json list = Json::array({std::move(first)});
  for (const Container& file : set.data()) {
    PTEEDIT_ASSIGN(Inspection one, Inspect(file.name(), {file, set.data()}, decoders, &uses, request));
    PTEEDIT_ASSIGN(Json page, RenderForPage(std::move(one), Json::object()));
    list.push_back(std::move(page));
  }
  return list;
}

Status AddFindingsAndDuplicates(const ProgramSet& set, Json& list) {
  const std::vector<FileFindings> findings = FindingsOf(set);
  for (size_t i = 0; i < findings.size(); ++i) list[i]["findings"] = FindingsJson(findings[i].findings);
  std::vector<Container> files{set.file()};
  files.insert(files.end(), set.data().begin(), set.data().end());
  std::vector<std::string> names;
  for (const Container& file : files) names.push_back(file.name());
  PTEEDIT_ASSIGN(const Duplicates duplicates, FindDuplicates(files, ThreadCount()));
  list.push_back(NewAcrossJson());
  list.back()["duplicates"] = DuplicatesJson(names, duplicates);
  return {};
}

}  // namespace

ViewRequest ViewsOfWholePage() {
  ViewRequest request;
  request.selected = AllViews();
  request.hash = HashKind::kXxh3;
  request.selected.push_back(&kHashView);
  return request;
}

Result<std::string> PageOf(const ProgramSet& set, const std::vector<std::string>& options,
                           const std::vector<BlobDecoder>& decoders, bool is_named) {
  PTEEDIT_ASSIGN(ViewRequest request, ViewsOf(options));
  if (options.empty()) request = ViewsOfWholePage();
  request.whole_tree = request.for_page = true;
  request.names = is_named;
  PTEEDIT_ASSIGN(Json list, FilesJson(set, decoders, request));
  if (options.empty()) {
    PTEEDIT_TRY(AddFindingsAndDuplicates(set, list));
  }
  return HtmlPage("pteinspect", std::move(list));
}

}  // namespace pteedit::cli
