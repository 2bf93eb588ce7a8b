// Records of the exporter beside programs and dumps of others.
#include <gtest/gtest.h>

#include "profile/record_joins.h"
#include "pteedit/profile/etrecord.h"
#include "pteedit/profile/event_blocks.h"
#include "record/etrecord.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::record_of_program_test {
namespace {

Status Checked(const std::string& program, const std::string& record) {
  const auto source = OpenFileSource(test::DataPath("delegation/" + record + ".etrecord"));
  EXPECT_TRUE(source);
  return CheckRecordOf(test::OpenFile(test::DataPath(program)), *source);
}

void ExpectRefused(const std::string& program, const std::string& record, const std::string& why) {
  const Status status = Checked(program, record);
  ASSERT_FALSE(status) << program << ", " << record;
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(status.error().message, "is of another program: " + why);
  EXPECT_EQ(status.error().file, test::DataPath("delegation/" + record + ".etrecord"));
}

TEST(CheckRecordOf, TakesRecordsOfTheProgram) {
  const char* pairs[][2] = {{"f07/gpt_basic.pte", "gpt_portable"},
                            {"f07/gpt_xnn.pte", "gpt_xnnpack"},
                            {"f07/gpt_xnn_q8.pte", "gpt_xnnpack_q8"},
                            {"f07/gpt_xnn.pte", "gpt_generate_etrecord_lowered_copy"},
                            {"delegation/two_delegates.pte", "two_delegates"},
                            {"delegation/two_methods.pte", "two_methods"}};
  for (const auto& [program, record] : pairs) {
    const Status status = Checked(program, record);
    EXPECT_TRUE(status) << record << (status ? "" : ": " + status.error().message);
  }
}

TEST(CheckRecordOf, HoldsTheMethodsThatAreInBothAgainstEachOther) {
  ExpectRefused("f07/gpt_basic.pte", "two_methods",
                "it has the operators of 0 of 77 calls of kernels in method 'forward'");
}

TEST(CheckRecordOf, RefusesARecordWithoutAnyOfTheMethods) {
  const Status status = Checked("f06/portable.pte", "two_delegates");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "is of another program, which has no method 'forward'");
}

TEST(CheckRecordOf, RefusesARecordWithOtherDelegates) {
  ExpectRefused("delegation/two_delegates.pte", "gpt_xnnpack",
                "instruction 0 of method 'forward' calls a delegate, unlike what the record says");
  ExpectRefused("f07/gpt_xnn.pte", "gpt_xnnpack_q8",
                "delegate 'XnnpackBackend_1' does not quantize, unlike what the record says");
}

TEST(CheckRecordOf, LeavesMethodsThatTheRecordLacks) {
  const auto record = MakeMemorySource("record", test::ZipBuilder().Build({{"ETRECORD_V0", "", 0, 0, 0, 0}}));
  EXPECT_TRUE(CheckRecordOf(test::OpenFile(test::DataPath("f01_add.pte")), record));
}

TEST(CheckRecordOf, RefusesADataFile) {
  const Status status = Checked("f05/one_model.ptd", "two_methods");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "is a data file, a program expected");
}

Status Joined(const std::string& dump, const std::string& record) {
  auto blocks = ReadEventBlocks(*OpenFileSource(test::DataPath("inspector/" + dump + "/etdump.etdp")));
  EXPECT_TRUE(blocks);
  return JoinRecord(*blocks, *Etrecord::Open(*OpenFileSource(test::DataPath("inspector/" + record + "/etrecord.bin"))));
}

TEST(JoinRecord, RefusesARecordWhoseOperatorsAreOthers) {
  EXPECT_TRUE(Joined("mlp_portable", "mlp_portable"));
  for (const auto& [dump, record] :
       {std::pair("gpt_portable", "mlp_portable"), {"gpt_portable", "two_methods"}, {"mlp_portable", "two_methods"}}) {
    const Status status = Joined(dump, record);
    ASSERT_FALSE(status) << record;
    EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(status.error().message.substr(0, 28), "record is of another program");
  }
}

}  // namespace
}  // namespace pteedit::record_of_program_test
