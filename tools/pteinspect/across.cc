#include "across.h"

#include <ostream>

#include "input_files.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "text/names.h"
#include "text/sections.h"
#include "text/table.h"
#include "views/inspection.h"
#include "views/render_json.h"

namespace pteedit::cli {
namespace {

std::string SameTable(const Across& across, Format format) {
  Table table({{"Same"}, {"Where"}, {"Difference"}});
  const Difference difference = across.difference.value_or(Difference());
  table.AddRow({across.difference ? "no" : "yes", EscapeControl(difference.where), EscapeControl(difference.message)});
  return table.In({format});
}

std::string SameText(const Across& across, Format format) {
  if (format != Format::kText) return SameTable(across, format);
  if (!across.difference) return "same\n";
  const Difference& difference = *across.difference;
  const std::string place = difference.where.empty() ? "" : difference.where + ": ";
  return EscapeControl(place + difference.message) + "\n";
}

void PrintDuplicatesText(const Across& across, const Style& style, std::ostream& out) {
  const Duplicates& duplicates = *across.duplicates;
  if (duplicates.groups.empty()) {
    out << "no equal contents\n";
    return;
  }
  Table table(
      {{"Saves", Align::kRight}, {"Size", Align::kRight}, {"Copies", Align::kRight}, {"What"}, {"Name"}, {"File"}});
  for (const DuplicateGroup& group : duplicates.groups) {
    std::vector<std::string> numbers{style.Size(group.saved_bytes), style.Size(group.bytes),
                                     std::to_string(group.copies.size())};
    for (const ContentCopy& copy : group.copies) {
      table.AddRow({numbers[0], numbers[1], numbers[2], copy.what, EscapeControl(copy.name),
                    EscapeControl(across.files[copy.file])});
      numbers.assign(3, "");  // once a group
    }
  }
  table.Print(style, out);
  if (style.format == Format::kCsv) return;
  out << (style.format == Format::kMarkdown ? "\n" : "") << "Storing each once would save "
      << style.Size(duplicates.saved_bytes) << '\n';
}

Json SameJson(const Across& across) {
  Json object;
  object["other"] = across.other;
  object["same"] = !across.difference.has_value();
  object["difference"] = nullptr;
  if (across.difference) {
    object["difference"] = {{"where", across.difference->where}, {"message", across.difference->message}};
  }
  return object;
}

// A program is the first of the names, the others are its data files.
Result<ProgramSet> OpenNamedSet(const std::vector<std::string>& names, const ContentNames& known, unsigned threads) {
  std::vector<Container> files;
  for (const std::string& name : names) {
    PTEEDIT_ASSIGN(Container opened, OpenNamed(name, known, threads));
    files.push_back(std::move(opened));
  }
  return ProgramSet(files.front(), {files.begin() + 1, files.end()});
}

// Where no data files are named for it, those of --data.
std::vector<std::string> OtherFiles(const Request& request) {
  std::vector<std::string> files = request.same_as;
  if (files.size() == 1) files.insert(files.end(), request.data.begin(), request.data.end());
  return files;
}

}  // namespace

Result<Across> InspectAcross(const ProgramSet& first, const std::vector<Container>& files, const Knowledge& known,
                             const Request& request) {
  Across across;
  if (!request.same_as.empty()) {
    PTEEDIT_ASSIGN(const ProgramSet other, OpenNamedSet(OtherFiles(request), known.names, request.views.threads));
    PTEEDIT_ASSIGN(std::optional<Difference> found, FindDifference(first, other));
    across.other = request.same_as.front();
    across.compared = true;
    across.difference = std::move(found);
    across.fails = across.difference.has_value();
  }
  if (!request.diff.empty()) {
    PTEEDIT_ASSIGN(const ProgramSet old, OpenNamedSet(request.diff, known.names, request.views.threads));
    PTEEDIT_ASSIGN(FileDiff diff, DiffFiles(old, first, request.views.threads, known.decoders));
    across.diff_names = {request.diff, {first.name()}};
    for (const Container& file : first.data()) across.diff_names.now.push_back(file.name());
    across.diff = std::move(diff);
    across.fails =
        across.fails || (request.max_growth ? !request.max_growth->allows(*across.diff) : !across.diff->is_same());
  }
  if (request.duplicates) {
    for (const Container& file : files) across.files.push_back(file.name());
    PTEEDIT_ASSIGN(across.duplicates, FindDuplicates(files, request.views.threads));
  }
  return across;
}

void PrintAcrossText(const Across& across, const Request& request, std::ostream& out) {
  Sections sections(request.count(), request.style.format);
  if (across.compared) sections.Add("Same", SameText(across, request.style.format), out);
  if (across.duplicates) PrintDuplicatesText(across, request.style, sections.Begin("Duplicates", out));
  if (across.diff) {
    PrintDiffText(across.diff_names, *across.diff, request.max_growth, request.diff_detail, request.style,
                  sections.Begin("Diff", out));
  }
}

void PrintAcrossJson(const Across& across, const Request& request, JsonPrinter& printer) {
  printer.AddMembers(NewAcrossJson());
  if (across.compared) printer.AddMember("same", SameJson(across));
  if (across.duplicates) {
    printer.AddObject("duplicates", [&] { PrintDuplicates(across.files, *across.duplicates, printer); });
  }
  if (across.diff) {
    printer.AddObject("diff", [&] {
      PrintDiff(across.diff_names, *across.diff, printer);
      if (request.max_growth) printer.AddMember("max_growth", VerdictJson(*across.diff, *request.max_growth));
    });
  }
}

}  // namespace pteedit::cli
