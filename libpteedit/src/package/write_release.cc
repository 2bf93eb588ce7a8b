// Writing a release: contents first, which have their names when they are hashed, the manifest last.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/content_writer.h"
#include "package/compress_files.h"
#include "package/packs.h"
#include "package/zstd_frames.h"
#include "pteedit/package/create.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr char kCompressedExtension[] = ".zst";

PlannedFile PlanOfSource(std::shared_ptr<const Source> source) {
  PlannedFile file;
  const uint64_t size = source->size();
  file.Append(std::move(source), {0, size});
  return file;
}

Output OutputOfText(const char* name, const std::string& text) {
  return {name, PlanOfSource(MakeMemorySource(name, {text.begin(), text.end()}))};
}

NamedContents WithLists(std::vector<std::string> names, const Manifest& manifest) {
  return {std::move(names),
          {OutputOfText(kChecksumsName, ChecksumList(manifest)), OutputOfText(kManifestName, ManifestText(manifest))}};
}

Result<NamedRelease> NameAndPack(const ReleasePlan& plan, const std::vector<std::string>& sha256,
                                 const ReleaseOptions& options) {
  PTEEDIT_ASSIGN(NamedRelease named, NameRelease(plan, sha256));
  if (!options.pack_bytes) return named;
  CutPacks(named.manifest, *options.pack_bytes);
  FinishManifest(named.manifest);
  return named;
}

// Copies and compresses at the same time: what compresses keeps the processors busy, what copies the disk.
class ReleaseWriter {
 public:
  ReleaseWriter(const ReleasePlan& plan, const ReleaseOptions& options)
      : plan_(plan), options_(options), frames_(plan.members.size()) {
    for (const ReleasePlan::Member& member : plan.members) total_ += member.source->size();
    if (options.compress_level) total_ *= 2;
  }

  Result<Manifest> Write(const std::string& folder, const std::vector<std::string>& inputs) {
    std::vector<PlannedFile> files;
    for (const ReleasePlan::Member& member : plan_.members) files.push_back(PlanOfSource(member.source));
    PTEEDIT_ASSIGN(ContentWriter writer, ContentWriter::Begin(folder, files, inputs, options_.replace));
    PTEEDIT_TRY(CopyAndCompress(files, writer));
    std::vector<std::string> sha256;
    for (const SealedFile& file : writer.files()) sha256.push_back(file.written.sha256);
    PTEEDIT_ASSIGN(NamedRelease named, NameAndPack(plan_, sha256, options_));
    for (size_t i = 0; i < frames_.size(); ++i) {
      if (frames_[i]) AddFrame(std::string(named.names[i]), *std::move(frames_[i]), named, writer);
    }
    PTEEDIT_TRY(AddIndexes(named, writer));
    if (options_.compress_level) FinishManifest(named.manifest);
    PTEEDIT_TRY(writer.Publish(WithLists(std::move(named.names), named.manifest)));
    return std::move(named.manifest);
  }

 private:
  // Only this thread, which compresses, tells of progress while there are two. Of two failures the first is told.
  Status CopyAndCompress(const std::vector<PlannedFile>& files, ContentWriter& writer) {
    if (!options_.compress_level) return writer.WriteAll(files, options_.progress);
    const auto copy = [&](uint64_t done, uint64_t) {
      copied_ = done;
      return !is_stopped_;
    };
    Status copied;
    bool is_copy_first = true;
    std::thread copying([&] {
      copied = writer.WriteAll(files, copy);
      if (!copied) is_copy_first = !is_stopped_.exchange(true);
    });
    Status compressed = CompressAll(writer);
    if (!compressed) is_stopped_ = true;
    copying.join();
    if (is_copy_first) PTEEDIT_TRY(std::move(copied));
    PTEEDIT_TRY(std::move(compressed));
    return Advance(0);  // now that all is done
  }

  Status CompressAll(const ContentWriter& writer) {
    for (size_t i = 0; i < frames_.size(); ++i) {
      PTEEDIT_ASSIGN(TemporaryFile empty, writer.NewFile());
      const auto advance = [this](uint64_t bytes) { return Advance(bytes); };
      PTEEDIT_ASSIGN(frames_[i], CompressInto(std::move(empty), *plan_.members[i].source,
                                              {*options_.compress_level, options_.threads, advance}));
    }
    return {};
  }

