#include "pteedit/profile/delegation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "record/delegation_count.h"
#include "test_files.h"

namespace pteedit::delegation_test {
namespace {

using test::DataPath;

std::shared_ptr<const Source> Record(const std::string& name) {
  const auto source = OpenFileSource(DataPath("delegation/" + name + ".etrecord"));
  EXPECT_TRUE(source);
  return *source;
}

Result<std::vector<MethodDelegation>> Count(const std::string& program, const std::shared_ptr<const Source>& record) {
  const Container file = test::OpenFile(DataPath(program));
  return DescribeDelegation(file, *DescribeDelegates(file), record);
}

std::vector<MethodDelegation> Counted(const std::string& program, const std::shared_ptr<const Source>& record) {
  const auto methods = Count(program, record);
  EXPECT_TRUE(methods) << methods.error().message;
  return methods ? *methods : std::vector<MethodDelegation>();
}

std::string WhyNot(const std::string& program, const std::string& record) {
  const auto methods = Count(program, Record(record));
  if (methods) return "";
  EXPECT_EQ(methods.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(methods.error().file, DataPath("delegation/" + record + ".etrecord"));
  return methods.error().message;
}

// What the exporter's get_delegation_info() said, kept beside the records.
TEST(Delegation, CountsAsTheExporterDoes) {
  const std::map<std::string, std::string> program_of = {
      {"gpt_generate_etrecord", "f07/gpt_xnn.pte"},
      {"gpt_generate_etrecord_lowered_copy", "f07/gpt_xnn.pte"},
      {"gpt_portable", "f07/gpt_basic.pte"},
      {"gpt_xnnpack", "f07/gpt_xnn.pte"},
      {"gpt_xnnpack_q8", "f07/gpt_xnn_q8.pte"},
      {"gpt_xnnpack_q8_seed", "delegation/gpt_xnnpack_q8_seed.pte"},
      {"two_delegates", "delegation/two_delegates.pte"},
  };
  for (const auto& [name, program] : program_of) {
    std::ifstream file(DataPath("delegation/" + name + ".expected.json"));
    const nlohmann::json expected = nlohmann::json::parse(file);
    const std::vector<MethodDelegation> methods = Counted(program, Record(name));
    ASSERT_EQ(methods.size(), 1U) << name;
    const MethodDelegation& method = methods.front();
    EXPECT_TRUE(method.has_record);
    EXPECT_EQ(method.method, expected["method"].get<std::string>()) << name;
    EXPECT_EQ(method.subgraphs, expected["delegated_subgraphs"]) << name;
    nlohmann::json rows = nlohmann::json::array();
    for (const OperatorDelegation& row : method.operators) {
      rows.push_back({row.op_type, row.delegated, row.non_delegated});
      EXPECT_EQ(row.undecided, 0U) << name << " " << row.op_type;
    }
    rows.push_back({"Total", method.delegated, method.non_delegated});
    EXPECT_EQ(rows, expected["rows"]) << name;
  }
}

TEST(Delegation, CountsWhatIsToldOfBlobsThatNobodyCanRead) {
  const Container file = test::OpenFile(DataPath("f17/opaque.pte"));
  EXPECT_EQ(DescribeDelegation(file, *DescribeDelegates(file))->at(0).opaque, 1U);
  const BlobDecoder tell = [](const BlobView&) -> Result<std::optional<BlobMetadata>> {
    BlobMetadata told;
    told.operators = {"mul", "add", "mul"};
    return std::optional<BlobMetadata>(told);
  };
  const auto methods = DescribeDelegation(file, *DescribeDelegates(file, {tell}));
  ASSERT_TRUE(methods);
  EXPECT_EQ(methods->at(0).opaque, 0U);
  EXPECT_EQ(methods->at(0).delegated, 3U);
}

TEST(Delegation, CountsWithoutRecordWhatProgramAndBlobsShow) {
  const std::vector<MethodDelegation> methods = Counted("delegation/two_delegates.pte", nullptr);
  ASSERT_EQ(methods.size(), 1U);
  EXPECT_FALSE(methods[0].has_record);
  EXPECT_EQ(methods[0].subgraphs, 2U);
  EXPECT_EQ(methods[0].opaque, 0U);
  EXPECT_EQ(methods[0].delegated, 6U);
  EXPECT_EQ(methods[0].non_delegated, 3U);
  EXPECT_EQ(methods[0].operators.front().op_type, "XNNAdd");
  EXPECT_EQ(methods[0].operators.front().delegated, 2U);
  EXPECT_EQ(methods[0].operators.back().op_type, "aten::remainder.Scalar_out");
  EXPECT_EQ(methods[0].operators.back().non_delegated, 1U);
}

TEST(Delegation, TellsOpaqueBlobs) {
  const std::vector<MethodDelegation> methods = Counted("f17/opaque.pte", nullptr);
  ASSERT_FALSE(methods.empty());
  EXPECT_EQ(methods[0].opaque, methods[0].subgraphs);
  EXPECT_NE(methods[0].opaque, 0U);
}

TEST(Delegation, CountsEveryMethod) {
  const std::vector<MethodDelegation> methods = Counted("delegation/two_methods.pte", Record("two_methods"));
  ASSERT_EQ(methods.size(), 2U);
  EXPECT_EQ(methods[0].method, "decode");
  EXPECT_EQ(methods[0].non_delegated, 6U);
  EXPECT_EQ(methods[1].method, "forward");
  EXPECT_EQ(methods[1].non_delegated, 3U);
}

TEST(Delegation, HasNothingToCountInDataFiles) { EXPECT_TRUE(Counted("f04/even.ptd", Record("two_methods")).empty()); }

TEST(Delegation, RefusesRecordsOfOtherPrograms) {
  EXPECT_EQ(WhyNot("f01_add.pte", "two_methods"),
            "is of another program: it knows instruction 2 of method 'forward', which has 1");
  EXPECT_EQ(WhyNot("delegation/two_methods.pte", "two_delegates"),
            "is of another program: instruction 0 of method 'forward' calls no delegate, unlike what the record says");
  EXPECT_EQ(WhyNot("f07/gpt_basic.pte", "two_delegates"),
            "is of another program: instruction 0 of method 'forward' calls no delegate, unlike what the record says");
  EXPECT_EQ(WhyNot("delegation/two_delegates.pte", "gpt_portable"),
            "is of another program: instruction 0 of method 'forward' calls a delegate, unlike what the record says");
  EXPECT_EQ(WhyNot("f01_add.pte", "gpt_portable"),
            "is of another program: it knows instruction 110 of method 'forward', which has 1");
  EXPECT_EQ(WhyNot("f07/gpt_xnn.pte", "gpt_xnnpack_q8"),
            "is of another program: delegate 'XnnpackBackend_1' does not quantize, unlike what the record says");
  EXPECT_EQ(WhyNot("f07/gpt_xnn_q8.pte", "gpt_xnnpack"),
            "is of another program: delegate 'XnnpackBackend_1' quantizes, unlike what the record says");
}

RecordNode Node(const std::string& name, const std::string& op, uint64_t handle) {
  RecordNode node;
  node.name = name;
  node.target = "executorch.exir.dialects.edge.ops." + op;
  node.debug_handle = handle;
  return node;
}

InstructionDescription Call(uint64_t index, InstructionKind kind, const std::string& target) {
  InstructionDescription call;
  call.method = "forward";
  call.index = index;
  call.kind = kind;
  call.target = target;
  return call;
}

std::string Row(const OperatorCounts& counts, const std::string& type) {
  const auto row = counts.find(type);
  if (row == counts.end()) return "none";
  return std::to_string(row->second.delegated) + " " + std::to_string(row->second.non_delegated) + " " +
         std::to_string(row->second.undecided);
}

// A linear layer of which the delegate took the product only; its views are in no instruction.
RecordGraph Linear() {
  RecordGraph graph;
  graph.nodes = {Node("aten_view_copy_default", "aten.view_copy.default", 7),
                 Node("aten_mm_default", "aten.mm.default", 7),
                 Node("aten_view_copy_default_1", "aten.view_copy.default", 7)};
  return graph;
}

TEST(Delegation, TakesAsManyNodesOfAHandleAsTheDelegateHas) {
  RecordMaps maps;
  maps.handles = {{0, {7}}};
  const OperatorCounts outside = CountUnlowered(Linear(), maps, {Call(0, InstructionKind::kDelegate, "B_0")});
  EXPECT_EQ(Row(outside, "aten_mm_default"), "1 0 0");
  EXPECT_EQ(Row(outside, "aten_view_copy_default"), "0 2 0");
  maps.handles = {{0, {7, 7, 7}}};
  const OperatorCounts inside = CountUnlowered(Linear(), maps, {Call(0, InstructionKind::kDelegate, "B_0")});
  EXPECT_EQ(Row(inside, "aten_view_copy_default"), "2 0 0");
  maps.handles = {{0, {7, 7}}};
  const OperatorCounts both = CountUnlowered(Linear(), maps, {Call(0, InstructionKind::kDelegate, "B_0")});
  EXPECT_EQ(Row(both, "aten_view_copy_default"), "1 1 0");
}

// Three more nodes than the delegate has, of which only two can have left no instruction.
TEST(Delegation, SaysWhereAHandleLeavesTwoReadings) {
  RecordGraph graph = Linear();
  graph.nodes.push_back(Node("aten_add_tensor", "aten.add.Tensor", 7));
  RecordMaps maps;
  maps.handles = {{0, {7}}};
  const OperatorCounts counts = CountUnlowered(graph, maps, {Call(0, InstructionKind::kDelegate, "B_0")});
  EXPECT_EQ(Row(counts, "aten_add_tensor"), "1 0 1");
  EXPECT_EQ(Row(counts, "aten_mm_default"), "1 0 1");
  EXPECT_EQ(Row(counts, "aten_view_copy_default"), "0 2 2");
}

TEST(Delegation, GivesKernelsTheNodeOfTheirOperator) {
  RecordGraph graph = Linear();
  graph.nodes.push_back(Node("aten_add_scalar", "aten.add.Scalar", 7));
  graph.nodes.push_back(Node("aten_add_tensor", "aten.add.Tensor", 7));
  RecordMaps maps;
  maps.handles = {{0, {7, 7, 7, 7}}, {1, {7}}};
  const OperatorCounts counts = CountUnlowered(
      graph, maps,
      {Call(0, InstructionKind::kDelegate, "B_0"), Call(1, InstructionKind::kKernel, "aten::add.Scalar_out")});
  EXPECT_EQ(Row(counts, "aten_add_scalar"), "0 1 0");
  EXPECT_EQ(Row(counts, "aten_add_tensor"), "1 0 0");
}

TEST(Delegation, CountsInstructionsForViewsWithoutHandles) {
  RecordMaps maps;
  maps.handles = {{0, {7, 7, 7}}};
  const OperatorCounts counts = CountUnlowered(Linear(), maps,
                                               {Call(0, InstructionKind::kDelegate, "B_0"),
                                                Call(1, InstructionKind::kKernel, "executorch_prim::et_view.default")});
  EXPECT_EQ(Row(counts, "aten_view_copy_default"), "1 1 0");
}

TEST(Delegation, CountsNodesThatTakeSingleOutputs) {
  RecordGraph graph;
  graph.nodes = {Node("aten_split_copy_tensor", "aten.split_copy.Tensor", 1)};
  graph.nodes[0].getitems = {{"getitem", 0}, {"getitem_1", 1}};
  RecordMaps maps;
  maps.handles = {{0, {1, 1, 1}}};
  maps.delegate_outputs = {{0, 4}};
  EXPECT_EQ(Row(CountUnlowered(graph, maps, {Call(0, InstructionKind::kDelegate, "B_0")}), "getitem"), "2 4 0");
  maps.handles = {{0, {1}}};
  EXPECT_EQ(Row(CountUnlowered(graph, maps, {Call(0, InstructionKind::kDelegate, "B_0")}), "aten_split_copy_tensor"),
            "1 0 0");
}

TEST(Delegation, NamesTypesAsTheExporterDoes) {
  EXPECT_EQ(OpTypeOf("aten_add_tensor_12"), "aten_add_tensor");
  EXPECT_EQ(OpTypeOf("aten_add_tensor"), "aten_add_tensor");
  EXPECT_EQ(OpTypeOf("a1"), "a1");
  EXPECT_EQ(OpTypeOf("_1"), "");
  EXPECT_EQ(OpTypeOf("12"), "12");
}

}  // namespace
}  // namespace pteedit::delegation_test
