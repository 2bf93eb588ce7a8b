#include "pteedit/leaks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program_builder.h"
#include "pteedit/sizes.h"
#include "test_files.h"

namespace pteedit::leaks_test {
namespace {

using test::DataPath;
using test::OpenFile;
using test::ProgramBuilder;
using Words = std::vector<std::string>;

Container With(const std::string& text) {
  return ProgramBuilder().NamedData("blob", std::vector<uint8_t>(text.begin(), text.end())).Open();
}

// "path /home/jo/x jo"
Words LeaksOf(const Container& file) {
  Words words;
  const Leaks leaks = *FindLeaks(file);
  for (const Leak& leak : leaks.found)
    words.push_back(std::string(leak.kind) + " " + leak.text + (leak.user.empty() ? "" : " " + leak.user));
  return words;
}

TEST(FindLeaks, KnowsPathsOfMachines) {
  EXPECT_EQ(LeaksOf(With("x=/home/jo/model.bin, '/Users/kim/a b'")),
            (Words{"path /Users/kim/a kim", "path /home/jo/model.bin jo"}));
  EXPECT_EQ(LeaksOf(With("C:\\Users\\lee\\m.pt D:/ci/agent/x")),
            (Words{"path C:\\Users\\lee\\m.pt lee", "path D:/ci/agent/x"}));
  EXPECT_EQ(LeaksOf(With("file:///root/x.py")), (Words{"path /root/x.py root"}));
  EXPECT_EQ(LeaksOf(With("model:/home/jo/m.bin")), (Words{"path /home/jo/m.bin jo"}));
  EXPECT_EQ(LeaksOf(With("/home/j\xc3\xb6rg/x")), (Words{"path /home/j\xc3\xb6rg/x j\xc3\xb6rg"}));
}

TEST(FindLeaks, KnowsSourceFiles) {
  EXPECT_EQ(LeaksOf(With("at /elsewhere/src/model.py:12")), (Words{"path /elsewhere/src/model.py"}));
  EXPECT_EQ(LeaksOf(With("team/net/model.py")), (Words{"source team/net/model.py"}));
  EXPECT_EQ(LeaksOf(OpenFile(DataPath("f10_stacktrace.pte"))), (Words{"source tests/models/models.py"}));
}

TEST(FindLeaks, KnowsHostsOfPrivateNetworksAndAddresses) {
  EXPECT_EQ(LeaksOf(With("http://buildbox:8080/x https://ci.acme.corp/y")),
            (Words{"host buildbox", "host ci.acme.corp"}));
  EXPECT_EQ(LeaksOf(With("http://jo@10.0.0.7/")), (Words{"host 10.0.0.7"}));
  EXPECT_EQ(LeaksOf(With("by jo.doe@example.org.")), (Words{"address jo.doe@example.org jo.doe"}));
}

TEST(FindLeaks, LeavesNamesOfOperatorsAndModulesAlone) {
  EXPECT_EQ(LeaksOf(With("aten::add.out layers.0/attention/wq https://pytorch.org/docs a@b.c x/y 1/2 1K/1.h")),
            Words{});
  for (const char* file : {"f02_linear.pte", "f07/gpt_xnn.pte", "f08/b_xnn_v0.pte", "f04/w.ptd"})
    EXPECT_EQ(LeaksOf(OpenFile(DataPath(file))), Words{}) << file;
}

TEST(FindLeaks, CountsAndTellsWhereTheFirstIs) {
  const std::string text = "  /home/jo/a\n/home/jo/a\n";
  const Container file = With(text);
  const Leaks leaks = *FindLeaks(file);
  ASSERT_EQ(leaks.found.size(), 1U);
  EXPECT_EQ(leaks.found[0].count, 2U);
  EXPECT_EQ(leaks.found[0].offset, file.named_data()[0].extent.offset + 2);
  EXPECT_EQ(leaks.found[0].components, (Words{"Named Data", "blob"}));
}

TEST(FindLeaks, HoldsOnlySoMany) {
  std::string text;
  for (int i = 0; i < 10'005; ++i) text += "/home/jo/" + std::to_string(i) + "\n";
  text += "/home/" + std::string(5000, 'x');
  const Leaks leaks = *FindLeaks(With(text));
  EXPECT_EQ(leaks.found.size(), 10'000U);
  EXPECT_EQ(leaks.left_out, 6U);
}

}  // namespace
}  // namespace pteedit::leaks_test
