#include "delegates/tosa.h"

#include <map>
#include <set>

#include "delegates/compile_specs.h"
#include "delegates/graph_reader.h"
#include "delegates/tosa_schema.h"
#include "delegates/tosa_work.h"
#include "formats/flat_tables.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace schema::tosa;  // NOLINT: the graph's tables
using Table = FlatTables::Table;

constexpr const char* kGraph = "TOSA graph";
constexpr int32_t kMajorVersion = 1;

std::string TypeName(uint32_t type) {
  const std::string_view name = EnumNameDType(static_cast<DType>(type));
  return name.empty() ? Text("type ", type) : std::string(name);
}

// "1.0.0"; kUnsupported where it is none that is known.
Result<std::string> ReadVersion(FlatTables& tables) {
  const bool is_tosa = tables.HasIdentifier("TOSA");
  PTEEDIT_TRY(tables.status());
  if (!is_tosa) return Unsupported(Text(kGraph, " does not say 'TOSA' at byte 4"));
  const Table version = tables.GetTable(tables.Root(), TosaGraph::VT_VERSION);
  const auto major = tables.Get<int32_t>(version, Version::VT__MAJOR, -1);
  const auto minor = tables.Get<int32_t>(version, Version::VT__MINOR, -1);
  const auto patch = tables.Get<int32_t>(version, Version::VT__PATCH, -1);
  const bool is_draft = tables.Get<uint8_t>(version, Version::VT__DRAFT, 1) != 0;
  PTEEDIT_TRY(tables.status());
  std::string text = Text(major, ".", minor, ".", patch, is_draft ? " (draft)" : "");
  if (major == kMajorVersion) return text;
  return Unsupported(Text(kGraph, " has version ", text, ", ", kMajorVersion, ".x expected"));
}

// Calls visit(block), which returns a Status, for those of all regions.
template <class Visit>
Status ForEachBlock(FlatTables& tables, Visit visit) {
  for (const Table region : tables.GetTables(tables.Root(), TosaGraph::VT_REGIONS)) {
    for (const Table block : tables.GetTables(region, TosaRegion::VT_BLOCKS)) PTEEDIT_TRY(visit(block));
  }
  return tables.status();
}

// What gives a constant its name is no operator.
bool IsConstant(const std::string& op) { return op.starts_with("CONST"); }

class GraphReader {
 public:
  explicit GraphReader(const BlobInput& input)
      : tables_(input.source, input.blob, kGraph), blob_size_(input.blob.size) {}

  Result<DecodedBlob> Read() {
    PTEEDIT_ASSIGN(std::string version, ReadVersion(tables_));
    out_.facts.push_back({"tosa_version", std::move(version)});
    PTEEDIT_TRY(ForEachBlock(tables_, [&](Table block) { return ReadBlock(block); }));
    return std::move(out_);
  }

 private:
  Status ReadBlock(Table block) {
    constant_at_.clear();
    for (const Table tensor : tables_.GetTables(block, TosaBasicBlock::VT_TENSORS)) PTEEDIT_TRY(AddTensor(tensor));
    for (const Table shape : tables_.GetTables(block, TosaBasicBlock::VT_SHAPES)) {
      const FlatTables::Vector data = tables_.GetVector(shape, TosaShape::VT_DATA, 1);
      if (data.count == 0) continue;
      AddConstant({tables_.GetText(shape, TosaShape::VT_NAME),
                   "",
                   data.Bytes(),
                   data.count,
                   "SHAPE",
                   {tables_.Get<uint32_t>(shape, TosaShape::VT_RANK, 0)}});
    }
    for (const Table call : tables_.GetTables(block, TosaBasicBlock::VT_OPERATORS)) AddOperator(call);
    return {};
  }

  void AddOperator(Table call) {
    std::string name = TosaOperatorName(tables_.Get<uint32_t>(call, TosaOperator::VT_OP, 0));
    if (IsConstant(name)) return;
    std::set<size_t> reads;
    for (const std::string& input : tables_.GetTexts(call, TosaOperator::VT_INPUTS)) {
      if (const auto found = constant_at_.find(input); found != constant_at_.end()) reads.insert(found->second);
    }
    out_.operators.push_back(std::move(name));
    out_.operator_constants.emplace_back(reads.begin(), reads.end());
  }

  Status AddTensor(Table tensor) {
    Extent extent = tables_.GetVector(tensor, TosaTensor::VT_DATA, 1).Bytes();
    // In front of this the data would be inside the table itself.
    constexpr uint64_t kFirstOffset = 2;
    const auto offset = tables_.Get<uint64_t>(tensor, TosaTensor::VT_OFFSET, 0);
    if (extent.size == 0 && offset >= kFirstOffset)
      extent = {offset, tables_.Get<uint64_t>(tensor, TosaTensor::VT_SIZE, 0)};
    if (extent.size == 0) return {};
    const std::string name = tables_.GetText(tensor, TosaTensor::VT_NAME);
    if (!Fits(extent, blob_size_)) {
      return Unsupported(Text("tensor ", Quoted(name), " of the TOSA graph has ", Words(extent), ", the blob has ",
                              blob_size_, " bytes"));
    }
    AddConstant({name, "", extent, extent.size, TypeName(tables_.Get<uint32_t>(tensor, TosaTensor::VT_TYPE, 0)),
                 tables_.GetSizes(tensor, TosaTensor::VT_SHAPE)});
    return {};
  }

  void AddConstant(BlobConstant constant) {
    constant_at_.emplace(constant.name, out_.constants.size());
    out_.constants.push_back(std::move(constant));
  }

  FlatTables tables_;
  uint64_t blob_size_;
  std::map<std::string, size_t> constant_at_;  // in out_.constants, by name in the block
  DecodedBlob out_;
};

}  // namespace

std::string TosaOperatorName(uint32_t number) {
  const std::string_view name = EnumNameOp(static_cast<Op>(number));
  return number == 0 || name.empty() ? Text("op #", number) : std::string(name);
}

Result<DecodedBlob> DecodeTosa(const BlobInput& input) {
  PTEEDIT_ASSIGN(DecodedBlob decoded, GraphReader(input).Read());
  for (BlobFact& fact : SpecFacts(input, {"tosa_spec"})) decoded.facts.push_back(std::move(fact));
  decoded.parts = {{"graph", {0, input.blob.size}}};
  return decoded;
}

Result<std::vector<OperatorWork>> MeasureTosa(const BlobInput& input) {
  FlatTables tables(input.source, input.blob, kGraph);
  PTEEDIT_TRY(ReadVersion(tables));
  std::vector<OperatorWork> work;
  PTEEDIT_TRY(ForEachBlock(tables, [&](Table block) -> Status {
    TosaBlockWork measurer(tables, block);
    for (const Table call : tables.GetTables(block, TosaBasicBlock::VT_OPERATORS)) {
      if (!IsConstant(TosaOperatorName(tables.Get<uint32_t>(call, TosaOperator::VT_OP, 0))))
        work.push_back(measurer.Of(call));
    }
    return {};
  }));
  return work;
}

}  // namespace pteedit
