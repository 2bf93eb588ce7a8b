// Manifests of releases and deltas: names that lead nowhere else, and the same text for the same manifest.
#include "pteedit/package/manifest.h"

#include "fuzz_input.h"
#include "package/manifest_names.h"
#include "pteedit/package/create.h"

using namespace pteedit;

namespace {

Result<Manifest> ReadText(const std::string& text) {
  return ReadManifest(*MakeMemorySource("manifest.json", {text.begin(), text.end()}));
}

void CheckNames(const Manifest& manifest) {
  for (const ReleaseFile& file : manifest.files) {
    fuzz::Promise(IsReleaseFileName(file.file) && IsPortableName(file.file), "a file is called as a release's");
    fuzz::Promise(manifest.Find(file.file) == &file, "a file is found");
    if (file.compressed) fuzz::Promise(IsReleaseFileName(file.compressed->file), "so is what is compressed");
  }
  for (const ReleaseVariant& variant : manifest.variants) {
    for (const std::string& file : variant.files)
      fuzz::Promise(manifest.Find(file) != nullptr, "a variant's file is there");
  }
  if (!manifest.delta) return;
  for (const DeltaFile& file : manifest.delta->files) {
    for (const DeltaOperation& operation : file.operations)
      fuzz::Promise(IsPortableName(operation.file), "an operation refers to a name alone");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Manifest> manifest = ReadManifest(*MakeMemorySource("manifest.json", {data, data + size}));
  if (!manifest) return 0;
  CheckNames(*manifest);
  const std::string text = ManifestText(*manifest);
  const Result<Manifest> again = ReadText(text);
  fuzz::Promise(again.has_value(), "what is written can be read");
  fuzz::Promise(ManifestText(*again) == text && ReleaseId(*again) == ReleaseId(*manifest), "and says the same");
  const Manifest plain = WithoutCompressed(*manifest);
  fuzz::Promise(ReleaseId(plain) == ReleaseId(*manifest), "compressing makes no other release");
  fuzz::Promise(ReadText(ManifestText(plain)).has_value(), "what a device has can be read");
  fuzz::Promise(!ChecksumList(*manifest).empty(), "the list has the manifest");
  return 0;
}
