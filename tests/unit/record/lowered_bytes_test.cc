#include "record/lowered_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace pteedit::lowered_bytes_test {
namespace {

// A text of JSON with these contents.
std::string Quoted(const std::string& contents) {
  std::string text = "\"";
  for (const char c : contents) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string Program(const std::string& module) {
  return R"({"nodes": [{"target": "call", "inputs": [{"arg": {"as_string": )" + Quoted(module) +
         R"(}, "name": "m"}], "metadata": {"stack_trace": "\"processed_bytes\": \"AAAA\""}}]})";
}

std::string Module(const std::string& bytes, const std::string& weights, const std::string& store,
                   const std::string& inside = "{}") {
  return R"({"backend_id": "B", "processed_bytes": )" + bytes + R"(, "compile_specs": [{"value": "Zm8="}], )" +
         R"("original_module": )" + inside + R"(, "original_state_dict": )" + weights +
         R"(, "original_constants": "", "named_data_store": )" + store + "}";
}

TEST(LoweredBytes, LeavesOutBlobsAndWeightsOnly) {
  const std::string store = Quoted(R"({"buffers": ["AAAA"], "pte_data": {"key": 0}})");
  EXPECT_EQ(WithoutLoweredBytes(Program(Module("\"AAAA\"", "\"BBBB\"", store))),
            Program(Module("\"\"", "\"\"", "null")));
}

TEST(LoweredBytes, LeavesOutThoseOfModulesInModules) {
  const std::string inside = Module("\"AAAA\"", "\"\"", "null");
  EXPECT_EQ(WithoutLoweredBytes(Program(Module("\"\"", "\"\"", "null", Program(inside)))),
            Program(Module("\"\"", "\"\"", "null", Program(Module("\"\"", "\"\"", "null")))));
}

TEST(LoweredBytes, IsDoneAfterOnce) {
  const std::string slim = WithoutLoweredBytes(Program(Module("\"AAAA\"", "\"\"", "\"\"")));
  EXPECT_EQ(WithoutLoweredBytes(slim), slim);
}

TEST(LoweredBytes, LeavesOtherTextsAlone) {
  const std::string no_module = R"({"processed_bytes": "AAAA"})";
  EXPECT_EQ(WithoutLoweredBytes(Program(no_module)), Program(no_module));
  const std::string module = Quoted(Module("\"AAAA\"", "\"\"", "null"));
  for (const std::string key : {"text", "stack_trace"}) {
    const std::string program = "{\"" + key + "\": " + module + "}";
    EXPECT_EQ(WithoutLoweredBytes(program), program);
  }
}

TEST(LoweredBytes, LeavesWhatIsNoJsonAlone) {
  const std::string whole = Program(Module("\"AAAA\"", "\"BBBB\"", "\"{}\""));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_LE(WithoutLoweredBytes(cut).size(), cut.size());
  }
  for (const char* odd : {"\"", "\"as_string\":\"{\"", R"("as_string":"{\"backend_id\"")",
                          R"("as_string":"{\"backend_id\":[}")", R"("as_string":"{\"backend_id\":1,\"a\":}\u0041")"})
    EXPECT_EQ(WithoutLoweredBytes(odd), odd);
}

}  // namespace
}  // namespace pteedit::lowered_bytes_test