  Status Advance(uint64_t bytes) {
    compressed_ += bytes;
    if (is_stopped_ || (options_.progress && !options_.progress(copied_ + compressed_, total_)))
      return IoError("stopped; nothing was written");
    return {};
  }

  // Each file of the manifest gets its frame once.
  static void AddFrame(const std::string& file_name, SealedFile frame, NamedRelease& named, ContentWriter& writer) {
    ReleaseFile& file = *std::find_if(named.manifest.files.begin(), named.manifest.files.end(),
                                      [&](const ReleaseFile& one) { return one.file == file_name; });
    if (file.compressed) return;
    const std::string extension = file.file.substr(file.file.find('.') + 1) + kCompressedExtension;
    const std::string name = ReleaseFileName(file.role, frame.written.sha256, extension);
    file.compressed = CompressedFile{name, frame.written.bytes, frame.written.sha256};
    named.names.push_back(name);
    writer.Add(std::move(frame));
  }

  Status AddIndexes(NamedRelease& named, ContentWriter& writer) const {
    for (const auto& [name, text] : named.indexes) {
      const ByteSpan bytes{reinterpret_cast<const uint8_t*>(text.data()), text.size()};
      PTEEDIT_ASSIGN(TemporaryFile file, writer.NewFile());
      PTEEDIT_TRY(file.Append(bytes));
      PTEEDIT_TRY(file.Seal());
      writer.Add({std::move(file), {{}, text.size(), named.manifest.Find(name)->sha256}});
      named.names.push_back(name);
      if (!options_.compress_level) continue;
      PTEEDIT_ASSIGN(TemporaryFile empty, writer.NewFile());
      PTEEDIT_ASSIGN(std::optional<SealedFile> frame,
                     CompressInto(std::move(empty), *MakeViewSource(name, bytes), {*options_.compress_level, 1, {}}));
      if (frame) AddFrame(name, *std::move(frame), named, writer);
    }
    return {};
  }

  const ReleasePlan& plan_;
  const ReleaseOptions& options_;
  std::vector<std::optional<SealedFile>> frames_;  // by member, where they save anything
  std::atomic<bool> is_stopped_{false};
  std::atomic<uint64_t> copied_{0};
  uint64_t compressed_ = 0, total_ = 0;
};

Status CheckOptions(const ReleasePlan& plan, const ReleaseOptions& options) {
  if (options.compress_level) PTEEDIT_TRY(CheckLevel(*options.compress_level));
  for (const ReleasePlan::Member& member : plan.members) {
    const uint64_t bytes = member.source->size();
    if (!options.pack_bytes || bytes <= *options.pack_bytes) continue;
    Error error = InvalidArgument(Text("has ", bytes, " bytes, over the size of packs, ", *options.pack_bytes));
    error.finding = kOverPackSize;
    return std::move(error).In(member.source->name());
  }
  return {};
}

Result<Manifest> TryRelease(const ReleasePlan& plan, const std::string& folder, const std::vector<std::string>& inputs,
                            const ReleaseOptions& options) {
  std::vector<PlannedFile> files;
  for (const ReleasePlan::Member& member : plan.members) files.push_back(PlanOfSource(member.source));
  PTEEDIT_TRY(CheckContentFiles(folder, files, inputs, options.replace));
  PTEEDIT_ASSIGN(const std::vector<std::string> sha256, HashMembers(plan));
  PTEEDIT_ASSIGN(NamedRelease named, NameAndPack(plan, sha256, options));
  return std::move(named.manifest);
}

}  // namespace

Result<Manifest> WriteRelease(const ReleasePlan& plan, const std::string& folder,
                              const std::vector<std::string>& inputs, const ReleaseOptions& options) {
  PTEEDIT_TRY(CheckOptions(plan, options));
  if (options.dry_run) return TryRelease(plan, folder, inputs, options);
  return ReleaseWriter(plan, options).Write(folder, inputs);
}

}  // namespace pteedit
