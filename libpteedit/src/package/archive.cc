#include "pteedit/package/archive.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/crc32.h"
#include "formats/zip_plan.h"
#include "io/digest.h"
#include "io/streaming.h"
#include "pteedit/package/create.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint16_t kMemberAlignment = 16384;  // the largest page that devices map by

class Archive {
 public:
  explicit Archive(const Release& release) : release_(release) {}

  // That the file is what the manifest says, and adds it.
  Status AddFile(const std::string& member, const std::string& name, uint64_t bytes, const std::string& sha256) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(release_.folder, name));
    if (source->size() != bytes)
      return Malformed(Text("has ", source->size(), " bytes, ", bytes, " expected")).In(source->name());
    Sha256 hash;
    Crc32 checksum;
    PTEEDIT_TRY(ForEachPiece(*source, {0, bytes}, [&](ByteSpan piece) {
      hash.Update(piece);
      checksum.Update(piece);
      return Status();
    }));
    const std::string is = hash.Finish().Hex();
    if (is != sha256) return Malformed(Text("has the SHA-256 ", is, ", ", sha256, " expected")).In(source->name());
    Add(member, source, checksum.value());
    return {};
  }

  void AddText(const std::string& member, const std::string& text) {
    Crc32 checksum;
    checksum.Update({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    Add(member, MakeMemorySource(member, {text.begin(), text.end()}), checksum.value());
  }

  PlannedFile Finish() && { return std::move(plan_).Finish({}); }

 private:
  void Add(const std::string& member, const std::shared_ptr<const Source>& source, uint32_t checksum) {
    ZipContents contents;
    contents.stored.Append(source, {0, source->size()});
    contents.bytes = source->size();
    contents.checksum = checksum;
    const std::vector<uint8_t> entry = NewZipEntry(member);
    plan_.Add({entry.data(), entry.size()}, contents, kMemberAlignment);
  }

  const Release& release_;
  ZipPlan plan_;
};

std::string MemberOf(const ReleaseFile& file) {
  switch (file.role) {
    case FileRole::kProgram:
      return "model.pte";
    case FileRole::kIncluded:
      return file.name + file.file.substr(std::min(file.file.find('.'), file.file.size()));
    default:
      return "weights/" + file.file;
  }
}

Manifest ManifestOf(const Manifest& whole, const ReleaseVariant& variant) {
  Manifest part;
  part.variants = {variant};
  for (const std::string& name : variant.files) {
    part.files.push_back(*whole.Find(name));
    part.files.back().compressed.reset();
  }
  part.variants.front().packs.clear();
  FinishManifest(part);  // which puts them in order, as Find needs it
  for (const ReleaseBase& base : whole.bases) {
    if (part.Find(base.file) != nullptr) part.bases.push_back(base);
  }
  FinishManifest(part);
  return part;
}

Result<PlannedFile> PlanWhole(const Release& release) {
  Archive archive(release);
  archive.AddText(kManifestName, ManifestText(release.manifest));
  archive.AddText(kChecksumsName, ChecksumList(release.manifest));
  for (const ReleaseFile& file : release.manifest.files) {
    PTEEDIT_TRY(archive.AddFile(file.file, file.file, file.bytes, file.sha256));
    if (!file.compressed) continue;
    const CompressedFile& compressed = *file.compressed;
    PTEEDIT_TRY(archive.AddFile(compressed.file, compressed.file, compressed.bytes, compressed.sha256));
  }
  return std::move(archive).Finish();
}

}  // namespace

Result<PlannedFile> PlanArchive(const Release& release, const std::string& variant) {
  if (variant.empty()) return PlanWhole(release);
  const ReleaseVariant* found = release.manifest.FindVariant(variant);
  if (found == nullptr) return InvalidArgument(Text("there is no variant ", Quoted(variant))).In(release.folder);
  Archive archive(release);
  std::set<std::string> members{kManifestName};
  for (const std::string& name : found->files) {
    const ReleaseFile& file = *release.manifest.Find(name);
    const std::string member = MemberOf(file);
    if (!members.insert(member).second)
      return InvalidArgument(Text("two members would be called ", Quoted(member))).In(release.folder);
    PTEEDIT_TRY(archive.AddFile(member, name, file.bytes, file.sha256));
  }
  archive.AddText(kManifestName, ManifestText(ManifestOf(release.manifest, *found)));
  return std::move(archive).Finish();
}

}  // namespace pteedit
