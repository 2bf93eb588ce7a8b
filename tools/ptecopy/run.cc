#include "run.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "name_matcher.h"
#include "progress.h"
#include "pteedit/copy.h"
#include "pteedit/metadata.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/names.h"
#include "values.h"

namespace pteedit::cli {
namespace {

using Renames = std::vector<std::pair<std::string, std::string>>;

Result<Renames> RenamesOf(const std::string& option, const std::vector<std::string>& words) {
  Renames renames;
  for (const std::string& word : words) {
    PTEEDIT_ASSIGN(auto rename, NameAndValue(option, word));
    renames.push_back(std::move(rename));
  }
  return renames;
}

struct Edits {
  CopyOptions options;
  std::vector<std::string> inputs;  // files beside the one that is edited
};

Result<Edits> EditsOf(const CopyArguments& arguments) {
  Edits edits;
  CopyOptions& options = edits.options;
  options.upgrade = arguments.upgrade;
  options.keep_methods = arguments.keep_methods;
  options.remove_methods = arguments.remove_methods;
  PTEEDIT_ASSIGN(options.rename_methods, RenamesOf("--rename-method", arguments.rename_methods));
  for (const std::string& word : arguments.add_methods) {
    PTEEDIT_ASSIGN(AddedMethods added, ParseAddedMethods(word));
    edits.inputs.push_back(added.program.name());
    options.add_methods.push_back(std::move(added));
  }
  for (const std::string& word : arguments.set_methods) {
    PTEEDIT_ASSIGN(NewConstantMethod method, ParseConstantMethod(word));
    options.set_methods.push_back(std::move(method));
  }
  for (const std::string& key : arguments.remove_metadata)
    options.remove_keys.push_back(std::string(kMetadataPrefix) + key);
  PTEEDIT_ASSIGN(options.remove_data, NameMatcher("--remove-data", arguments.remove_data));
  PTEEDIT_ASSIGN(options.rename_keys, RenamesOf("--rename-key", arguments.rename_keys));
  for (const std::string& word : arguments.set_metadata) {
    PTEEDIT_ASSIGN(NewData data, ParseMetadata(word));
    if (data.bytes->name() != data.key) edits.inputs.push_back(data.bytes->name());
    options.add_data.push_back(std::move(data));
  }
  for (const std::string& word : arguments.add_data) {
    PTEEDIT_ASSIGN(const auto parts, NameAndValue("--add-data", word));
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> file, OpenFileSource(parts.second));
    edits.inputs.push_back(parts.second);
    options.add_data.push_back({parts.first, std::move(file)});
  }
  for (const std::string& word : arguments.replace) {
    PTEEDIT_ASSIGN(const auto parts, NameAndValue("--replace", word));
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> file, OpenFileSource(parts.second));
    edits.inputs.push_back(parts.second);
    options.replace.push_back({parts.first, std::move(file)});
  }
  for (const std::string& path : arguments.refit) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> file, OpenFileSource(path));
    edits.inputs.push_back(path);
    options.refit.push_back(std::move(file));
  }
  if (!arguments.splat.empty()) {
    PTEEDIT_ASSIGN(options.splat, ParseSplat(arguments.splat));
  }
  PTEEDIT_ASSIGN(options.names, ReadAllNames(arguments.writing.names));
  edits.inputs.insert(edits.inputs.end(), arguments.writing.names.begin(), arguments.writing.names.end());
  options.min_alignment = arguments.writing.Alignment();
  options.threads = arguments.writing.ThreadCount();
  options.output_name = arguments.output;
  return edits;
}

RewriteOutput ReportOf(const CopyArguments& arguments, const Container& input, const CopyOptions& options,
                       CopyResult& copy) {
  RewriteOutput output = BeginReport("ptecopy", arguments.writing);
  output.nothing = copy.changed ? "nothing came or went"
                                : "nothing to edit: " + EscapeControl(arguments.output) + " is a copy of " +
                                      EscapeControl(input.name());
  output.inputs.push_back({input.name(), input.source()->size(), {}, {}});
  std::set<std::string> known = {input.name()};
  for (const AddedMethods& added : options.add_methods) {
    if (known.insert(added.program.name()).second)
      output.inputs.push_back({added.program.name(), added.program.source()->size(), {}, {}});
  }
  output.outputs.push_back(
      {arguments.output, copy.file.size(), copy.kind == FileKind::kData ? "shared" : "program", {}});
  output.report = std::move(copy.report);
  return output;
}

}  // namespace

Result<RewriteOutput> Run(const CopyArguments& arguments) {
  PTEEDIT_ASSIGN(Edits edits, EditsOf(arguments));
  edits.inputs.push_back(arguments.input);
  PTEEDIT_TRY(CheckStandardOutputs(edits.inputs));
  PTEEDIT_ASSIGN(const Container input, OpenContainer(arguments.input));
  PTEEDIT_ASSIGN(CopyResult copy, Copy(input, edits.options));
  RewriteOutput report = ReportOf(arguments, input, edits.options, copy);
  PTEEDIT_TRY(WriteOutputs(arguments.writing, {{arguments.output, copy.file}}, edits.inputs, report));
  return report;
}

}  // namespace pteedit::cli
