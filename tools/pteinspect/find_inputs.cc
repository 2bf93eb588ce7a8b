#include "find_inputs.h"

#include <algorithm>
#include <set>

#include "file_names.h"
#include "input_files.h"
#include "output_folder.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

Result<FolderFiles> FilesOfFolder(const std::string& folder) {
  PTEEDIT_ASSIGN(FolderFiles files, FilesIn(folder, {".pte", ".bpte"}));
  if (files.programs.empty() && files.data.empty())
    return InvalidArgument("has no program (.pte, .bpte) and no data file (.ptd)").In(folder);
  return files;
}

// A file that is damaged has no data files, or belongs to no program; what is wrong with it is told where it is shown.
Result<std::vector<Input>> InputsIn(const std::string& folder) {
  PTEEDIT_ASSIGN(const FolderFiles files, FilesOfFolder(folder));
  if (files.programs.size() == 1) return std::vector<Input>{{files.programs.front(), files.data}};
  std::vector<Container> data;
  for (const std::string& path : files.data) {
    Result<Container> opened = OpenFile(path);
    if (opened && CheckAreData({*opened})) data.push_back(*std::move(opened));
  }
  std::vector<Input> inputs;
  std::set<std::string> used;
  for (const std::string& path : files.programs) {
    inputs.push_back({path, {}});
    const Result<Container> program = OpenFile(path);
    if (!program || data.empty()) continue;
    PTEEDIT_ASSIGN(const std::vector<Container> own, DataFilesOf(*program, path, files, data));
    for (const Container& file : own) inputs.back().data.push_back(file.name());
    used.insert(inputs.back().data.begin(), inputs.back().data.end());
  }
  for (const std::string& path : files.data) {
    if (used.count(path) == 0) inputs.push_back({path, {}});
  }
  return inputs;
}

}  // namespace

Result<std::vector<Input>> FindInputs(const std::vector<std::string>& words, Request& request) {
  const std::vector<std::string> given = request.data;
  std::vector<Input> inputs;
  for (const std::string& word : words) {
    std::vector<Input> some = {{word, {}}};
    if (IsFolder(word)) {
      PTEEDIT_ASSIGN(some, InputsIn(word));
    }
    inputs.insert(inputs.end(), some.begin(), some.end());
  }
  for (Input& input : inputs) {
    for (const std::string& file : input.data) {
      if (std::find(request.data.begin(), request.data.end(), file) == request.data.end()) request.data.push_back(file);
    }
    input.data.insert(input.data.end(), given.begin(), given.end());
    input.data = WithDataInside(input.file, input.data);
  }
  return inputs;
}

Result<std::vector<std::string>> FindOtherFiles(const std::string& option, const std::string& word) {
  if (word.empty()) return std::vector<std::string>();
  if (!IsFolder(word)) return SplitSet(word);
  PTEEDIT_ASSIGN(FolderFiles files, FilesOfFolder(word));
  if (files.programs.size() != 1)
    return InvalidArgument("has " + std::to_string(files.programs.size()) + " programs, " + option + " compares one")
        .In(word);
  files.programs.insert(files.programs.end(), files.data.begin(), files.data.end());
  return std::move(files.programs);
}

}  // namespace pteedit::cli
