#include "pteedit/package/verify_release.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/streaming.h"
#include "package/zstd_frames.h"
#include "pteedit/package/create.h"
#include "pteedit/program_set.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kMaxReleaseFindings = 100;  // of one origin, as everywhere

Finding Wrong(const char* id, std::string where, std::string message) {
  return {id, Severity::kError, std::move(where), std::move(message)};
}

class ReleaseVerifier {
 public:
  explicit ReleaseVerifier(const Release& release) : release_(release), manifest_(release.manifest) {}

  Result<std::vector<FileFindings>> Verify() {
    all_.push_back({PathOf(kManifestName), {}});
    CheckRelease();
    PTEEDIT_TRY(CheckChecksums());
    for (const ReleaseFile& file : manifest_.files) {
      PTEEDIT_TRY(CheckFile(file.file, file.bytes, file.sha256));
      if (file.compressed) PTEEDIT_TRY(CheckCompressed(file));
    }
    std::set<std::vector<std::string>> seen;
    for (const ReleaseVariant& variant : manifest_.variants) {
      if (seen.insert(LoadedFiles(variant)).second) PTEEDIT_TRY(CheckVariant(variant));
    }
    return std::move(all_);
  }

 private:
  std::string PathOf(const std::string& name) const {
    return release_.folder + (release_.folder.ends_with('/') ? "" : "/") + name;
  }

  // A release of another minor version may have members that we do not know; its own name then tells us nothing. A
  // delta has the name of the release that it gives.
  void CheckRelease() {
    if (manifest_.delta) return;
    const std::string is = ReleaseId(manifest_);
    if (is != manifest_.release) {
      all_.front().findings.push_back(
          Wrong("release-name", {}, Text("the release is called ", manifest_.release, ", what it says gives ", is)));
    }
  }

