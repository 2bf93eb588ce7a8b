// The laws on the real files of tests/data.
#include <gtest/gtest.h>

#include "laws.h"
#include "manifest_files.h"
#include "test_files.h"

namespace pteedit::test::data_files_test {
namespace {

constexpr size_t kSmallFile = 12000;  // bytes; damage to larger ones shows nothing new and takes longer

TEST(DataFiles, RewriteOfNothingIsIdentical) { ForEachProgram(RewriteOfNothingIsIdentical); }
TEST(DataFiles, RepackKeepsEverything) {
  ForEachProgram([](const Files& files) { return IsBundle(files) ? std::string() : RepackKeepsEverything(files); });
}
TEST(DataFiles, RepackNeverGrows) {
  ForEachProgram([](const Files& files) { return IsBundle(files) ? std::string() : RepackNeverGrows(files); });
}
TEST(DataFiles, RepackKeepsDataFiles) { ForEachProgram(RepackKeepsDataFiles); }
TEST(DataFiles, SizesAddUp) { ForEachProgram(SizesAddUp); }

TEST(DataFiles, SplitAndJoinKeepTheMeaning) {
  for (const bool mutables : {false, true}) {
    SplitOptions options;
    options.selection.mutables = mutables;
    ForEachProgram([&](const Files& files) { return SplitAndJoinKeepTheMeaning(files, options); });
  }
}

// A few of each file's prefixes and bit flips, spread by a fixed rule.
TEST(DataFiles, DamageIsAnErrorOrAFile) {
  constexpr uint32_t kTries = 20;
  uint32_t state = 1;
  const auto below = [&](size_t count) { return (state = state * 1664525U + 1013904223U) / 7 % count; };
  for (const NamedFiles& one : ManifestFiles()) {
    if (one.files.program.size() > kSmallFile) continue;
    SCOPED_TRACE(one.name);
    const size_t tables = std::min<size_t>(one.files.program.size(), ReadPlaces(one.files.program).tables_bytes);
    for (uint32_t i = 0; i < kTries; ++i) {
      FileBytes damaged = one.files.program;
      damaged[below(tables)] ^= static_cast<uint8_t>(1U << below(8));
      UseDamaged(damaged, one.files.data);
      damaged = one.files.program;
      damaged.resize(below(damaged.size()));
      UseDamaged(damaged, one.files.data);
    }
  }
}

}  // namespace
}  // namespace pteedit::test::data_files_test
