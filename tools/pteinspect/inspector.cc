#include "inspector.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>
#include <utility>

#include "across.h"
#include "extract.h"
#include "gates.h"
#include "graph_forms.h"
#include "input_files.h"
#include "profile_sizes.h"
#include "progress.h"
#include "pteedit/mended.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "render_text.h"
#include "sarif.h"
#include "text/file_json.h"
#include "text/findings.h"
#include "text/format.h"
#include "text/html.h"
#include "text/names.h"
#include "text/sections.h"
#include "text/table.h"
#include "text/text_output.h"
#include "verification.h"
#include "views/leaks.h"
#include "views/render_json.h"
#include "views/requirements.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

void WarnOfUnknownFields(const Tool& tool, const std::string& file, const Container& container) {
  for (const std::string& field : container.unknown_fields()) {
    tool.PrintWarning(file, field + ", which is newer than this version of pteinspect");
  }
  if (container.program() != nullptr) WarnOfUnknownFields(tool, file, *container.program());
}

// A blob whose backend is known, but not this form of it.
void WarnOfOpaqueBlobs(const Tool& tool, const std::string& file, const std::vector<DelegateDescription>& delegates) {
  for (const DelegateDescription& delegate : delegates) {
    if (delegate.decoded || delegate.why_opaque->empty() || !delegate.shared_with->empty()) continue;
    tool.PrintWarning(file, "processed blob of '" + EscapeControl(delegate.name) +
                                "' is taken as opaque: " + EscapeControl(*delegate.why_opaque));
  }
}

Status CheckHasViews(const Container& file, const Request& request) {
  if (file.kind() != FileKind::kNative) return {};
  const auto found =
      std::ranges::find_if(request.views.selected, [&](const View* one) { return !HasView(file.kind(), *one); });
  const bool lacks_view = found != request.views.selected.end() && request.html.empty();
  if (!lacks_view && request.targets.empty()) return {};
  return Unsupported(std::string("is a package of the native backend, which no release loads: ") +
                     (lacks_view ? (*found)->option : "--target") + " has nothing to tell of it")
      .In(file.name());
}

void AddNew(std::vector<Finding>& list, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const Finding& other) {
      return other.id == finding.id && other.where == finding.where && other.message == finding.message;
    });
    if (!known) list.push_back(finding);
  }
}

// What is known of one release becomes the end of the message.
void TellBehaviour(const Target& runtime, std::vector<FileFindings>& all) {
  for (FileFindings& found : all) {
    for (Finding& finding : found.findings) {
      const std::string behaviour = BehaviourOf(runtime, finding);
      if (!behaviour.empty()) finding.message += "; " + behaviour;
    }
  }
}

}  // namespace

int Inspector::Run(const std::vector<Input>& inputs) {
  FindData(inputs);
  std::vector<Input> caches;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(caches),
               [](const Input& input) { return IsCache(input.file); });
  if (caches.empty()) return ShowAll(inputs);
  OpenData();
  OpenPrograms(inputs);
  data_.clear();
  return ShowAll(caches);
}

int Inspector::ShowAll(const std::vector<Input>& inputs) {
  std::vector<std::string> all;
  for (const Input& input : inputs) all.push_back(input.file);
  all.insert(all.end(), data_.begin(), data_.end());
  for (const std::string& file : request_.adapters) {
    if (std::find(all.begin(), all.end(), file) == all.end()) all.push_back(file);
  }
  has_titles_ = all.size() > 1;
  if (request_.verify || request_.has_findings) VerifyAll(inputs);
  EndProgressLine();
  if (request_.sarif) return PrintSarif();
  if (request_.json) printer_.BeginList();
  OpenData();
  for (const Input& input : inputs) Show(input, /*is_data=*/false);
  for (size_t i = inputs.size(); i < all.size(); ++i) Show({all[i], data_}, /*is_data=*/true);
  if (request_.across_files() != 0 && shown_.size() == all.size()) PrintAcross(inputs);
  if (!request_.emit_metadata.empty()) EmitMetadata(all);
  for (const std::string& file : decoders_.useless_files()) {
    tool_.PrintWarning(file, "knows none of the processed blobs that were looked into");
  }
  if (request_.json) {
    printer_.EndList();
    printer_.Finish();
  }
  const bool is_whole = exit_code_ != kExitIo;  // what could be read at all
  if (!request_.html.empty() && is_whole) WritePage(all);
  return exit_code_;
}