  Status CheckChecksums() {
    if (!PathExists(PathOf(kChecksumsName))) return {};
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(release_.folder, kChecksumsName));
    const std::string list = ChecksumList(manifest_);
    const auto expected = MakeViewSource("", {reinterpret_cast<const uint8_t*>(list.data()), list.size()});
    bool same = source->size() == list.size();
    if (same) {
      PTEEDIT_ASSIGN(same, SameBytes(*source, {0, list.size()}, *expected, {0, list.size()}));
    }
    all_.push_back({source->name(), {}});
    if (!same) all_.back().findings.push_back(Wrong("release-checksums", {}, "is not the list of this manifest"));
    return {};
  }

  Status CheckFile(const std::string& name, uint64_t bytes, const std::string& sha256) {
    FileFindings found{PathOf(name), {}};
    PTEEDIT_ASSIGN(const std::optional<Finding> wrong, WhatIsWrong(name, bytes, sha256));
    if (wrong) {
      broken_.insert(name);
      found.findings.push_back(*wrong);
    }
    place_[name] = all_.size();
    all_.push_back(std::move(found));
    return {};
  }

  // Which a device that has the file does not need.
  Status CheckCompressed(const ReleaseFile& file) {
    const CompressedFile& compressed = *file.compressed;
    if (!PathExists(PathOf(compressed.file))) {
      all_.push_back(
          {PathOf(compressed.file),
           {{"release-compressed", Severity::kWarning, {}, Text("is not there; ", file.file, " is the same")}}});
      return {};
    }
    PTEEDIT_TRY(CheckFile(compressed.file, compressed.bytes, compressed.sha256));
    if (broken_.count(compressed.file) != 0) return {};
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(release_.folder, compressed.file));
    Sha256 hash;
    const auto use = [&](ByteSpan piece) {
      hash.Update(piece);
      return Status();
    };
    Status unpacked = DecompressFrames(*source, {0, source->size()}, {}, file.bytes, use, kFileWindowLog);
    if (!unpacked && unpacked.error().code == ErrorCode::kIo) return unpacked;
    const std::string is = unpacked ? hash.Finish().Hex() : "";
    if (!unpacked) Add(compressed.file, Wrong("release-compressed", {}, unpacked.error().message));
    if (unpacked && is != file.sha256) {
      Add(compressed.file,
          Wrong("release-compressed", {}, Text("unpacks to the SHA-256 ", is, ", ", file.sha256, " expected")));
    }
    return {};
  }

  Result<std::optional<Finding>> WhatIsWrong(const std::string& name, uint64_t bytes, const std::string& sha256) const {
    if (!PathExists(PathOf(name))) return std::optional(Wrong("release-file-missing", {}, "is not there"));
    const Result<std::shared_ptr<const Source>> source = OpenReleaseFile(release_.folder, name);
    if (!source && source.error().code == ErrorCode::kMalformed)
      return std::optional(Wrong("release-file-outside", {}, source.error().message));
    if (!source) return source.error();
    if ((*source)->size() != bytes) {
      return std::optional(
          Wrong("release-file-size", {}, Text("has ", (*source)->size(), " bytes, ", bytes, " expected")));
    }
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(**source, {0, bytes}));
    if (digest.Hex() == sha256) return std::optional<Finding>();
    return std::optional(
        Wrong("release-file-changed", {}, Text("has the SHA-256 ", digest.Hex(), ", ", sha256, " expected")));
  }

  static std::vector<std::string> LoadedFiles(const ReleaseVariant& variant) {
    const auto end = variant.files.begin() + static_cast<std::ptrdiff_t>(variant.data_files) + 1;
    return {variant.files.begin(), end};
  }

  // Null where the file is damaged, which is then found.
  Result<const Container*> Opened(const std::string& name) {
    if (const auto known = opened_.find(name); known != opened_.end()) return &known->second;
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenReleaseFile(release_.folder, name));
    Result<Container> file = Container::Open(std::move(source));
    if (file) return &opened_.emplace(name, *std::move(file)).first->second;
    if (file.error().code == ErrorCode::kIo) return std::move(file).error();
    all_[place_.at(name)].findings.push_back(Wrong("release-file-damaged", file.error().where, file.error().message));
    broken_.insert(name);
    return nullptr;
  }

  Status CheckVariant(const ReleaseVariant& variant) {
    std::vector<Container> files;
    for (const std::string& name : LoadedFiles(variant)) {
      if (broken_.count(name) != 0) return {};
      PTEEDIT_ASSIGN(const Container* file, Opened(name));
      if (file == nullptr) return {};
      files.push_back(*file);
    }
    const ProgramSet set(files.front(), {files.begin() + 1, files.end()});
    Result<std::vector<FileFindings>> findings = VerifyOpened(set, {/*hash_keys=*/false});
    if (!findings && findings.error().code == ErrorCode::kIo) return std::move(findings).error();
    if (!findings) {
      Add(variant.files.front(),
          Wrong("release-variant", Text("variant ", Quoted(variant.name)), findings.error().message));
      return {};
    }
    for (size_t i = 0; i < findings->size(); ++i) {
      for (Finding& finding : (*findings)[i].findings) Add(variant.files[i], std::move(finding));
    }
    return {};
  }

  // What is found of a file with the data of several variants is told once.
  void Add(const std::string& name, Finding finding) {
    std::vector<Finding>& findings = all_[place_.at(name)].findings;
    const bool is_known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.id == finding.id && other.where == finding.where && other.message == finding.message;
    });
    if (!is_known && findings.size() < kMaxReleaseFindings) findings.push_back(std::move(finding));
  }

  const Release& release_;
  const Manifest& manifest_;
  std::vector<FileFindings> all_;
  std::map<std::string, size_t> place_;  // in all_, by the name of the file
  std::set<std::string> broken_;
  std::map<std::string, Container> opened_;
};

}  // namespace

Result<std::vector<FileFindings>> VerifyRelease(const Release& release) { return ReleaseVerifier(release).Verify(); }

}  // namespace pteedit
