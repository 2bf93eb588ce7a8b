#include "delegates/enn.h"

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "enn_options_generated.h"

namespace pteedit {

Result<DecodedBlob> DecodeEnn(const BlobInput& input) {
  DecodedBlob decoded;
  decoded.parts = FillGaps({{"network", {0, input.blob.size}}}, input.blob.size);
  const AlignedText aligned(SpecText(input, "enn_compile_options").value_or(""));
  if (!HasIdentifier(aligned.bytes(), "EETO")) return decoded;
  const auto* options = VerifiedRoot<schema::enn::EnnExecuTorchOptions>(aligned.bytes());
  if (options == nullptr) return decoded;
  decoded.facts.push_back({"chipset", Text(options->chipset())});
  decoded.facts.push_back({"perf_mode", Text(static_cast<int>(options->perf_mode()))});
  return decoded;
}

}  // namespace pteedit
