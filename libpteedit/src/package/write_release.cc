// Writing a release: contents first, which have their names when they are hashed, the manifest last.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/content_writer.h"
#include "package/compress_files.h"
#include "package/packs.h"
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

class ReleaseWriter {
 public:
  ReleaseWriter(const ReleasePlan& plan, const ReleaseOptions& options) : plan_(plan), options_(options) {}

  Result<Manifest> Write(const std::string& folder, const std::vector<std::string>& inputs) {
    std::vector<PlannedFile> files;
    for (const ReleasePlan::Member& member : plan_.members) files.push_back(PlanOfSource(member.source));
    PTEEDIT_ASSIGN(ContentWriter writer,
                   ContentWriter::Write(folder, files, inputs, {options_.replace, /*hash=*/true, options_.progress}));
    std::vector<std::string> sha256;
    for (const SealedFile& file : writer.files()) sha256.push_back(file.written.sha256);
    PTEEDIT_ASSIGN(NamedRelease named, NameAndPack(plan_, sha256, options_));
    if (options_.compress_level) PTEEDIT_TRY(CompressAll(named, writer));
    PTEEDIT_TRY(writer.Publish(WithLists(std::move(named.names), named.manifest)));
    return std::move(named.manifest);
  }

 private:
  // Each file of the manifest once.
  Status CompressAll(NamedRelease& named, ContentWriter& writer) {
    std::map<std::string, const Source*> sources;
    for (size_t i = 0; i < plan_.members.size(); ++i) sources.emplace(named.names[i], plan_.members[i].source.get());
    for (const ReleaseFile& file : named.manifest.files) total_ += file.bytes;
    for (ReleaseFile& file : named.manifest.files) {
      PTEEDIT_ASSIGN(TemporaryFile empty, writer.NewFile());
      const auto advance = [this](uint64_t bytes) { return Advance(bytes); };
      PTEEDIT_ASSIGN(std::optional<SealedFile> compressed,
                     CompressInto(std::move(empty), *sources.at(file.file),
                                  {*options_.compress_level, options_.threads, advance}));
      if (!compressed) continue;
      const std::string extension = file.file.substr(file.file.find('.') + 1) + kCompressedExtension;
      const std::string name = ReleaseFileName(file.role, compressed->written.sha256, extension);
      file.compressed = CompressedFile{name, compressed->written.bytes, compressed->written.sha256};
      named.names.push_back(name);
      writer.Add(*std::move(compressed));
    }
    FinishManifest(named.manifest);
    return {};
  }

  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_)) return IoError("stopped; nothing was written");
    return {};
  }

  const ReleasePlan& plan_;
  const ReleaseOptions& options_;
  uint64_t done_ = 0, total_ = 0;
};

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
  if (options.dry_run) return TryRelease(plan, folder, inputs, options);
  return ReleaseWriter(plan, options).Write(folder, inputs);
}

}  // namespace pteedit
