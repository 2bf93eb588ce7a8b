#include "pteedit/profile/program_listing.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::program_listing_test {
namespace {

using test::DataPath;
using test::ZipBuilder;

uint32_t ChecksumOf(const std::string& text) {
  return static_cast<uint32_t>(crc32(0, reinterpret_cast<const uint8_t*>(text.data()), static_cast<uInt>(text.size())));
}

Result<std::vector<ProgramListing>> ListJson(const std::string& json, const std::string& graph = "exported_program") {
  const std::vector<uint8_t> bytes =
      ZipBuilder().Build({{"ETRECORD_V0", "", 0, 0, 0, 0}, {"exported_program", json, ChecksumOf(json), 0, 0, 0}});
  return ListPrograms(MakeViewSource("r", {bytes.data(), bytes.size()}), graph);
}

std::string MessageFor(const std::string& json) {
  const auto listed = ListJson(json);
  return listed ? "" : listed.error().message;
}

std::string Program(const std::string& graph, const std::string& rest = "") {
  return R"({"graph_module": {"graph": {)" + graph + R"(}, "signature": {"input_specs": [], "output_specs": []}})" +
         rest + "}";
}

std::string TextFor(const std::string& json) {
  const auto listed = ListJson(json);
  return listed ? TextOfListing(listed->front()) : listed.error().message;
}

TEST(ProgramListing, LooksAsTorchPrintsIt) {
  const auto listed = ListPrograms(*OpenFileSource(DataPath("inspector/state/etrecord.bin")));
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().graph, "edge_dialect_exported_program/forward");
  const std::string text = TextOfListing(listed->front());
  EXPECT_EQ(text.substr(0, 59), "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n  ");
  EXPECT_NE(text.find("\n    aten_add_tensor: BUFFER_MUTATION target='cache'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    b_cache: BUFFER target='cache' persistent=True\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nRange constraints: {}\n"), std::string::npos) << text;
}

TEST(ProgramListing, SymbolsHaveRanges) {
  const auto listed = ListPrograms(*OpenFileSource(DataPath("delegation/gpt_portable.etrecord")));
  ASSERT_TRUE(listed) << listed.error().message;
  const ProgramListing& program = listed->front();
  ASSERT_EQ(program.range_constraints.size(), 1U);
  EXPECT_EQ(program.range_constraints[0].symbol, "s75");
  EXPECT_EQ(program.range_constraints[0].min, "2");
  EXPECT_EQ(program.range_constraints[0].max, "31");
  EXPECT_EQ(program.nodes.front().value.type, "Sym(s75)");
  EXPECT_EQ(program.inputs.back().type, "i64[1, s75]");
}

TEST(ProgramListing, EveryMethodOfAGraphIsListed) {
  const auto source = *OpenFileSource(DataPath("delegation/two_methods.etrecord"));
  EXPECT_EQ(ListPrograms(source)->size(), 2U);
  EXPECT_EQ(ListPrograms(source, "edge_dialect_exported_program/decode")->size(), 1U);
  const auto none = ListPrograms(source, "edge");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(none.error().message,
            "record has no graph 'edge', but: 'edge_dialect_exported_program/decode', "
            "'edge_dialect_exported_program/forward'");
}

TEST(ProgramListing, SaysWhatAProgramLacks) {
  EXPECT_EQ(MessageFor("{}"), "entry 'exported_program' has no graph");
  EXPECT_EQ(MessageFor("[]"), "entry 'exported_program' has no graph");
  EXPECT_EQ(MessageFor(R"({"graph_module": 1})"), "entry 'exported_program' has no graph");
  EXPECT_EQ(MessageFor(R"({"graph_module": {"graph": {}}})"), "entry 'exported_program' has no nodes");
  EXPECT_EQ(MessageFor(R"({"graph_module": {"graph": {"nodes": []}}})"), "entry 'exported_program' has no signature");
  EXPECT_NE(MessageFor("{").find("entry 'exported_program'"), std::string::npos);
  EXPECT_EQ(MessageFor(R"({"graph_module": {"graph": {"nodes": 1}, "signature": 2}})"), "");
}

