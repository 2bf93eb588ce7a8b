#include "delegates/coreml.h"

#include <set>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "delegates/coreml_files.h"
#include "delegates/coreml_weights.h"
#include "delegates/mil_model.h"
#include "formats/json_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr std::string_view kReferenceMagic = "CMJR";
constexpr uint64_t kReferenceVersion = 1;
constexpr uint64_t kMaxReferenceBytes = uint64_t{1} << 16;
constexpr uint64_t kMaxCoremlModelBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxCoremlMetadataBytes = uint64_t{1} << 20;
constexpr std::string_view kModelFolder = "model.mlpackage/Data/com.apple.CoreML/";
constexpr std::string_view kCompiledFolder = "model.mlmodelc/";
constexpr std::string_view kModelPath = "@model_path/";  // what programs call the folder of the model

// What the folder says; `function` is the only one that counts, all where it is empty.
class FolderReader {
 public:
  FolderReader(const BlobInput& input, std::string function) : input_(input), function_(std::move(function)) {}

  Result<DecodedBlob> Read() && {
    PTEEDIT_ASSIGN(files_, ReadCoremlFiles(input_));
    out_.parts = PartsOf(files_, input_.blob.size);
    PTEEDIT_TRY(ReadMetadata());
    const CoremlFile* model = files_.Find(Text(kModelFolder, "model.mlmodel"));
    if (model != nullptr) PTEEDIT_TRY(ReadModel(*model));
    if (function_.empty()) PTEEDIT_TRY(AddOtherWeights());
    return std::move(out_);
  }

  // See Decoder::measure.
  Result<std::vector<OperatorWork>> Measure() && {
    PTEEDIT_ASSIGN(files_, ReadCoremlFiles(input_));
    const CoremlFile* file = files_.Find(Text(kModelFolder, "model.mlmodel"));
    if (file == nullptr) return Unsupported("folder has no program that is looked into");
    PTEEDIT_ASSIGN(const BlobBytes message, ReadModelBytes(*file));
    PTEEDIT_ASSIGN(const MilModel model, ReadMilModel(message.bytes, {function_, /*measures=*/true}));
    std::vector<OperatorWork> work;
    for (const MilFunction& function : model.functions) {
      work.insert(work.end(), function.work.begin(), function.work.end());
    }
    return work;
  }

 private:
  Status ReadMetadata() {
    const CoremlFile* file = files_.Find("metadata.json");
    if (file == nullptr) return {};
    PTEEDIT_ASSIGN(const BlobBytes text,
                   ReadPart(input_, file->extent, kMaxCoremlMetadataBytes, "file 'metadata.json'"));
    PTEEDIT_ASSIGN(const JsonValue metadata, ParseJson(ViewOf(text), "file 'metadata.json'"));
    AddFact("identifier", std::string(metadata.TextOf("identifier")));
    const JsonValue* methods = metadata.Find("methods");
    const JsonValue* method = methods != nullptr ? methods->Find(function_) : nullptr;
    for (const auto& [name, key] : {std::pair("inputs", "inputNames"), std::pair("outputs", "outputNames")}) {
      const JsonValue* names = (method != nullptr ? *method : metadata).Find(key);
      if (names != nullptr) AddFact(name, Joined(names->items));
    }
    return {};
  }

  static std::string Joined(const std::vector<JsonValue>& names) {
    std::string all;
    for (const JsonValue& name : names) {
      if (all.size() > kMaxFactBytes) break;
      all += Text(all.empty() ? "" : ", ", name.text);
    }
    return all;
  }

  void AddFact(const char* name, const std::string& value) {
    if (!value.empty()) out_.facts.push_back({name, value.substr(0, kMaxFactBytes)});
  }

  Result<BlobBytes> ReadModelBytes(const CoremlFile& file) const {
    return ReadPart(input_, file.extent, kMaxCoremlModelBytes, "file 'model.mlmodel'");
  }

  Status ReadModel(const CoremlFile& file) {
    PTEEDIT_ASSIGN(const BlobBytes message, ReadModelBytes(file));
    PTEEDIT_ASSIGN(const MilModel model, ReadMilModel(message.bytes, {function_}));
    AddFact("specification_version", Text(model.specification_version));
    if (model.functions.empty() && !function_.empty()) {
      return Unsupported(Text("model has no function ", Quoted(function_)));
    }
    for (const MilFunction& function : model.functions) {
      out_.operators.insert(out_.operators.end(), function.operators.begin(), function.operators.end());
      for (const MilFileValue& value : function.values) PTEEDIT_TRY(AddValue(value));
    }
    return {};
  }