// What is asked of one file alone has no place for those in its archive.
void Inspector::FindData(const std::vector<Input>& inputs) {
  const bool is_of_one = request_.yaml || request_.has_graph_form() || request_.style.format == Format::kCsv ||
                         !request_.extract.empty() || request_.views.at || !request_.check.empty();
  const auto add = [&](const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (std::find(data_.begin(), data_.end(), file) == data_.end()) data_.push_back(file);
    }
  };
  if (!is_of_one) {
    for (const Input& input : inputs) add(input.data);
  }
  add(request_.data);
  for (const Input& input : inputs) {
    for (const std::string& file : input.data) files_to_open_.insert(file);
  }
  files_to_open_.insert(request_.data.begin(), request_.data.end());
}

void Inspector::WritePage(const std::vector<std::string>& inputs) {
  std::vector<TextOutput> page;
  page.push_back({request_.html, HtmlPage("pteinspect", std::move(list_))});
  const Status written = WriteTexts(page, inputs, request_.force);
  if (!written) exit_code_ = std::max(exit_code_, tool_.PrintError(written.error()));
}

// What is wrong with one is told where it is shown.
void Inspector::OpenData() {
  for (const std::string& file : files_to_open_) {
    Result<Container> container = OpenNamed(file, names_, request_.views.threads);
    if (container && CheckAreData({*container})) opened_data_.emplace(file, *std::move(container));
  }
}

// Those that a cache of packed weights may serve, which are not shown themselves.
void Inspector::OpenPrograms(const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    if (IsCache(input.file)) continue;
    const Result<Container> opened = OpenNamed(input.file, names_, request_.views.threads);
    const Status checked = opened ? CheckIsProgram(*opened) : opened.error();
    if (checked) programs_.emplace_back(*opened, DataOf(input));
    if (!checked) Fail(input.file, checked.error());
  }
}

std::vector<Container> Inspector::DataOf(const Input& input) const {
  std::vector<Container> data;
  for (const std::string& file : input.data) {
    if (const auto opened = opened_data_.find(file); opened != opened_data_.end()) data.push_back(opened->second);
  }
  return data;
}

void Inspector::VerifyAll(const std::vector<Input>& inputs) {
  for (const auto& [file, data] : inputs) {
    Result<std::vector<FileFindings>> all = VerifyFile(file, data, request_);
    if (!all) {
      const bool is_unread = all.error().code == ErrorCode::kIo;  // which may be a file beside it
      if (request_.verify || is_unread) failed_.emplace(request_.verify ? file : all.error().file, all.error());
      continue;
    }
    if (request_.verify) exit_code_ = std::max(exit_code_, ExitCodeOf(*all, request_.strict));
    if (request_.runtime) TellBehaviour(*request_.runtime, *all);
    for (const FileFindings& found : *all) AddNew(findings_[found.file], found.findings);
  }
  if (request_.as_json() || request_.style.format == Format::kText) return;
  std::cout << FindingsTable(findings_, request_.style.format);
  is_first_ = false;
}

int Inspector::PrintSarif() {
  std::cout << Printed(SarifLog(findings_, failed_));
  for (const auto& [file, error] : failed_) Fail(file, error);
  return exit_code_;
}

// And, of a program, in which order its data files are to be loaded.
void Inspector::PrintFindings(const Input& input, bool is_data) {
  std::cout << FindingsText({input.file, findings_[input.file]}, tool_);
  const Result<Container> file = OpenFile(input.file);
  if (!file || is_data) return;
  const std::optional<Requirements> needs = NeedsOf({*file, DataOf(input)});
  if (needs && !needs->data.empty()) std::cout << " data files: " << DataFilesText(*needs) << "\n";
}

void Inspector::Show(const Input& input, bool is_data) {
  const std::string& file = input.file;
  if (const auto failed = failed_.find(file); failed != failed_.end()) return Fail(file, failed->second);
  const auto found = findings_.find(file);
  if (request_.verify && found == findings_.end())
    return;  // a data file that none of the others could be verified with
  const bool is_text = !request_.as_json() && request_.style.format == Format::kText;
  if (request_.verify && is_text) PrintFindings(input, is_data);
  if (request_.verify && !request_.as_json() && request_.count() == 0) return;
  if (IsCache(file) || IsProfile(file)) {
    const Status status = PrintProfile(file);
    if (!status && request_.verify && status.error().code == ErrorCode::kMalformed) return PrintDamaged(file);
    if (!status) Fail(file, status.error());
    return;
  }
  const Result<Container> container = OpenNamed(file, names_, request_.views.threads);
  if (!container && request_.verify && container.error().code != ErrorCode::kIo) return PrintDamaged(file);
  if (!container) return Fail(file, NamingAlso(container.error(), ".etdp or .etrecord"));
  if (is_data) {
    if (const Status checked = CheckAreData({*container}); !checked) return Fail(file, checked.error());
  }
  if (const Status status = InspectAndPrint(input, *container, is_data); !status) return Fail(file, status.error());
  shown_.push_back(*container);
}

