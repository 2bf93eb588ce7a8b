// Making several plans real as one folder, all or nothing.
#include <algorithm>
#include <set>

#include "posix_file.h"
#include "pteedit/planned_file.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

std::string Trimmed(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// Where the folder is or will be: an existing one may be a link, which stays, or end in dots.
std::string PlaceOf(const std::string& folder) {
  return PathExists(folder) ? RealPath(folder).value_or(Trimmed(folder)) : Trimmed(folder);
}

bool IsOurs(const std::string& path) { return path.ends_with(".pte") || path.ends_with(".ptd"); }

Status CheckExisting(const std::string& folder, const std::vector<std::string>& inputs, bool replace) {
  if (!replace) return InvalidArgument("the output folder exists already; --force replaces it").In(folder);
  if (!IsFolder(folder)) return InvalidArgument("is not a folder").In(folder);
  const std::string below = PlaceOf(folder) + "/";
  for (const std::string& input : inputs) {
    if (!RealPath(input).value_or(input).starts_with(below)) continue;
    return InvalidArgument(Text("the input ", Quoted(input), " is inside the output folder; inputs are never changed"))
        .In(folder);
  }
  PTEEDIT_ASSIGN(const std::vector<std::string> files, FilesBelow(PlaceOf(folder)));
  const auto foreign = std::find_if_not(files.begin(), files.end(), IsOurs);
  if (foreign == files.end()) return {};
  return InvalidArgument(Text("holds ", Quoted(*foreign), "; only a folder of .pte and .ptd files is replaced"))
      .In(folder);
}

Status CheckDistinct(const std::string& folder, const std::vector<std::string>& outputs) {
  std::set<std::string> seen;
  for (const std::string& output : outputs) {
    if (!seen.insert(output).second) return InvalidArgument(Text("two outputs are called ", Quoted(output))).In(folder);
  }
  return {};
}

std::vector<std::string> PathsOf(const std::vector<Output>& outputs) {
  std::vector<std::string> paths;
  for (const Output& output : outputs) paths.push_back(output.path);
  return paths;
}

// What was said of a file in the temporary folder, said of the file that was asked for.
std::string AskedFor(const std::string& path, const std::string& temporary, const std::string& folder) {
  return path.starts_with(temporary + "/") ? folder + path.substr(temporary.size()) : path;
}

}  // namespace

Status CheckFolderOutputs(const std::string& folder, const std::vector<std::string>& outputs,
                          const std::vector<std::string>& inputs, bool replace) {
  if (PathExists(folder)) {
    PTEEDIT_TRY(CheckExisting(folder, inputs, replace));
  } else if (!IdentityOfFolder(Trimmed(folder))) {
    return IoError("cannot create: its folder does not exist").In(folder);
  }
  PTEEDIT_TRY(CheckDistinct(folder, outputs));
  std::vector<std::string> paths;
  for (const std::string& output : outputs) paths.push_back(PlaceOf(folder) + "/" + output);
  return CheckOutputs(paths, inputs, true);
}

Result<std::vector<WrittenFile>> WriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                                             const std::vector<std::string>& inputs, const WriteOptions& options) {
  PTEEDIT_TRY(CheckFolderOutputs(folder, PathsOf(outputs), inputs, options.replace));
  const std::string place = PlaceOf(folder);
  PTEEDIT_ASSIGN(NewFolder temporary, NewFolder::CreateFor(place));
  std::vector<Output> inside = outputs;
  for (Output& output : inside) {
    if (FolderOf(output.path) != ".") PTEEDIT_TRY(temporary.Add(FolderOf(output.path)));
    output.path = temporary.path() + "/" + output.path;
  }
  Result<std::vector<WrittenFile>> written = WriteFiles(inside, inputs, options);
  if (!written) {
    Error error = std::move(written).error();
    error.file = AskedFor(error.file, temporary.path(), folder);
    return error;
  }
  for (size_t i = 0; i < written->size(); ++i) (*written)[i].path = outputs[i].path;
  PTEEDIT_TRY(temporary.RenameTo(place, options.replace));
  return written;
}

}  // namespace pteedit
