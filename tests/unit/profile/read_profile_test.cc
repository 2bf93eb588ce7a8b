#include <gtest/gtest.h>

#include <algorithm>

#include "pteedit/profile/profile.h"
#include "pteedit/strip.h"
#include "test_files.h"

namespace pteedit::read_profile_test {
namespace {

std::shared_ptr<const Source> File(const std::string& name) {
  return *OpenFileSource(test::DataPath("inspector/mlp_portable/" + name));
}

Profile Read(ProfileFiles files) {
  Result<Profile> profile = Profile::Read(std::move(files));
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return *std::move(profile);
}

TEST(ReadProfile, HasWhatIsGiven) {
  const Profile dump = Read({File("etdump.etdp")});
  EXPECT_FALSE(dump.blocks().empty());
  EXPECT_FALSE(dump.values());
  EXPECT_FALSE(dump.references());
  const Profile all = Read({File("etdump_debug.etdp"), {}, File("etrecord.bin"), File("debug_buffer.bin")});
  EXPECT_EQ(all.blocks().front().methods, std::vector<std::string>{"forward"});
  EXPECT_EQ(all.values()->size(), all.blocks().size());
  EXPECT_EQ(all.references()->size(), all.blocks().size());
}

TEST(ReadProfile, ComparesWithAnother) {
  const Profile profile = Read({File("etdump_debug.etdp"), {}, nullptr, File("debug_buffer.bin")});
  for (const BlockChange& change : profile.ChangesSince(profile))
    EXPECT_NE(change.whole.verdict(), ChangeVerdict::kSlower);
  EXPECT_TRUE(profile.GapTo(profile));
  EXPECT_EQ(profile.GapTo(Read({File("etdump.etdp")})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(profile.Costs()->empty());
}

const OperatorCost& OfCall(const BlockCosts& costs, int64_t instruction) {
  return *std::find_if(costs.operators.begin(), costs.operators.end(), [=](const OperatorCost& cost) {
    return !cost.is_in_delegate && cost.instruction == instruction;
  });
}

TEST(ReadProfile, RowsOfXnnpackHaveNodesBytesAndModules) {
  const auto file = [](const char* name) {
    return *OpenFileSource(test::DataPath(std::string("branches/xnnpack.") + name));
  };
  const Container program = test::OpenFile(test::DataPath("branches/xnnpack.pte"));
  const Profile profile = Read({file("etdp"), ProgramSet(program), file("etrecord")});
  const std::vector<BlockCosts> costs = *profile.Costs();
  ASSERT_EQ(costs.size(), 1U);
  std::vector<std::string> modules;
  uint64_t bytes = 0, macs = 0;
  for (const OperatorCost& cost : costs[0].operators) {
    if (!cost.is_in_delegate || cost.instruction != 0) continue;
    ASSERT_TRUE(cost.more->nodes) << cost.name;
    EXPECT_EQ(cost.more->nodes->first, cost.more->nodes->last);
    EXPECT_EQ(cost.name.back(), static_cast<char>('1' + cost.more->nodes->first));
    modules.push_back(cost.more->module);
    bytes += cost.stored_bytes.value_or(0);
    macs += cost.work ? cost.work->macs.value_or(0) : 0;
  }
  std::sort(modules.begin(), modules.end());
  EXPECT_EQ(modules, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(bytes, 576U);  // of three layers: float weights and biases
  EXPECT_EQ(macs, OfCall(costs[0], 0).work->macs);
  EXPECT_FALSE(Read({file("etdp"), {}, file("etrecord")}).Costs()->front().operators[1].more->nodes);
  EXPECT_FALSE(Read({file("etdp"), {}, file("etrecord")}).Costs()->front().operators[0].work);
}

std::vector<std::string> SourcesOf(const ProfileFiles& files) {
  std::vector<std::string> sources;
  const std::vector<BlockCosts> costs = *Read(files).Costs();
  for (const OperatorCost& cost : costs.front().operators) {
    if (!cost.more->source.empty()) sources.push_back(cost.more->source);
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

TEST(ReadProfile, OperatorsHaveTheStackTracesThatWereStripped) {
  const Container program = test::OpenFile(test::DataPath("f10_stacktrace.pte"));
  StripOptions options;
  options.keep_debug = true;
  const StripResult result = *Strip(program, options);
  const Container stripped = *Container::Open(result.file.AsSource("stripped"));
  ProfileFiles files{*OpenFileSource(test::DataPath("f10_stacktrace.etdp")), ProgramSet(program)};
  const std::vector<std::string> expected = SourcesOf(files);
  EXPECT_EQ(expected.size(), 8U);
  EXPECT_EQ(expected.front(), "linear.py:134");
  files.set = ProgramSet(stripped);
  EXPECT_TRUE(SourcesOf(files).empty());
  files.debug_file = *Container::Open(result.debug->AsSource("debug"));
  EXPECT_EQ(SourcesOf(files), expected);
  files.debug_file = program;
  EXPECT_EQ(Profile::Read(files).error().message, "is no debug file");
}

TEST(ReadProfile, BlamesTheFile) {
  const auto error = [](ProfileFiles files) { return Profile::Read(std::move(files)).error(); };
  EXPECT_EQ(error({File("etrecord.bin")}).file, File("etrecord.bin")->name());
  EXPECT_EQ(error({File("etdump.etdp"), {}, File("debug_buffer.bin")}).file, File("debug_buffer.bin")->name());
  const Container program = test::OpenFile(test::DataPath("f02_linear.pte"));
  EXPECT_EQ(error({File("etdump.etdp"), ProgramSet(program, {program})}).message, "is a program, a data file expected");
  EXPECT_EQ(error({File("etdump.etdp"), ProgramSet(program)}).code, ErrorCode::kUnsupported);
  const Container data = test::OpenFile(test::DataPath("f04/w.ptd"));
  EXPECT_EQ(error({File("etdump.etdp"), ProgramSet(data)}).message, "is a data file, a program expected");
}

}  // namespace
}  // namespace pteedit::read_profile_test