Status Inspector::InspectAndPrint(const Input& input, const Container& container, bool is_data) {
  PTEEDIT_TRY(CheckHasViews(container, request_));
  const ProgramSet set(container, DataOf(input));
  PTEEDIT_ASSIGN(Inspection inspection,
                 Inspect(input.file, set, decoders_.decoders(), is_data ? &key_uses_ : nullptr, request_.Wanted()));
  if (!set.data().empty()) key_uses_.insert(inspection.key_uses.begin(), inspection.key_uses.end());
  const bool leaks = inspection.leaks && !inspection.leaks->found.empty();
  if (leaks && request_.html.empty()) exit_code_ = std::max<int>(exit_code_, kExitFindings);
  GateResults gates;  // a data file counts with those it belongs to
  if (!is_data) {
    PTEEDIT_ASSIGN(gates, TryGates(set, request_));
    if (!gates.pass()) exit_code_ = std::max<int>(exit_code_, kExitFindings);
  }
  EndProgressLine();
  return Print(std::move(inspection), gates);
}

std::string Inspector::Title(const std::string& file) const {
  if (request_.style.format == Format::kMarkdown) return "# " + MarkdownCell(EscapeControl(file)) + "\n\n";
  return EscapeControl(file) + ":\n";
}

// A table of values has no place for sentences.
std::ostream& Inspector::Verdicts() const { return request_.style.format == Format::kCsv ? std::cerr : std::cout; }

Status Inspector::Print(Inspection inspection, const GateResults& gates) {
  if (!request_.verify) WarnOfUnknownFields(tool_, inspection.file, inspection.container);
  WarnOfOpaqueBlobs(tool_, inspection.file, inspection.delegates);
  WarnOfUnnamed(inspection);
  if (!request_.extract.empty()) return Extract(inspection, request_.extract, request_.output, request_.force);
  if (!request_.emit_metadata.empty()) return KeepMetadata(inspection);
  if (request_.as_json()) {
    Json more = Json::object();
    if (request_.verify || findings_.count(inspection.file) != 0)
      more["findings"] = FindingsJson(findings_[inspection.file]);
    if (const auto needs = request_.verify ? NeedsOf(inspection.set) : std::nullopt) {
      more["data_files"] = needs->data_files;
      more["data"] = TextsOf(needs->data);
    }
    AddGates(more, gates);
    if (request_.json) {
      PTEEDIT_ASSIGN(const std::optional<Error> failed, PrintJson(std::move(inspection), more, printer_));
      if (failed) exit_code_ = std::max(exit_code_, tool_.PrintError(*failed));
      return {};
    }
    PTEEDIT_ASSIGN(PageObject page, RenderForPage(std::move(inspection), more));
    list_.push_back(std::move(page));
    return {};
  }
  Verdicts() << GatesText(inspection.file, gates, request_.style.format);
  if (request_.of_each_file() == 0) return {};
  if (request_.has_graph_form()) return PrintGraphForm(std::move(inspection), request_, std::cout);
  const std::string file = inspection.file;
  return PrintText(std::move(inspection), request_, [&]() -> std::ostream& { return Titled(file); });
}

Status Inspector::PrintProfile(const std::string& file) {
  Result<ProfileSizes> profile =
      IsCache(file) ? InspectCache(file, programs_, request_) : InspectProfile(file, request_);
  if (!profile) return profile.error();
  const bool leaks = profile->leaks && !profile->leaks->found.empty();
  if (leaks || !profile->gates.pass()) exit_code_ = std::max<int>(exit_code_, kExitFindings);
  if (request_.as_json()) {
    Json more = Json::object();
    if (profile->leaks) more["leaks"] = LeaksJson(*profile->leaks);
    if (request_.verify) more["findings"] = FindingsJson(findings_[file]);
    AddGates(more, profile->gates);
    if (request_.json) {
      printer_.BeginObject();
      PrintSizesJson(file, profile->kind, profile->sizes, printer_);
      printer_.AddMembers(more);
      printer_.EndObject();
    } else {
      list_.push_back(SizesForPage(file, profile->kind, std::move(profile->sizes), more));
    }
    return {};
  }
  Verdicts() << GatesText(file, profile->gates, request_.style.format);
  if (request_.of_each_file() == 0) return {};
  std::ostringstream sections_text;
  Sections sections(request_.count(), request_.style.format);
  if (request_.sizes()) {
    PTEEDIT_ASSIGN(const std::string text, RenderSizesText(file, std::move(profile->sizes), request_));
    sections.Add("Sizes", text, sections_text);
  }
  if (profile->leaks) sections.Add("Leaks", LeaksText(*profile->leaks, request_.style), sections_text);
  Titled(file) << sections_text.str();
  return {};
}

