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

Json MemberOf(const std::vector<FileFindings>& findings, size_t file) {
  return file < findings.size() ? Json{{"findings", FindingsJson(findings[file].findings)}} : Json::object();
}

// Each file looked at, the data files with what the program before them reads.
Result<std::vector<PageObject>> ObjectsOf(const ProgramSet& set, const std::vector<BlobDecoder>& decoders,
                                          const ViewRequest& request, const std::vector<FileFindings>& findings) {
  PTEEDIT_ASSIGN(Inspection whole, Inspect(set.file().name(), set, decoders, nullptr, request));
  const KeyUses uses = set.data().empty() ? KeyUses() : whole.key_uses;
  PTEEDIT_ASSIGN(PageObject first, RenderForPage(std::move(whole), MemberOf(findings, 0)));
  std::vector<PageObject> list{std::move(first)};
  for (const Container& file : set.data()) {
    PTEEDIT_ASSIGN(Inspection one, Inspect(file.name(), {file, set.data()}, decoders, &uses, request));
    PTEEDIT_ASSIGN(PageObject object, RenderForPage(std::move(one), MemberOf(findings, list.size())));
    list.push_back(std::move(object));
  }
  return list;
}

Result<PageObject> DuplicatesOf(const ProgramSet& set) {
  std::vector<Container> files{set.file()};
  files.insert(files.end(), set.data().begin(), set.data().end());
  std::vector<std::string> names;
  for (const Container& file : files) names.push_back(file.name());
  PTEEDIT_ASSIGN(const Duplicates duplicates, FindDuplicates(files, ThreadCount()));
  return PrintForPage({}, [&](JsonPrinter& printer) -> Status {
    printer.AddMembers(NewAcrossJson());
    printer.AddObject("duplicates", [&] { PrintDuplicates(names, duplicates, printer); });
    return {};
  });
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
  request.whole_tree = true;
  request.names = is_named;
  const std::vector<FileFindings> findings = options.empty() ? FindingsOf(set) : std::vector<FileFindings>();
  PTEEDIT_ASSIGN(std::vector<PageObject> list, ObjectsOf(set, decoders, request, findings));
  if (options.empty()) {
    PTEEDIT_ASSIGN(PageObject across, DuplicatesOf(set));
    list.push_back(std::move(across));
  }
  return HtmlPage("pteinspect", std::move(list));
}

}  // namespace pteedit::cli
