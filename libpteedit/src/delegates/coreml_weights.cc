#include "delegates/coreml_weights.h"

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kUnit = 64;  // of head, descriptions and alignment
constexpr uint32_t kCoremlWeightVersion = 2;
constexpr uint32_t kSentinel = 0xDEADBEEF;
constexpr uint64_t kUsedBytes = 24;

// As the text form of programs calls element types, by number.
constexpr std::string_view kTypes[] = {"",      "fp16",   "fp32",  "uint8",  "int8",      "bf16",
                                       "int16", "uint16", "int4",  "uint1",  "uint2",     "uint4",
                                       "uint3", "uint6",  "int32", "uint32", "fp8e4m3fn", "fp8e5m2"};

std::string TypeName(uint32_t type) {
  return type == 0 || type >= std::size(kTypes) ? Text("type ", type) : std::string(kTypes[type]);
}

}  // namespace

Result<BlobConstant> ReadCoremlWeight(const BlobInput& input, const CoremlFile& file, uint64_t offset) {
  const std::string where = Text("weight at ", Hex(offset), " of ", Quoted(file.path));
  if (!Fits(offset, kUnit, file.extent.size)) {
    return Unsupported(Text(where, " is not inside the file (", file.extent.size, " bytes)"));
  }
  PTEEDIT_ASSIGN(const BlobBytes read,
                 ReadPart(input, {file.extent.offset + offset, kUsedBytes}, kUsedBytes, "weight"));
  const uint8_t* head = read.bytes.data;
  if (Load<uint32_t>(head) != kSentinel) {
    return Unsupported(Text(where, " begins with ", Hex(Load<uint32_t>(head)), ", ", Hex(kSentinel), " expected"));
  }
  const Extent in_file{Load<uint64_t>(head + 16), Load<uint64_t>(head + 8)};
  if (!Fits(in_file, file.extent.size)) {
    return Unsupported(Text(where, " has ", Words(in_file), ", the file has ", file.extent.size, " bytes"));
  }
  BlobConstant weight;
  weight.dtype = TypeName(Load<uint32_t>(head + 4));
  weight.bytes = in_file.size;
  weight.extent = {file.extent.offset + in_file.offset, in_file.size};
  return weight;
}

Result<std::vector<BlobConstant>> ReadCoremlWeights(const BlobInput& input, const CoremlFile& file) {
  std::vector<BlobConstant> weights;
  if (file.extent.size == 0) return weights;
  constexpr uint64_t kHeadBytes = 2 * sizeof(uint32_t);
  if (file.extent.size < kUnit) {
    return Unsupported(
        Text("file ", Quoted(file.path), " has ", file.extent.size, " bytes, at least ", kUnit, " expected"));
  }
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {file.extent.offset, kHeadBytes}, kHeadBytes, "weights"));
  const uint32_t count = Load<uint32_t>(head.bytes.data);
  const uint32_t version = Load<uint32_t>(head.bytes.data + sizeof(uint32_t));
  if (version != kCoremlWeightVersion) {
    return Unsupported(
        Text("file ", Quoted(file.path), " is of version ", version, ", ", kCoremlWeightVersion, " expected"));
  }
  if (count > kMaxWeights) {
    return Unsupported(
        Text("file ", Quoted(file.path), " has ", count, " weights, at most ", kMaxWeights, " are looked into"));
  }
  for (uint64_t at = kUnit; weights.size() < count;) {
    PTEEDIT_ASSIGN(BlobConstant weight, ReadCoremlWeight(input, file, at));
    const uint64_t end = weight.extent.offset - file.extent.offset + weight.extent.size;
    if (end <= at)
      return Unsupported(Text("weight at ", Hex(at), " of ", Quoted(file.path), " lies before its description"));
    at = AlignUp(end, kUnit);
    weights.push_back(std::move(weight));
  }
  return weights;
}

}  // namespace pteedit
