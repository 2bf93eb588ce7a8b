#include "profile/handle_sources.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace pteedit::handle_sources_test {
namespace {

TEST(OldestName, IsTheInnermost) {
  EXPECT_EQ(OldestName(R"([{"name": "b", "from_node": [{"name": "a", "target": "t", "from_node": []}]}])"), "a");
  EXPECT_EQ(OldestName(R"([{"name":"x","from_node":[]}, {"name":"y","from_node":[]}])"), "y");
  EXPECT_EQ(OldestName(R"([{"name": "a", "target": "\"name\": \"no\""}])"), "a");
}

TEST(OldestName, MayBeMissing) {
  for (const char* text : {"", "[]", "\"name\"", "\"name\": ", "\"name\": 3", "\\\"name\""})
    EXPECT_EQ(OldestName(text), "") << text;
  EXPECT_EQ(OldestName("\"name\": \"cut"), "cut");
}

TEST(HandleSources, AreTheNamesOfTheExportedGraph) {
  const auto record = Etrecord::Open(*OpenFileSource(test::DataPath("inspector/gap_q8/etrecord.bin")));
  ASSERT_TRUE(record);
  const auto sources = ReadHandleSources(*record, "forward");
  ASSERT_TRUE(sources);
  EXPECT_EQ(sources->at(4), "linear");
  EXPECT_EQ(sources->at(6), "erf");
  EXPECT_TRUE(ReadHandleSources(*record, "decode")->empty());
}

}  // namespace
}  // namespace pteedit::handle_sources_test
