#include "io/content_writer.h"

#include <set>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/sealed_files.h"
#include "io/temporary_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::vector<Output> WithoutNames(const std::string& place, const std::vector<PlannedFile>& files) {
  std::vector<Output> outputs;
  for (size_t i = 0; i < files.size(); ++i) outputs.push_back({place + Text("/contents-", i), files[i]});
  return outputs;
}

// That the file which has the name already holds the same bytes.
Status CheckKept(const SealedFile& file, const std::string& path) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> kept, OpenFileSource(path));
  PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*kept, {0, kept->size()}));
  if (kept->size() == file.written.bytes && digest.Hex() == file.written.sha256) return {};
  return Malformed("holds other bytes than its name says; remove it").In(path);
}

// Those that get a place, each with its name.
Result<std::vector<SealedFile>> GiveNames(std::vector<SealedFile> files, const std::vector<std::string>& names,
                                          const std::string& place) {
  std::vector<SealedFile> placed;
  std::set<std::string> seen;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = place + "/" + names[i];
    if (!seen.insert(names[i]).second) continue;
    if (PathExists(path)) {
      PTEEDIT_TRY(CheckKept(files[i], path));
      continue;
    }
    files[i].written.path = path;
    placed.push_back(std::move(files[i]));
  }
  return placed;
}

Status PublishAll(std::vector<SealedFile>& files, const std::string& place, bool is_new) {
  if (!is_new) return PublishFiles(files, /*replace=*/true);
  std::vector<std::string> paths;
  for (const SealedFile& file : files) paths.push_back(BaseName(file.written.path));
  return PublishFolder(files, paths, place, /*replace=*/false);
}

}  // namespace

Status CheckContentFiles(const std::string& folder, const std::vector<PlannedFile>& files,
                         const std::vector<std::string>& inputs, bool replace) {
  const std::vector<Output> outputs = WithoutNames({}, files);
  if (!PathExists(folder)) return CheckWriteFolder(folder, outputs, inputs, replace);
  if (!replace) return Exists("the output folder exists already").In(folder);
  if (!IsFolder(folder)) return InvalidArgument("is not a folder").In(folder);
  PTEEDIT_TRY(CheckSpace(outputs, PlaceOf(folder)));
  return CheckCreatable(PlaceOf(folder) + "/contents");
}

Result<ContentWriter> ContentWriter::Begin(const std::string& folder, const std::vector<PlannedFile>& files,
                                           const std::vector<std::string>& inputs, bool replace) {
  PTEEDIT_TRY(CheckContentFiles(folder, files, inputs, replace));
  ContentWriter writer;
  writer.is_new_ = !PathExists(folder);
  writer.place_ = PlaceOf(folder);
  writer.beside_ = writer.is_new_ ? FolderOf(writer.place_) : writer.place_;
  writer.inputs_ = inputs;
  return writer;
}

Status ContentWriter::WriteAll(const std::vector<PlannedFile>& files,
                               std::function<bool(uint64_t done, uint64_t total)> progress) {
  const WriteOptions hashing{/*replace=*/false, /*hash=*/true, std::move(progress)};
  PTEEDIT_ASSIGN(files_, WriteSealed(WithoutNames(place_, files), beside_, inputs_, hashing));
  return {};
}

Result<TemporaryFile> ContentWriter::NewFile() const {
  return TemporaryFile::CreateFor(place_ + "/contents", beside_, CommonPermissions(inputs_));
}

Status ContentWriter::Publish(NamedContents named) {
  PTEEDIT_ASSIGN(std::vector<SealedFile> placed, GiveNames(std::move(files_), named.names, place_));
  std::vector<std::string> last_paths;
  for (Output& output : named.last) last_paths.push_back(output.path = place_ + "/" + output.path);
  PTEEDIT_TRY(CheckOutputs(last_paths, inputs_, /*replace=*/true));
  PTEEDIT_ASSIGN(std::vector<SealedFile> last, WriteSealed(named.last, beside_, inputs_, {}));
  for (SealedFile& file : last) placed.push_back(std::move(file));
  return PublishAll(placed, place_, is_new_);
}

}  // namespace pteedit
