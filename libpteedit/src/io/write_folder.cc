// Making several plans real as one folder, all or nothing.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "io/new_folder.h"
#include "io/posix_file.h"
#include "io/posix_output.h"
#include "io/sealed_files.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool IsOurs(const std::string& path) {
  return path.ends_with(".pte") || path.ends_with(".ptd") || path.ends_with(".index.json");
}

Status CheckExisting(const std::string& folder, const std::vector<std::string>& inputs, bool replace) {
  if (!replace) return Exists("the output folder exists already").In(folder);
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

// With paths that do not count from the folder.
std::vector<Output> Inside(const std::string& folder, std::vector<Output> outputs) {
  for (Output& output : outputs) output.path = folder + "/" + output.path;
  return outputs;
}

// What was said of the place, said of the folder that was asked for.
Error AskedFor(Error error, const std::string& place, const std::string& folder) {
  if (error.file.starts_with(place + "/")) error.file = folder + error.file.substr(place.size());
  return error;
}

}  // namespace

std::string PlaceOf(const std::string& folder) {
  return PathExists(folder) ? RealPath(folder).value_or(WithoutSlashes(folder)) : WithoutSlashes(folder);
}

Status PublishFolder(std::vector<SealedFile>& files, const std::vector<std::string>& paths, const std::string& place,
                     bool replace) {
  const HeldSignals held;
  PTEEDIT_ASSIGN(NewFolder temporary, NewFolder::CreateFor(place));
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string& path = paths[i];
    if (FolderOf(path) != ".") PTEEDIT_TRY(temporary.Add(FolderOf(path)));
    Status moved = files[i].file.MoveTo(temporary.path() + "/" + path, /*replace=*/false);
    if (!moved) return IoError(moved.error().message).In(place + "/" + path);
  }
  PTEEDIT_TRY(temporary.MoveTo(place, replace));
  PTEEDIT_TRY(SyncFolderOfPlaced(FolderOf(place)));
  for (SealedFile& file : files) PTEEDIT_TRY(file.file.RemoveRest());
  return temporary.RemoveRest();
}

Status CheckWriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                        const std::vector<std::string>& inputs, bool replace) {
  if (PathExists(folder)) {
    PTEEDIT_TRY(CheckExisting(folder, inputs, replace));
  } else if (!IdentityOfFolder(WithoutSlashes(folder))) {
    return IoError("cannot create: its folder does not exist").In(folder);
  }
  std::vector<std::string> paths, places;
  for (const Output& output : outputs) {
    paths.push_back(output.path);
    places.push_back(PlaceOf(folder) + "/" + output.path);
  }
  PTEEDIT_TRY(CheckDistinct(folder, paths));
  PTEEDIT_TRY(CheckOutputs(places, inputs, true));
  PTEEDIT_TRY(CheckSpace(outputs, FolderOf(PlaceOf(folder))));
  return CheckCreatable(PlaceOf(folder));
}

Result<std::vector<WrittenFile>> WriteFolder(const std::string& folder, const std::vector<Output>& outputs,
                                             const std::vector<std::string>& inputs, const WriteOptions& options) {
  PTEEDIT_TRY(CheckWriteFolder(folder, outputs, inputs, options.replace));
  const std::string place = PlaceOf(folder);
  Result<std::vector<SealedFile>> sealed = WriteSealed(Inside(place, outputs), FolderOf(place), inputs, options);
  if (!sealed) return AskedFor(std::move(sealed).error(), place, WithoutSlashes(folder));
  std::vector<SealedFile>& files = *sealed;
  std::vector<std::string> paths;
  for (const Output& output : outputs) paths.push_back(output.path);
  Status published = PublishFolder(files, paths, place, options.replace);
  if (!published) return AskedFor(std::move(published).error(), place, WithoutSlashes(folder));
  std::vector<WrittenFile> written;
  for (size_t i = 0; i < files.size(); ++i) {
    written.push_back(std::move(files[i].written));
    written[i].path = outputs[i].path;
  }
  return written;
}

}  // namespace pteedit
