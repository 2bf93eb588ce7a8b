#include "delegates/told_blob.h"

#include <algorithm>

#include "delegates/blob_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Ascending, without repeats, with those of the constants.
std::vector<std::string> AllKeys(std::vector<std::string> keys, const std::vector<BlobConstant>& constants) {
  for (const BlobConstant& constant : constants) {
    if (!constant.key.empty()) keys.push_back(constant.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

Result<std::optional<BlobMetadata>> AskDecoders(const std::vector<BlobDecoder>& decoders, std::string_view delegate,
                                                std::string_view backend, const BlobInput& input) {
  if (decoders.empty()) return std::optional<BlobMetadata>();
  BlobView view{delegate, backend, nullptr, input.compile_specs};
  PTEEDIT_ASSIGN(view.blob, MakeWindowSource(input.source, input.blob));
  for (const BlobDecoder& decoder : decoders) {
    Result<std::optional<BlobMetadata>> told = decoder(view);
    if (!told && told.error().code == ErrorCode::kIo) return told;
    if (!told) return Unsupported(told.error().message);
    if (!*told) continue;
    PTEEDIT_TRY(CheckFits(**told, input.blob.size));
    return told;
  }
  return std::optional<BlobMetadata>();
}

DecodedBlob Told(const BlobMetadata& metadata, DecodedBlob found, uint64_t blob_bytes) {
  if (metadata.operators || metadata.constants) found.operator_constants.clear();
  if (metadata.operators) found.operators = *metadata.operators;
  if (metadata.strings) found.strings = *metadata.strings;
  if (metadata.facts) found.facts = *metadata.facts;
  if (metadata.constants) found.constants = *metadata.constants;
  if (metadata.parts || found.parts.empty())
    found.parts = FillGaps(metadata.parts.value_or(std::vector<BlobPart>()), blob_bytes, "unattributed");
  found.keys = AllKeys(metadata.keys.value_or(std::move(found.keys)), found.constants);
  return found;
}

}  // namespace pteedit
