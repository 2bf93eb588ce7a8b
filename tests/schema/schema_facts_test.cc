// That the drift test would see a drift: each kind of change in a copy of our schemas is named.
#include "schema_facts.h"

#include <filesystem>

#include "test_files.h"

namespace pteedit::test {
namespace {

std::string Ours(const std::string& name) { return std::string(PTEEDIT_SCHEMA_DIR) + "/" + name; }

// What FindDrift says after `before` became `after` in a copy of `name` (or of what it includes).
std::vector<std::string> DriftAfter(const std::string& name, const std::string& edited, const std::string& before,
                                    const std::string& after) {
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(PTEEDIT_SCHEMA_DIR)) {
    if (entry.path().extension() == ".fbs") std::filesystem::copy(entry.path(), folder.path());
  }
  const std::vector<uint8_t> bytes = ReadBytes(folder / edited);
  std::string text(bytes.begin(), bytes.end());
  const size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos) << edited << " has no " << before;
  if (place != std::string::npos) text.replace(place, before.size(), after);
  WriteBytes(folder / edited, {text.begin(), text.end()});
  return FindDrift(ReadSchemaFacts(Ours(name)), ReadSchemaFacts(folder / name));
}

std::vector<std::string> DriftAfter(const std::string& name, const std::string& before, const std::string& after) {
  return DriftAfter(name, name, before, after);
}

using Lines = std::vector<std::string>;

TEST(SchemaDrift, SameSchemaHasNone) {
  for (const char* name : {"scalar_type.fbs", "program.fbs", "flat_tensor.fbs", "bundled_program.fbs", "xnnpack.fbs"}) {
    EXPECT_EQ(FindDrift(ReadSchemaFacts(Ours(name)), ReadSchemaFacts(Ours(name))), Lines{});
  }
}

TEST(SchemaDrift, NamespaceDoesNotCount) {
  EXPECT_EQ(DriftAfter("flat_tensor.fbs", "namespace pteedit.schema.flat;", "namespace elsewhere;"), Lines{});
}

TEST(SchemaDrift, NamesChangedType) {
  EXPECT_EQ(
      DriftAfter("program.fbs", "requires_grad: bool", "requires_grad: short"),
      Lines{"table 'Tensor' field 4 drifted: ours is 'requires_grad' bool default 0, theirs is 'requires_grad' short "
            "default 0"});
}

TEST(SchemaDrift, NamesChangedDefault) {
  EXPECT_EQ(DriftAfter("program.fbs", "lineno: int", "lineno: int = 7"),
            Lines{"table 'Frame' field 1 drifted: ours is 'lineno' int default 0, theirs is 'lineno' int default 7"});
}

TEST(SchemaDrift, NamesNewField) {
  EXPECT_EQ(DriftAfter("flat_tensor.fbs", "named_data: [NamedData];", "named_data: [NamedData]; note: string;"),
            Lines{"table 'FlatTensor' field 3 drifted: ours is missing, theirs is 'note' string"});
}

TEST(SchemaDrift, NamesRemovedField) {
  EXPECT_EQ(DriftAfter("program.fbs", "  device_index: byte = 0;\n}\n\ntable Tensor", "}\n\ntable Tensor"),
            Lines{"table 'ExtraTensorInfo' field 4 drifted: ours is 'device_index' byte default 0, theirs is missing"});
}

TEST(SchemaDrift, NamesSwappedFields) {
  EXPECT_EQ(DriftAfter("program.fbs", "move_from: int;\n  move_to: int;", "move_to: int;\n  move_from: int;").size(),
            2u);
}

TEST(SchemaDrift, NamesUnionOrder) {
  const Lines drift = DriftAfter("program.fbs", "Null, Int, Bool, Double,", "Null, Bool, Int, Double,");
  ASSERT_EQ(drift.size(), 2u);
  EXPECT_EQ(drift[0], "union 'KernelTypes' value 2 drifted: ours is 'Int' table 'Int', theirs is 'Bool' table 'Bool'");
}

