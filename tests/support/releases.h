// Releases of made-up files, for tests of what becomes of releases.
#ifndef PTEEDIT_TESTS_SUPPORT_RELEASES_H_
#define PTEEDIT_TESTS_SUPPORT_RELEASES_H_

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/digest.h"
#include "pteedit/package/create.h"
#include "pteedit/package/manifest.h"
#include "test_files.h"

namespace pteedit::test {

// A variant is a program with data files; those that several variants have are shared.
struct MadeVariant {
  std::string name;
  std::vector<uint8_t> program;
  std::vector<std::vector<uint8_t>> data;
};

inline ReleaseFile AddReleaseFile(const std::string& folder, FileRole role, const std::vector<uint8_t>& bytes,
                                  const std::string& extension, Manifest& manifest) {
  const std::string sha256 = Sha256Of(ByteSpan{bytes.data(), bytes.size()}).Hex();
  ReleaseFile file{ReleaseFileName(role, sha256, extension), role, {}, bytes.size(), sha256, {}};
  if (role == FileRole::kIncluded) file.name = "tokenizer";
  const bool is_new = std::none_of(manifest.files.begin(), manifest.files.end(),
                                   [&](const ReleaseFile& other) { return other.file == file.file; });
  if (is_new) manifest.files.push_back(file);
  WriteBytes(folder + "/" + file.file, bytes);
  return file;
}

// Puts a release into `folder`, which is made. Returns its manifest.
inline Manifest MakeRelease(const std::string& folder, const std::vector<MadeVariant>& variants) {
  std::filesystem::create_directory(folder);
  Manifest manifest;
  for (const MadeVariant& made : variants) {
    ReleaseVariant variant;
    variant.name = made.name;
    variant.min_runtime = "1.0";
    variant.data_files = made.data.size();
    variant.files.push_back(AddReleaseFile(folder, FileRole::kProgram, made.program, "pte", manifest).file);
    for (const std::vector<uint8_t>& data : made.data)
      variant.files.push_back(AddReleaseFile(folder, FileRole::kShared, data, "ptd", manifest).file);
    manifest.variants.push_back(std::move(variant));
  }
  FinishManifest(manifest);
  const std::string text = ManifestText(manifest);
  WriteBytes(folder + "/" + kManifestName, {text.begin(), text.end()});
  const std::string list = ChecksumList(manifest);
  WriteBytes(folder + "/" + kChecksumsName, {list.begin(), list.end()});
  return manifest;
}

// Every file in a folder, by name.
inline std::map<std::string, std::vector<uint8_t>> FolderContents(const std::string& folder) {
  std::map<std::string, std::vector<uint8_t>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = ReadBytes(entry.path().string());
  return files;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_RELEASES_H_