// Printed at once, or for the page.
void Inspector::AddObject(const Json& object) {
  if (request_.json) {
    printer_.Add(object);
  } else {
    list_.push_back(ForPage(object));
  }
}

std::ostream& Inspector::Titled(const std::string& file) {
  if (has_titles_) std::cout << (is_first_ ? "" : "\n") << Title(file);
  is_first_ = false;
  return std::cout;
}

Status Inspector::KeepMetadata(const Inspection& inspection) {
  PTEEDIT_ASSIGN(std::vector<BlobMetadata> blobs, CollectMetadata(inspection.container, inspection.delegates));
  metadata_.insert(metadata_.end(), blobs.begin(), blobs.end());
  return {};
}

// All or nothing, as every output.
void Inspector::EmitMetadata(const std::vector<std::string>& files) {
  if (exit_code_ >= kExitInput) return;
  std::vector<std::string> inputs;
  for (const std::string& file : files) inputs.push_back(PathOf(file));
  for (const std::string& file : request_.metadata_files) inputs.push_back(PathOf(file));
  const Status written = WriteMetadataFile(metadata_, request_.emit_metadata, inputs, request_.force);
  if (!written) exit_code_ = std::max(exit_code_, tool_.PrintError(written.error()));
}

void Inspector::WarnOfUnnamed(const Inspection& inspection) const {
  if (request_.names.empty()) return;
  const std::string unnamed = UnnamedText(CountNames(inspection.container));
  if (!unnamed.empty()) tool_.PrintWarning(inspection.file, unnamed);
}

// What is damaged has findings and nothing else to show.
void Inspector::PrintDamaged(const std::string& file) {
  if (!request_.as_json()) return;
  Json object = RenderJsonDamaged(file);
  object["findings"] = FindingsJson(findings_[file]);
  AddObject(object);
}

// What became of the user's decoders in the file of --diff, which is not shown itself.
void Inspector::WarnOfOldBlobs() {
  if (request_.diff.empty() || decoders_.decoders().empty()) return;
  const Result<Container> old = OpenFile(request_.diff.front());
  if (!old) return;  // comparing tells why, here and below
  const auto delegates = DescribeDelegates(*old, decoders_.decoders());
  if (delegates) WarnOfOpaqueBlobs(tool_, request_.diff.front(), *delegates);
}

// Adapters come last among those that were shown.
void Inspector::PrintAcross(const std::vector<Input>& inputs) {
  shown_.resize(inputs.size() + data_.size(), shown_.front());
  const ProgramSet first(shown_.front(), DataOf(inputs.front()));
  const Result<Across> across = InspectAcross(first, shown_, {decoders_.decoders(), names_}, request_);
  EndProgressLine();
  if (!across) return Fail(std::nullopt, across.error());
  WarnOfOldBlobs();
  if (across->fails) exit_code_ = std::max<int>(exit_code_, kExitFindings);
  if (request_.json) {
    printer_.BeginObject();
    PrintAcrossJson(*across, request_, printer_);
    printer_.EndObject();
  } else if (!request_.html.empty()) {
    list_.push_back(*PrintForPage({}, [&](JsonPrinter& printer) -> Status {
      PrintAcrossJson(*across, request_, printer);
      return {};
    }));
  } else {
    if (across->diff && request_.max_growth && request_.style.format == Format::kCsv)
      Verdicts() << VerdictText(*across->diff, *request_.max_growth) << "\n";
    if (!is_first_) std::cout << '\n';
    PrintAcrossText(*across, request_, std::cout);
  }
}

void Inspector::Fail(const std::optional<std::string>& file, const Error& error) {
  if (request_.as_json()) AddObject(RenderJsonError(file, error));
  exit_code_ = std::max(exit_code_, tool_.PrintError(error));
}

}  // namespace pteedit::cli