  Status AddValue(const MilFileValue& value) {
    const CoremlFile* file = nullptr;
    if (value.file.starts_with(kModelPath)) {
      file = files_.Find(Text(kModelFolder, std::string_view(value.file).substr(kModelPath.size())));
    }
    if (file == nullptr) {
      return Unsupported(
          Text("value ", Quoted(value.name), " is in file ", Quoted(value.file), ", which is not there"));
    }
    PTEEDIT_ASSIGN(BlobConstant weight, ReadCoremlWeight(input_, *file, value.offset));
    if (!seen_.insert(weight.extent.offset).second) return {};
    weight.name = value.name;
    weight.sizes = value.sizes;
    out_.constants.push_back(std::move(weight));
    return {};
  }

  // Also what no program names, or one that is not looked into.
  Status AddOtherWeights() {
    for (const std::string_view folder : {kModelFolder, kCompiledFolder}) {
      const CoremlFile* file = files_.Find(Text(folder, "weights/weight.bin"));
      if (file == nullptr) continue;
      PTEEDIT_ASSIGN(std::vector<BlobConstant> weights, ReadCoremlWeights(input_, *file));
      for (BlobConstant& weight : weights) {
        if (seen_.insert(weight.extent.offset).second) out_.constants.push_back(std::move(weight));
      }
    }
    return {};
  }

  const BlobInput& input_;
  const std::string function_;
  CoremlFiles files_;
  std::set<uint64_t> seen_;  // where the constants begin
  DecodedBlob out_;
};

struct Reference {
  std::string key, function;
};

Result<Reference> ReadReference(const BlobInput& input) {
  const Extent all{kReferenceMagic.size(), input.blob.size - kReferenceMagic.size()};
  PTEEDIT_ASSIGN(const BlobBytes text, ReadPart(input, all, kMaxReferenceBytes, "reference"));
  PTEEDIT_ASSIGN(const JsonValue json, ParseJson(ViewOf(text), "reference"));
  const JsonValue* version = json.Find("version");
  if (version != nullptr && version->number != kReferenceVersion) {
    return Unsupported(Text("reference is of version ", version->number, ", ", kReferenceVersion, " expected"));
  }
  if (json.TextOf("key").empty()) return Unsupported("reference has no key");
  return Reference{std::string(json.TextOf("key")), std::string(json.TextOf("functionName"))};
}

Result<DecodedBlob> FollowReference(const BlobInput& input, const Reference& reference) {
  const std::optional<ContentPlace> place = input.Find(reference.key);
  if (!place) return DecodedBlob();
  const BlobInput folder{place->source, place->extent, {}, nullptr};
  Result<DecodedBlob> decoded = FolderReader(folder, reference.function).Read();
  if (decoded) {
    for (BlobConstant& constant : decoded->constants) {
      constant.key = reference.key;
      constant.extent = {};
    }
    return decoded;
  }
  if (decoded.error().code != ErrorCode::kUnsupported) return decoded;
  return Unsupported(Text("model under key ", Quoted(reference.key), ": ", decoded.error().message));
}

Result<DecodedBlob> ReadCoremlModel(const BlobInput& input) {
  PTEEDIT_ASSIGN(const bool is_reference, IsCoremlReference(input));
  if (!is_reference) return FolderReader(input, "").Read();
  PTEEDIT_ASSIGN(const Reference reference, ReadReference(input));
  PTEEDIT_ASSIGN(DecodedBlob decoded, FollowReference(input, reference));
  decoded.keys = {reference.key};
  decoded.parts = {{"reference", {0, input.blob.size}}};
  if (!reference.function.empty()) decoded.facts.push_back({"function", reference.function.substr(0, kMaxFactBytes)});
  return decoded;
}

}  // namespace

Result<bool> IsCoremlReference(const BlobInput& input) {
  if (input.blob.size < kReferenceMagic.size()) return false;
  PTEEDIT_ASSIGN(const BlobBytes magic, ReadPart(input, {0, kReferenceMagic.size()}, kReferenceMagic.size(), "blob"));
  return ViewOf(magic) == kReferenceMagic;
}

Result<DecodedBlob> DecodeCoreml(const BlobInput& input) {
  PTEEDIT_ASSIGN(DecodedBlob decoded, ReadCoremlModel(input));
  for (BlobFact& fact :
       SpecFacts(input, {"min_deployment_target", "compute_units", "model_compute_precision", "model_type"})) {
    decoded.facts.push_back(std::move(fact));
  }
  return decoded;
}

Result<std::vector<OperatorWork>> MeasureCoreml(const BlobInput& input) {
  PTEEDIT_ASSIGN(const bool is_reference, IsCoremlReference(input));
  if (!is_reference) return FolderReader(input, "").Measure();
  PTEEDIT_ASSIGN(const Reference reference, ReadReference(input));
  const std::optional<ContentPlace> place = input.Find(reference.key);
  if (!place) return Unsupported(Text("there is no key ", Quoted(reference.key)));
  const BlobInput folder{place->source, place->extent, {}, nullptr};
  return FolderReader(folder, reference.function).Measure();
}

}  // namespace pteedit
