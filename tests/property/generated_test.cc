// The laws on generated programs. RC_PARAMS in the environment sets another seed or number of runs, for instance
// RC_PARAMS="seed=7 max_success=5000"; a failure prints the one to set to see it again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "any_files.h"
#include "laws.h"
#include "test_files.h"

namespace pteedit::test::generated_test {
namespace {

SplitOptions AnyOptions() {
  SplitOptions options;
  options.selection.mutables = *rc::gen::arbitrary<bool>();
  options.selection.constants = *rc::gen::inRange(0, 5) != 4;
  options.selection.named_data = *rc::gen::inRange(0, 5) != 4;
  options.selection.min_bytes = *rc::gen::element<uint64_t>(0, 0, 1, 40);
  options.max_external_tensors = *rc::gen::element<uint64_t>(1000, 1000, 2);
  options.min_alignment = *rc::gen::element<uint64_t>(16, 16, 256, 4096);
  options.bind = *rc::gen::element(Bind::kWhereNames, Bind::kWhereNames, Bind::kAlways, Bind::kNever);
  return options;
}

RC_GTEST_PROP(Generated, RewriteOfNothingIsIdentical, ()) { Holds(RewriteOfNothingIsIdentical(AnyFiles())); }
RC_GTEST_PROP(Generated, RepackKeepsEverything, ()) { Holds(RepackKeepsEverything(AnyFiles())); }
RC_GTEST_PROP(Generated, RepackKeepsDataFiles, ()) { Holds(RepackKeepsDataFiles(AnyFiles())); }
RC_GTEST_PROP(Generated, SizesAddUp, ()) { Holds(SizesAddUp(AnyFiles())); }

RC_GTEST_PROP(Generated, SplitAndJoinKeepTheMeaning, ()) {
  const Files files = AnyFiles();
  Holds(SplitAndJoinKeepTheMeaning(files, AnyOptions()));
}

// Writing syncs, which is slow, so a few will do.
TEST(Generated, PlanEqualsFile) {
  const TemporaryFolder folder;
  for (uint16_t i = 0; i < 10; ++i) {
    Tape tape;
    for (uint32_t k = 0; k < 500; ++k) tape.push_back(static_cast<uint16_t>((k + 1U) * (i + 3U) * 40503U >> 3));
    GeneratedFiles files = MakeFiles(tape);
    EXPECT_EQ(PlanEqualsFile({files.program, files.data, 16}, folder.path()), "") << "tape " << i;
  }
}

RC_GTEST_PROP(Generated, DamageIsAnErrorOrAFile, ()) {
  const Files files = AnyFiles();
  FileBytes damaged = files.program;
  if (*rc::gen::arbitrary<bool>()) {
    damaged.resize(*rc::gen::inRange<size_t>(0, damaged.size()));
  } else {
    const auto bit =
        *rc::gen::inRange<size_t>(0, 8 * std::min<size_t>(damaged.size(), ReadPlaces(files.program).tables_bytes));
    damaged[bit / 8] = static_cast<uint8_t>(damaged[bit / 8] ^ (1U << bit % 8));
  }
  UseDamaged(damaged, files.data);
}

}  // namespace
}  // namespace pteedit::test::generated_test
