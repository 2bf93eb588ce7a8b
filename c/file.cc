// Reports about files and releases through the C door, as the tools print them.
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "pteedit.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/key_uses.h"
#include "pteedit/package/verify_release.h"
#include "pteedit/requirements.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"
#include "release.h"
#include "status.h"
#include "text/file_json.h"
#include "text/reports.h"

struct pteedit_file {
  std::vector<std::shared_ptr<const pteedit::Source>> sources;  // the first one, then the data files
};

namespace pteedit::c {
namespace {

using cli::Json;

Result<std::vector<Container>> OpenAll(const pteedit_file& file) {
  std::vector<Container> all;
  for (const auto& source : file.sources) {
    PTEEDIT_ASSIGN(Container container, Container::Open(source));
    all.push_back(std::move(container));
  }
  return all;
}

// What the program reads in the data files, which tells the types there.
Result<KeyUses> KeyUsesOf(const ProgramSet& set) {
  KeyUses uses;
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(set));
  PTEEDIT_TRY(AddKeyUses(set.file(), delegates, uses));
  return uses;
}

Result<std::string> SizesOf(const pteedit_file& file) {
  PTEEDIT_ASSIGN(const std::vector<Container> all, OpenAll(file));
  const std::vector<Container> data(all.begin() + 1, all.end());
  KeyUses uses;
  if (!data.empty()) {
    PTEEDIT_ASSIGN(uses, KeyUsesOf({all.front(), data}));
  }
  std::ostringstream text;
  cli::JsonPrinter printer(text);
  printer.BeginList();
  for (size_t i = 0; i < all.size(); ++i) {
    PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes({all[i], data}, {.look_inside = true,
                                                                       .key_uses = i == 0 ? nullptr : &uses,
                                                                       .pieces = SizePieces::kNone}));
    printer.BeginObject();
    cli::PrintSizesJson(all[i].name(), KindName(all[i].kind()), sizes, printer);
    printer.EndObject();
  }
  printer.EndList();
  printer.Finish();
  return std::move(text).str();
}

Result<std::string> FindingsOf(const pteedit_file& file) {
  const auto& sources = file.sources;
  PTEEDIT_ASSIGN(const std::vector<FileFindings> all, Verify(sources.front(), {sources.begin() + 1, sources.end()}));
  Json list = Json::array();
  for (const FileFindings& found : all) {
    list.push_back(cli::RenderJsonDamaged(found.file));
    list.back()["findings"] = cli::FindingsJson(found.findings);
  }
  return cli::Printed(list);
}

Result<std::string> RequirementsOf(const pteedit_file& file) {
  PTEEDIT_ASSIGN(const std::vector<Container> all, OpenAll(file));
  const Container& program = all.front();
  const ProgramSet set(program, {all.begin() + 1, all.end()});
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(set));
  Json list = Json::array();
  list.push_back(cli::FileJson(program.name(), KindName(program.kind()), program.source()->size()));
  list.back()["requirements"] = cli::RequirementsJson(DescribeRequirements(set, delegates));
  return cli::Printed(list);
}

// Gives `json` what `look` says of a handle that may be NULL.
template <class Handle, class Look>
pteedit_status Report(const Handle* handle, const char* parameter, char** json, Look look) {
  if (json == nullptr) return IsNull("json");
  *json = nullptr;
  if (handle == nullptr) return IsNull(parameter);
  const Result<std::string> report = look(*handle);
  if (!report) return Failed(report.error());
  *json = CopyOf(*report);
  return PTEEDIT_OK;
}

}  // namespace
}  // namespace pteedit::c

using pteedit::c::Failed;
using pteedit::c::IsNull;
using pteedit::c::Report;

pteedit_status pteedit_open(const char* path, const char* const* data, size_t data_count,
                            pteedit_file** file) noexcept {
  if (file == nullptr) return IsNull("file");
  *file = nullptr;
  if (path == nullptr) return IsNull("path");
  if (data == nullptr && data_count != 0) return IsNull("data");
  auto opened = std::make_unique<pteedit_file>();
  for (size_t i = 0; i <= data_count; ++i) {
    const char* name = i == 0 ? path : data[i - 1];
    if (name == nullptr) return IsNull("data");
    auto source = pteedit::OpenFileSource(name);
    if (!source) return Failed(source.error());
    opened->sources.push_back(*std::move(source));
  }
  *file = opened.release();
  return PTEEDIT_OK;
}

void pteedit_close(pteedit_file* file) noexcept { delete file; }

pteedit_status pteedit_sizes(const pteedit_file* file, char** json) noexcept {
  return Report(file, "file", json, pteedit::c::SizesOf);
}

pteedit_status pteedit_verify(const pteedit_file* file, char** json) noexcept {
  return Report(file, "file", json, pteedit::c::FindingsOf);
}

pteedit_status pteedit_requirements(const pteedit_file* file, char** json) noexcept {
  return Report(file, "file", json, pteedit::c::RequirementsOf);
}

pteedit_status pteedit_release_verify(const pteedit_release* release, char** json) noexcept {
  return Report(release, "release", json, [](const pteedit_release& opened) -> pteedit::Result<std::string> {
    PTEEDIT_ASSIGN(const auto all, pteedit::VerifyRelease(opened.release));
    return pteedit::cli::Printed(pteedit::cli::ReleaseFindingsJson(all, opened.release.manifest.release));
  });
}
