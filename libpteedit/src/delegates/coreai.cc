#include "delegates/coreai.h"

#include <algorithm>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "formats/json_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 20;
constexpr size_t kMaxHashBytes = 256;

Result<std::vector<std::string>> KeysOf(const JsonValue& manifest) {
  std::vector<std::string> keys;
  const JsonValue* files = manifest.Find("files");
  if (files == nullptr) return keys;
  const std::string_view hash = manifest.TextOf("hash");
  if (hash.empty() || hash.size() > kMaxHashBytes) return Unsupported("manifest lists files but has no hash");
  for (const JsonValue& file : files->items) {
    if (file.text.empty()) return Unsupported("manifest lists a file without a name");
    keys.push_back(Text("coreai/", hash, '/', file.text));
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

Result<DecodedBlob> DecodeCoreai(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input, {0, input.blob.size}, kMaxBytes, "manifest"));
  const std::string_view text(reinterpret_cast<const char*>(read.bytes.data), read.bytes.size);
  PTEEDIT_ASSIGN(const JsonValue manifest, ParseJson(text, "manifest"));
  if (manifest.TextOf("packaging").empty()) return Unsupported("manifest does not say how the model is packaged");
  DecodedBlob decoded;
  PTEEDIT_ASSIGN(decoded.keys, KeysOf(manifest));
  for (const char* fact : {"packaging", "hash", "platform", "min_deployment_version"}) {
    const std::string_view value = manifest.TextOf(fact);
    if (!value.empty()) decoded.facts.push_back({fact, std::string(value.substr(0, kMaxFactBytes))});
  }
  if (const JsonValue* archs = manifest.Find("archs")) {
    std::string names;
    for (const std::string& name : archs->names) {
      if (names.size() < kMaxFactBytes) names += Text(names.empty() ? "" : ", ", name);
    }
    if (!names.empty()) decoded.facts.push_back({"architectures", names.substr(0, kMaxFactBytes)});
  }
  decoded.parts = {{"manifest", {0, input.blob.size}}};
  return decoded;
}

}  // namespace pteedit
