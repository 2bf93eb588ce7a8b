// Every decoder on every blob of its backend in the test data.
#include <gtest/gtest.h>

#include <map>

#include "test_blobs.h"

namespace pteedit::real_blobs_test {
namespace {

TEST(RealBlobs, AreAllDecoded) {
  std::map<std::string, int> counts;
  for (const std::string& path : test::AllModelFiles()) {
    const Container file = test::OpenFile(path);
    const Container* program = file.kind() == FileKind::kBundle ? file.program() : &file;
    if (file.kind() == FileKind::kData) continue;
    const ProgramSet named(*program);
    for (const schema::ExecutionPlan* plan : OrEmpty(program->state().program_root().execution_plan())) {
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
        const Decoder* decoder = FindDecoder(ViewOf(delegate->id()));
        if (decoder == nullptr) continue;
        const BlobInput input = InputOf(named, *delegate);
        const Result<DecodedBlob> decoded = decoder->decode(input);
        ASSERT_TRUE(decoded) << path << ": " << decoded.error().message;
        EXPECT_TRUE(decoded->problems.empty()) << path;
        test::ExpectIsWhole(*decoded, input.blob.size);
        ++counts[delegate->id()->str()];
      }
    }
  }
  EXPECT_EQ(counts["CoreMLBackend"], 3);
  EXPECT_EQ(counts["EthosUBackend"], 3);
  EXPECT_EQ(counts["OpenvinoBackend"], 2);
  EXPECT_GT(counts["XnnpackBackend"], 50);
}

}  // namespace
}  // namespace pteedit::real_blobs_test
