// What users say about blobs: the text of a metadata file or of a decoder's answer, told of a blob of 4096 bytes.
#include "blob_promises.h"
#include "delegates/told_blob.h"
#include "pteedit/delegate_metadata.h"

using namespace pteedit;

namespace {

constexpr uint64_t kBlobBytes = 4096;

void CheckTold(const BlobMetadata& metadata) {
  if (!CheckFits(metadata, kBlobBytes)) return;
  DecodedBlob found;
  found.keys = {"b", "a"};
  fuzz::CheckBlob(Told(metadata, found, kBlobBytes), kBlobBytes);
  found.parts = {{"whole", {0, kBlobBytes}}};
  fuzz::CheckBlob(Told(metadata, found, kBlobBytes), kBlobBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto blob = ParseBlobMetadata(text)) CheckTold(*blob);
  const auto blobs = ParseDelegateMetadata(text);
  if (!blobs) return 0;
  for (const BlobMetadata& blob : *blobs) CheckTold(blob);
  const std::string written = WriteDelegateMetadata(*blobs);
  const auto again = ParseDelegateMetadata(written);
  fuzz::Promise(again.has_value(), "what is written can be read");
  fuzz::Promise(WriteDelegateMetadata(*again) == written, "and says the same");
  return 0;
}
