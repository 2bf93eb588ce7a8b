#include "pteedit/profile/record_leaks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "pteedit/profile/slim_record.h"
#include "test_files.h"
#include "zip_builder.h"

namespace pteedit::record_leaks_test {
namespace {

using Words = std::vector<std::string>;

test::ZipTestEntry Stored(const std::string& name, const std::string& contents) { return {name, contents}; }

std::shared_ptr<const Source> RecordOf(std::vector<test::ZipTestEntry> entries) {
  entries.push_back(Stored("ETRECORD_V0", ""));
  return MakeMemorySource("m.etrecord", test::ZipBuilder().Build(entries));
}

// "path /home/jo/x jo in entry at 3"
Words LeaksIn(const std::shared_ptr<const Source>& record) {
  const Result<Leaks> leaks = FindLeaksInRecord(record);
  if (!leaks) return {leaks.error().message};
  Words words;
  for (const Leak& leak : leaks->found) {
    words.push_back(std::string(leak.kind) + " " + leak.text + (leak.user.empty() ? "" : " " + leak.user) + " in " +
                    leak.components.front() + " at " + std::to_string(leak.offset));
  }
  return words;
}

TEST(FindLeaksInRecord, LooksIntoJsonAndBehindItsEscapes) {
  EXPECT_EQ(LeaksIn(RecordOf(
                {Stored("a", R"({"t": "File \"/home/jo/net.py\", line 3\n/home/kim/x", "p": "C:\\Users\\lee\\m"})")})),
            (Words{"path /home/jo/net.py jo in a at 14", "path /home/kim/x kim in a at 41",
                   "path C:\\Users\\lee\\m lee in a at 64"}));
}

TEST(FindLeaksInRecord, LooksIntoBytesOfAnyKind) {
  EXPECT_EQ(LeaksIn(RecordOf({Stored("weights", "\x80\x02}q\x01X\x0c\x01/home/jo/a\x01/tmp/build\x02")})),
            (Words{"path /home/jo/a jo in weights at 8", "path /tmp/build in weights at 19"}));
}

TEST(FindLeaksInRecord, LooksAtNamesOfEntries) {
  const Words leaks = LeaksIn(RecordOf({Stored("/home/jo/extra.bin", "")}));
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].substr(0, leaks[0].rfind(' ')), "path /home/jo/extra.bin jo in Zip Structure at");
}

TEST(FindLeaksInRecord, RefusesWhatItCannotLookInto) {
  test::ZipTestEntry secret = Stored("a", "x");
  secret.flags = 1;
  EXPECT_EQ(FindLeaksInRecord(RecordOf({secret})).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(FindLeaksInRecord(MakeMemorySource("m", {1, 2, 3})).error().code, ErrorCode::kUnsupported);
}

TEST(FindLeaksInRecord, LooksIntoDeflatedEntries) {
  const auto record = *OpenFileSource(test::DataPath("profile/mlp_xnnpack.etrecord"));
  const auto slim = SlimRecord(record);
  ASSERT_TRUE(slim && slim->changed);
  const auto texts = [](const std::shared_ptr<const Source>& source) {
    std::set<std::string> found;
    const Leaks leaks = *FindLeaksInRecord(source);
    for (const Leak& leak : leaks.found) found.insert(leak.text);
    return found;
  };
  EXPECT_FALSE(texts(record).empty());
  EXPECT_EQ(texts(slim->file.AsSource("slim")), texts(record));
}

}  // namespace
}  // namespace pteedit::record_leaks_test