TEST(SchemaDrift, NamesEnumValueOfAnIncludedFile) {
  const Lines drift = DriftAfter("program.fbs", "scalar_type.fbs", "BOOL = 11", "BOOL = 10");
  ASSERT_EQ(drift.size(), 2u);
  EXPECT_EQ(drift[0], "enum 'ScalarType' value 10 drifted: ours is missing, theirs is 'BOOL'");
}

TEST(SchemaDrift, NamesAlignment) {
  EXPECT_EQ(DriftAfter("bundled_program.fbs", "force_align: 32", "force_align: 64"),
            Lines{"table 'BundledProgram' field 2 drifted: ours is 'program' [ubyte] force_align 32, theirs is "
                  "'program' [ubyte] force_align 64"});
}

TEST(SchemaDrift, NamesFileIdentifier) {
  EXPECT_EQ(DriftAfter("program.fbs", "\"ET12\"", "\"ET13\""),
            Lines{"file identifier drifted: ours is 'ET12', theirs is 'ET13'"});
}

// What FindDriftOfPart says where `before` in vulkan.fbs became `after`.
Lines DriftOfPart(const std::string& before, const std::string& after) {
  const TemporaryFolder folder;
  const std::vector<uint8_t> bytes = ReadBytes(Ours("vulkan.fbs"));
  std::string text(bytes.begin(), bytes.end());
  const size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos) << before;
  if (place != std::string::npos) text.replace(place, before.size(), after);
  WriteBytes(folder / "vulkan.fbs", {text.begin(), text.end()});
  return FindDriftOfPart(ReadSchemaFacts(Ours("vulkan.fbs")), ReadSchemaFacts(folder / "vulkan.fbs"));
}

TEST(SchemaDrift, PartMayLackTablesFieldsAndTypesOfUnionValues) {
  EXPECT_EQ(DriftOfPart("table Null {}", "table Null {} table Other { a: int; }"), Lines{});
  EXPECT_EQ(DriftOfPart("shaders: [VkBytes];", "shaders: [VkBytes]; more: uint;"), Lines{});
  EXPECT_EQ(DriftOfPart("Int: Null,", "Int: VkBytes,"), Lines{});
}

TEST(SchemaDrift, PartHasNothingElse) {
  EXPECT_EQ(DriftOfPart("constant_id: int;", "constant_id: uint;"),
            Lines{"table 'VkTensor' field 2 drifted: ours is 'constant_id' int default 0, theirs is 'constant_id' uint "
                  "default 0"});
  EXPECT_EQ(DriftOfPart("constant_id: int;", ""),
            Lines{"table 'VkTensor' field 2 drifted: ours is 'constant_id' int default 0, theirs is missing"});
  EXPECT_EQ(DriftOfPart("SymInt: Null", "SymInt: Null, SymBool: Null"),
            Lines{"union 'GraphTypes' value 12 drifted: ours is missing, theirs is 'SymBool'"});
  EXPECT_EQ(DriftOfPart("INT64 = 7,", "INT64 = 7, INT4 = 8,"),
            Lines{"enum 'VkDataType' value 8 drifted: ours is missing, theirs is 'INT4'"});
}

// Packing and unpacking take an absent number for zero, whatever table it is in.
TEST(SchemaDrift, EveryDefaultOfOursIsZero) {
  for (const char* name : {"program.fbs", "flat_tensor.fbs", "flat_tensor_06.fbs", "bundled_program.fbs"}) {
    for (const auto& [label, text] : ReadSchemaFacts(Ours(name))) {
      const size_t place = text.find(" default ");
      if (place == std::string::npos) continue;
      const std::string value = text.substr(place + 9, text.find(' ', place + 9) - place - 9);
      EXPECT_TRUE(value == "0" || value == "0.0" || value == "false") << name << ": " << label << " is " << text;
    }
  }
}

}  // namespace
}  // namespace pteedit::test
