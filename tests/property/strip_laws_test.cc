// The laws of strip on generated programs and on the real files of tests/data.
#include "strip_laws.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "any_files.h"
#include "manifest_files.h"

namespace pteedit::test::strip_laws_test {
namespace {

StripOptions AnyOptions() {
  StripOptions options;
  options.debug = *rc::gen::arbitrary<bool>();
  options.unreferenced = *rc::gen::arbitrary<bool>();
  options.padding = *rc::gen::arbitrary<bool>();
  options.dedupe = *rc::gen::arbitrary<bool>();
  options.overlap = *rc::gen::arbitrary<bool>();
  options.repack = *rc::gen::arbitrary<bool>();
  options.min_alignment = *rc::gen::element<uint64_t>(16, 16, 16, 256, 4096);
  return options;
}

RC_GTEST_PROP(GeneratedStrip, KeepsWhatRuns, ()) {
  const Files files = AnyFiles();
  Holds(StripKeepsWhatRuns(files, AnyOptions()));
}
RC_GTEST_PROP(GeneratedStrip, KeepsDataFiles, ()) {
  const Files files = AnyFiles();
  Holds(StripKeepsDataFiles(files, AnyOptions()));
}

RC_GTEST_PROP(GeneratedStrip, RepackedIsEditedAlike, ()) { Holds(RepackedIsEditedAlike(AnyFiles())); }
TEST(DataFilesStrip, RepackedIsEditedAlike) { ForEachProgram(RepackedIsEditedAlike); }

TEST(DataFilesStrip, KeepsWhatRuns) {
  StripOptions debug, unreferenced, padding, dedupe, overlap, repack, all;
  for (StripOptions* options : {&debug, &unreferenced, &padding, &dedupe, &overlap, &repack})
    options->debug = options->unreferenced = false;
  overlap.dedupe = overlap.overlap = true;
  debug.debug = unreferenced.unreferenced = padding.padding = dedupe.dedupe = repack.repack = true;
  all.padding = all.dedupe = all.repack = true;
  for (const StripOptions& options : {StripOptions(), debug, unreferenced, padding, dedupe, overlap, repack, all}) {
    ForEachProgram([&](const Files& files) { return StripKeepsWhatRuns(files, options); });
    ForEachProgram([&](const Files& files) { return StripKeepsDataFiles(files, options); });
  }
}

TEST(DataFilesStrip, UnwrapsBundles) {
  StripOptions options;
  options.unwrap = true;
  ForEachProgram([&](const Files& files) { return IsBundle(files) ? StripKeepsWhatRuns(files, options) : ""; });
}

}  // namespace
}  // namespace pteedit::test::strip_laws_test