TEST(ProgramListing, LacksOfNodesAreShownAsSuch) {
  const std::string text = TextFor(Program(R"("nodes": [{}, {"target": "f", "inputs": [{}, {"arg": {}}, {"arg": 3},
      {"arg": {"as_int": 4}}], "outputs": [{"as_tensor": {"name": "y"}}]}], "outputs": [{}],
      "tensor_values": {"y": {"dtype": 99, "sizes": [{"as_int": 2}, {}, 7]}})"));
  EXPECT_NE(text.find("\n            y: \"type99[2, ?, ?]\" = f(?, ?, 4)\n"), std::string::npos) << text;
}

TEST(ProgramListing, ArgumentsAreThoseOfPython) {
  const std::string text = TextFor(Program(R"("nodes": [{"name": "n", "target": "f", "inputs": [
      {"name": "a", "arg": {"as_string": "it's\n"}}, {"name": "b", "arg": {"as_none": []}},
      {"name": "c", "arg": {"as_ints": [1, -2]}}, {"name": "d", "arg": {"as_bool": false}},
      {"name": "dtype", "arg": {"as_scalar_type": 7}}, {"name": "device", "arg": {"as_device": {"type": "cpu"}}},
      {"name": "k", "kind": 2, "arg": {"as_float": 0.5}}], "outputs": []}])"));
  EXPECT_NE(text.find("n = f('it\\'s\\x0a', None, [1, -2], False, dtype = torch.float32, device = device(type='cpu'), "
                      "k = 0.5)\n"),
            std::string::npos)
      << text;
}

TEST(ProgramListing, OutputsOfANodeFollowIt) {
  const std::string text = TextFor(Program(R"("nodes": [{"name": "split", "target": "torch.ops.aten.split.Tensor",
      "inputs": [], "outputs": [{"as_tensors": [{"name": "a"}, {"name": "b"}]}]}],
      "outputs": [{"as_tensor": {"name": "a"}}, {"as_tensor": {"name": "b"}}])"));
  EXPECT_NE(text.find("  split = torch.ops.aten.split.Tensor()\n            a = split[0]\n            b = split[1]\n"
                      "            return (a, b)\n"),
            std::string::npos)
      << text;
}

TEST(ProgramListing, SaysWhereNodesWereWrittenOnce) {
  const std::string trace =
      R"(File \"a.py\", line 1, in f\n    g(x)\n  File \"b.py\", line 22, in g\n    y = h( x )\n     ^^^^\n)";
  const std::string node = R"({"name": "n", "target": "t", "metadata": {"stack_trace": ")";
  const std::string text = TextFor(Program("\"nodes\": [" + node + trace + "\"}}, " + node + trace + "\"}}, " + node +
                                           "File, in line\"}}, " + node + trace + "\"}}]"));
  const std::string line = "            # File: b.py:22 in g, code: y = h( x )\n", call = "            n = t()\n";
  const std::string none = "            # No stacktrace found for following nodes\n";
  EXPECT_NE(text.find("\n" + line + call + call + none + call + line + call + "            return"), std::string::npos)
      << text;
}

TEST(ProgramListing, RangesWithoutEndsAreInfinite) {
  const std::string text = TextFor(Program(R"("nodes": [])", R"(, "range_constraints": {"a": {"min_val": -Infinity,
      "max_val": Infinity}, "b": {"min_val": null}, "c": 3})"));
  EXPECT_NE(text.find("{a: VR[-int_oo, int_oo], b: VR[-int_oo, int_oo], c: VR[-int_oo, int_oo]}"), std::string::npos)
      << text;
}

TEST(ProgramListing, NamesWithControlBytesAreEscaped) {
  const std::string text = TextFor(Program("\"nodes\": [{\"name\": \"a\\u001b[1m\", \"target\": \"f\\n\"}]"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\\x1b[1m = f\\x0a()\n"), std::string::npos) << text;
}

TEST(ProgramListing, AProgramIsNoRecord) {
  const auto listed = ListPrograms(*OpenFileSource(DataPath("f02_linear.pte")));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pteedit::program_listing_test
