// That the outputs of split, join and strip verify as clean as their inputs: generated programs, and the real files of
// tests/data, which are clean. The same of merging is in merge_test.cc.
#include "verify_laws.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "any_files.h"
#include "manifest_files.h"

namespace pteedit::test::verify_laws_test {
namespace {

RC_GTEST_PROP(GeneratedVerify, SplitAndJoinStayClean, ()) {
  const Files files = AnyFiles();
  SplitOptions options;
  options.selection.mutables = *rc::gen::arbitrary<bool>();
  options.max_external_tensors = *rc::gen::element<uint64_t>(1000, 1000, 2);
  options.min_alignment = *rc::gen::element<uint64_t>(16, 16, 4096);
  Holds(SplitAndJoinStayClean(files, options));
}

RC_GTEST_PROP(GeneratedVerify, StripStaysClean, ()) {
  const Files files = AnyFiles();
  StripOptions options;
  options.unreferenced = *rc::gen::arbitrary<bool>();
  options.padding = *rc::gen::arbitrary<bool>();
  options.dedupe = *rc::gen::arbitrary<bool>();
  options.overlap = *rc::gen::arbitrary<bool>();
  options.min_alignment = *rc::gen::element<uint64_t>(16, 16, 4096);
  Holds(StripStaysClean(files, options));
}

TEST(DataFilesVerify, AreCleanWhereTheyAreWhole) {
  for (const NamedFiles& one : ManifestFiles()) EXPECT_EQ(IsClean(one.files).empty(), !one.lacks_keys) << one.name;
}

TEST(DataFilesVerify, SplitAndJoinStayClean) {
  for (const bool mutables : {false, true}) {
    SplitOptions options;
    options.selection.mutables = mutables;
    ForEachProgram([&](const Files& files) { return SplitAndJoinStayClean(files, options); });
  }
}

TEST(DataFilesVerify, StripStaysClean) {
  StripOptions all, unwrap;
  all.padding = all.dedupe = unwrap.unwrap = true;
  for (const StripOptions& options : {StripOptions(), all})
    ForEachProgram([&](const Files& files) { return StripStaysClean(files, options); });
  ForEachProgram([&](const Files& files) { return IsBundle(files) ? StripStaysClean(files, unwrap) : ""; });
}

}  // namespace
}  // namespace pteedit::test::verify_laws_test
