#include "delegates/neuropilot.h"

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kNeuroPilotHeaderBytes = 13;
constexpr uint8_t kNeuroPilotVersion = 1;

// Runtimes read the key to its first zero byte.
std::string SharedKey(const BlobInput& input) {
  const std::string_view key = SpecText(input, "ExtractSharedBlobKey").value_or("");
  return std::string(key.substr(0, key.find('\0')));
}

}  // namespace

Result<DecodedBlob> DecodeNeuropilot(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes header,
                 ReadPart(input, {0, kNeuroPilotHeaderBytes}, kNeuroPilotHeaderBytes, "header"));
  const uint8_t* bytes = header.bytes.data;
  if (bytes[0] != kNeuroPilotVersion) {
    return Unsupported(Text("blob is of version ", static_cast<int>(bytes[0]), ", ",
                            static_cast<int>(kNeuroPilotVersion), " expected"));
  }
  const uint32_t inputs = Load<uint32_t>(bytes + 1);
  const uint32_t outputs = Load<uint32_t>(bytes + 5);
  const Extent network{kNeuroPilotHeaderBytes, Load<uint32_t>(bytes + 9)};
  if (network.size != input.blob.size - kNeuroPilotHeaderBytes) {
    return Unsupported(Text("header says the network has ", network.size, " bytes, the blob has ",
                            input.blob.size - kNeuroPilotHeaderBytes, " behind it"));
  }
  DecodedBlob decoded;
  decoded.parts = FillGaps({{"header", {0, kNeuroPilotHeaderBytes}}, {"compiled network", network}}, input.blob.size);
  decoded.facts = SpecFacts(input, {"platform-config"});
  decoded.facts.push_back({"inputs", Text(inputs)});
  decoded.facts.push_back({"outputs", Text(outputs)});
  if (std::string key = SharedKey(input); !key.empty()) {
    BlobConstant shared;
    shared.name = "shared weights";
    shared.key = key;
    if (const auto place = input.Find(key)) shared.bytes = place->extent.size;
    decoded.constants.push_back(std::move(shared));
    decoded.keys.push_back(std::move(key));
  }
  return decoded;
}

}  // namespace pteedit
