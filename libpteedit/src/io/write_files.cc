// Making plans real: WriteFiles and what can be known before.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "io/posix_file.h"
#include "io/posix_output.h"
#include "io/sealed_files.h"
#include "io/streaming.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

bool IsStream(const Output& output) { return output.descriptor >= 0; }

std::vector<std::string> PathsOf(const std::vector<Output>& files) {
  std::vector<std::string> paths;
  for (const Output& file : files) paths.push_back(file.path);
  return paths;
}

// Those that go into files, or those that go to open descriptors.
std::vector<Output> Only(const std::vector<Output>& outputs, bool streams) {
  std::vector<Output> some;
  for (const Output& output : outputs) {
    if (IsStream(output) == streams) some.push_back(output);
  }
  return some;
}

Status WriteStream(const Output& output) {
  const std::shared_ptr<const Source> source = output.file.AsSource(output.path);
  return ForEachPiece(*source, {0, source->size()},
                      [&](ByteSpan bytes) { return WriteToDescriptor(output.descriptor, bytes); });
}

// Renames all or none.
Status MoveAll(std::vector<SealedFile>& files, std::vector<Backup>& backups, bool replace) {
  const bool comes_back = !replace || files.size() > 1;  // one file alone is replaced for good
  Status failure;
  for (size_t i = 0; i < files.size() && failure; ++i) {
    const std::string& path = files[i].written.path;
    backups.push_back(replace && comes_back ? Backup::Of(path) : Backup());
    failure = files[i].file.MoveTo(path, replace);
    if (!failure) {
      backups.pop_back();
    } else if (comes_back) {
      failure = SyncFolder(FolderOf(path));
    } else {
      return SyncFolderOfPlaced(FolderOf(path));
    }
  }
  if (failure) return {};
  for (size_t i = backups.size(); i-- > 0;) backups[i].Restore(files[i].written.path);
  return failure;
}

}  // namespace

Status PublishFiles(std::vector<SealedFile>& files, bool replace) {
  const HeldSignals held;
  std::vector<Backup> backups;
  PTEEDIT_TRY(MoveAll(files, backups, replace));
  Status failure;
  for (SealedFile& file : files) {
    if (Status removed = file.file.RemoveRest(); !removed) failure = std::move(removed);
  }
  for (Backup& backup : backups) {
    if (Status removed = backup.Remove(); !removed) failure = std::move(removed);
  }
  return failure;
}

Status CheckDescriptor(int descriptor, const std::vector<std::string>& inputs) {
  const std::optional<FileIdentity> identity = IdentityOfDescriptor(descriptor);
  if (!identity) return {};
  for (const std::string& input : inputs) {
    if (identity == IdentityOf(input))
      return InvalidArgument("is an input and would get what is printed; inputs are never changed").In(input);
  }
  return {};
}

Status CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs, bool replace) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    const std::optional<FileIdentity> identity = IdentityOf(output);
    const std::optional<FileIdentity> folder = IdentityOfFolder(output);
    for (const std::string& input : inputs) {
      if (identity && identity == IdentityOf(input)) {
        return InvalidArgument(Text("the output is the input ", Quoted(input), "; inputs are never changed"))
            .In(output);
      }
    }
    for (size_t j = 0; j < i; ++j) {
      const bool same_name =
          BaseName(output) == BaseName(outputs[j]) && folder && folder == IdentityOfFolder(outputs[j]);
      if (same_name || (identity && identity == IdentityOf(outputs[j]))) {
        return InvalidArgument(Text("the output is also the output ", Quoted(outputs[j]))).In(output);
      }
    }
    if (replace && IsSpecialFile(output)) {
      return InvalidArgument("the output is no regular file, and is not replaced").In(output);
    }
    if (!replace && PathExists(output)) {
      return Exists("the output exists already").In(output);
    }
  }
  return {};
}

Status CheckWriteFiles(const std::vector<Output>& outputs, const std::vector<std::string>& inputs, bool replace) {
  const std::vector<Output> files = Only(outputs, /*streams=*/false);
  PTEEDIT_TRY(CheckOutputs(PathsOf(files), inputs, replace));
  for (const Output& output : outputs) {
    if (IsStream(output)) PTEEDIT_TRY(CheckDescriptor(output.descriptor, inputs));
  }
  PTEEDIT_TRY(CheckSpace(files, {}));
  for (const Output& file : files) {
    if (IsFolder(file.path) && !IsLink(file.path)) return IoError("cannot create: Is a directory").In(file.path);
    PTEEDIT_TRY(CheckCreatable(file.path));
  }
  return {};
}

Result<std::vector<WrittenFile>> WriteFiles(const std::vector<Output>& outputs, const std::vector<std::string>& inputs,
                                            const WriteOptions& options) {
  PTEEDIT_TRY(CheckWriteFiles(outputs, inputs, options.replace));
  const bool is_foretold = static_cast<bool>(options.settle);
  if (is_foretold && (options.hash || std::any_of(outputs.begin(), outputs.end(), IsStream))) {
    PTEEDIT_ASSIGN(const std::vector<Output> settled, options.settle());
    return WriteFiles(settled, inputs, {options.replace, options.hash, options.progress});
  }
  PTEEDIT_ASSIGN(std::vector<SealedFile> files,
                 is_foretold ? WriteForetold(outputs, inputs, options)
                             : WriteSealed(Only(outputs, /*streams=*/false), {}, inputs, options));
  // What reads the stream has its end only when this process is over, and then the files are there.
  for (const Output& stream : Only(outputs, /*streams=*/true)) PTEEDIT_TRY(WriteStream(stream));
  PTEEDIT_TRY(PublishFiles(files, options.replace));
  std::vector<WrittenFile> written;
  for (SealedFile& file : files) written.push_back(std::move(file.written));
  return written;
}

}  // namespace pteedit
