#include "inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "file_names.h"
#include "output_folder.h"
#include "progress.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

std::string InQuotes(const std::string& text) { return "'" + EscapeControl(text) + "'"; }

class FolderReader {
 public:
  FolderReader(const NamedFiles& word, FolderFiles files) : word_(word), files_(std::move(files)) {}

  Result<std::vector<VariantInput>> Read() {
    const std::string& folder = word_.paths.front();
    if (files_.programs.empty()) return InvalidArgument("has no program (.pte)").In(folder);
    PTEEDIT_ASSIGN(programs_, OpenEachOnce(files_.programs));
    PTEEDIT_ASSIGN(data_, OpenEachOnce(files_.data));
    std::vector<VariantInput> variants;
    for (size_t i = 0; i < programs_.size(); ++i) {
      PTEEDIT_ASSIGN(std::vector<Container> data, DataOf(i));
      variants.push_back({NameOf(i), {}, ProgramSet(programs_[i], std::move(data))});
    }
    for (const Container& file : data_) {
      if (used_.count(file.name()) == 0) {
        return InvalidArgument("no program of the folder needs a key of it; give it in a SET with its program")
            .In(file.name());
      }
    }
    return variants;
  }

 private:
  Result<std::vector<Container>> DataOf(size_t program) {
    PTEEDIT_ASSIGN(std::vector<Container> data,
                   DataFilesOf(programs_[program], files_.programs[program], files_, data_));
    for (const Container& file : data) used_.insert(file.name());
    return data;
  }

  std::string NameOf(size_t program) const {
    if (!word_.name.empty() && files_.programs.size() == 1) return word_.name;
    const fs::path path = fs::path(files_.programs[program]).lexically_relative(word_.paths.front());
    const auto in_its_folder = [&](const std::string& other) {
      return fs::path(other).parent_path() == fs::path(files_.programs[program]).parent_path();
    };
    const bool is_alone = std::count_if(files_.programs.begin(), files_.programs.end(), in_its_folder) == 1;
    const fs::path name = is_alone && path.has_parent_path() ? path.parent_path() : fs::path(path).replace_extension();
    return word_.name.empty() ? name.string() : word_.name + "/" + name.string();
  }

  const NamedFiles& word_;
  FolderFiles files_;
  std::vector<Container> programs_, data_;
  std::set<std::string> used_;
};

Result<std::vector<VariantInput>> VariantsOf(const NamedFiles& word) {
  if (word.paths.size() == 1 && IsFolder(word.paths.front())) {
    PTEEDIT_ASSIGN(FolderFiles files, FilesIn(word.paths.front(), {".pte"}));
    return FolderReader(word, std::move(files)).Read();
  }
  PTEEDIT_ASSIGN(const std::vector<Container> files, OpenEachOnce(word.paths));
  const std::string name = word.name.empty() ? fs::path(word.paths.front()).stem().string() : word.name;
  return std::vector<VariantInput>{{name, {}, ProgramSet(files.front(), {files.begin() + 1, files.end()})}};
}

}  // namespace

Result<std::vector<VariantInput>> OpenVariants(const std::vector<std::string>& words) {
  std::vector<VariantInput> variants;
  for (const std::string& word : words) {
    PTEEDIT_ASSIGN(const NamedFiles named, ParseNamedFiles(word));
    PTEEDIT_ASSIGN(std::vector<VariantInput> some, VariantsOf(named));
    for (VariantInput& variant : some) variants.push_back(std::move(variant));
  }
  return variants;
}

Status AddLabels(const std::string& word, std::vector<VariantInput>& variants) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return InvalidArgument("--label " + InQuotes(word) + ": NAME=KEY:VALUE expected");
  const std::string name = word.substr(0, equals);
  const auto variant = std::find_if(variants.begin(), variants.end(),
                                    [&](const VariantInput& candidate) { return candidate.name == name; });
  if (variant == variants.end()) return InvalidArgument("--label: there is no variant " + InQuotes(name));
  for (size_t begin = equals + 1; begin <= word.size();) {
    const size_t end = std::min(word.find(',', begin), word.size());
    const std::string label = word.substr(begin, end - begin);
    const size_t colon = label.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == label.size())
      return InvalidArgument("--label " + InQuotes(word) + ": KEY:VALUE expected, not " + InQuotes(label));
    if (EscapeControl(label) != label) return InvalidArgument("--label " + InQuotes(word) + " is no plain text");
    if (!variant->labels.emplace(label.substr(0, colon), label.substr(colon + 1)).second)
      return InvalidArgument("--label " + InQuotes(name) + " has " + InQuotes(label.substr(0, colon)) + " twice");
    begin = end + 1;
  }
  return {};
}

Result<IncludedInput> OpenIncluded(const std::string& word) {
  const size_t colon = word.find(':');
  if (colon == std::string::npos) return InvalidArgument("--include " + InQuotes(word) + ": ROLE:FILE expected");
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenFileSource(word.substr(colon + 1)));
  return IncludedInput{word.substr(0, colon), CountingReads(std::move(source))};
}

}  // namespace pteedit::cli
