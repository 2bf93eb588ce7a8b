// What records keep of the values that the model computed where it was exported.
#include <gtest/gtest.h>
#include <zlib.h>

#include "profile/record_joins.h"
#include "pteedit/profile/debug_values.h"
#include "record/etrecord.h"
#include "record/torch_archive.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::record_values_test {
namespace {

using test::DataPath;
using test::ZipBuilder;
using test::ZipTestEntry;

ZipTestEntry Stored(const std::string& name, const std::vector<uint8_t>& bytes) {
  const auto checksum = static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
  return {name, {bytes.begin(), bytes.end()}, checksum, 0, 0, 0};
}

// With what torch.save wrote as an entry.
Etrecord RecordWith(const std::string& entry, const std::string& saved) {
  const std::vector<uint8_t> bytes =
      ZipBuilder().Build({Stored("ETRECORD_V0", {}), Stored(entry, test::ReadBytes(DataPath("torch/" + saved)))});
  return *Etrecord::Open(MakeMemorySource("record", bytes));
}

EventBlock RunOf(std::vector<std::string> methods, int64_t input = -1) {
  EventBlock block;
  block.name = "Execute";
  block.methods = std::move(methods);
  block.bundled_input_index = input;
  return block;
}

double FirstElement(const std::optional<std::vector<DebugValue>>& outputs) {
  return outputs ? ReadElements((*outputs)[0].tensor, 64)->reals[0] : -1;
}

TEST(RecordValues, BlocksHaveTheOutputsOfTheirInput) {
  const auto record = RecordWith("reference_outputs", "methods.pt");
  const auto references =
      ReadReferenceOutputs({RunOf({"forward"}), RunOf({"forward"}, 0), RunOf({"forward"}, 1), RunOf({"forward"}, -2),
                            RunOf({"decode"}), RunOf({"other"}), RunOf({"forward", "decode"}), RunOf({})},
                           record);
  ASSERT_TRUE(references) << references.error().message;
  EXPECT_EQ(FirstElement(references->blocks[0]), 2);  // the last one
  EXPECT_EQ(FirstElement(references->blocks[1]), 1);
  EXPECT_EQ(FirstElement(references->blocks[2]), 2);
  EXPECT_EQ(FirstElement(references->blocks[3]), 1);
  EXPECT_EQ(FirstElement(references->blocks[4]), 4);
  for (size_t i = 5; i < 8; ++i) EXPECT_FALSE(references->blocks[i]) << i;
}

TEST(RecordValues, InputsThatTheRecordLacksAreRefused) {
  for (const int64_t input : {2, -3}) {
    const auto references =
        ReadReferenceOutputs({RunOf({"forward"}, input)}, RecordWith("reference_outputs", "methods.pt"));
    ASSERT_FALSE(references);
    EXPECT_EQ(references.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(references.error().message, "block 'Execute' is a run of bundled input " + std::to_string(input) +
                                              ", but the record has reference outputs of 2");
  }
}

TEST(RecordValues, TheOnlyMethodNeedNotBeKnown) {
  const Etrecord record = *Etrecord::Open(*OpenFileSource(DataPath("inspector/state/etrecord.bin")));
  const auto references = ReadReferenceOutputs({RunOf({}), RunOf({"forward"}), RunOf({"decode"})}, record);
  ASSERT_TRUE(references) << references.error().message;
  EXPECT_EQ(FirstElement(references->blocks[0]), 2);
  EXPECT_EQ(FirstElement(references->blocks[1]), 2);
  EXPECT_FALSE(references->blocks[2]);
}

TEST(RecordValues, RecordsMayHaveNone) {
  const Etrecord record = *Etrecord::Open(*OpenFileSource(DataPath("inspector/gpt_portable/etrecord.bin")));
  EXPECT_FALSE(ReadReferenceOutputs({RunOf({})}, record)->blocks[0]);
}

TEST(RecordValues, DeflatedEntriesAreReadToo) {
  const auto first_input = [](const char* record) {
    const Etrecord opened = *Etrecord::Open(*OpenFileSource(DataPath(std::string("inspector/mlp_portable/") + record)));
    const TorchValues inputs = *ReadTorchEntry(opened.zip(), *opened.zip().Find("representative_inputs"));
    return *ContentHashOf(inputs.entries.front().second.items.front().tensor);
  };
  EXPECT_EQ(first_input("etrecord.bin.stored"), first_input("etrecord.bin"));
}

TEST(RecordValues, OutputsThatCannotBeReadAreLeftOut) {
  const auto why = [](const char* saved) {
    const auto references = ReadReferenceOutputs({RunOf({})}, RecordWith("reference_outputs", saved));
    EXPECT_TRUE(references);
    if (!references) return std::string();
    EXPECT_FALSE(references->blocks[0]);
    return references->why_unread;
  };
  EXPECT_EQ(why("inputs.pt"), "entry 'reference_outputs': outputs are not listed by method");
  EXPECT_EQ(why("evil.pt"),
            "entry 'reference_outputs': pickle asks for 'posix.system' at byte 25, which tensors do not need");
}

}  // namespace
}  // namespace pteedit::record_values_test
