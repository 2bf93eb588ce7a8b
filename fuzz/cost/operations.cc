#include "operations.h"

#include <vector>

#include "measure.h"
#include "pteedit/advise.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/diff.h"
#include "pteedit/duplicates.h"
#include "pteedit/hashes.h"
#include "pteedit/merge.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/graph.h"
#include "pteedit/profile/slim_record.h"
#include "pteedit/requirements.h"
#include "pteedit/same.h"
#include "pteedit/sizes.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"

namespace pteedit::fuzz {

constexpr size_t kMaxInflation = 1032;  // of deflate: a record is as large as what its archive holds

void MeasureProfileOperations(const std::shared_ptr<const Source>& source, ProfileKind kind, size_t size) {
  if (kind == ProfileKind::kEtrecord) size *= kMaxInflation;
  Measure("measuring", size, [&] { (void)MeasureProfile(source, kind); });
  Measure("verifying", size, [&] { (void)VerifyProfile(source, kind); });
  if (kind == ProfileKind::kEtdump) Measure("reading events", size, [&] { (void)ReadEventBlocks(source, {}); });
  if (kind == ProfileKind::kEtrecord) Measure("slimming", size, [&] { (void)SlimRecord(source); });
}

void MeasureLooking(const Container& file, size_t size) {
  Measure("describing", size, [&] { Describe(file); });
  Measure("measuring", size, [&] { (void)MeasureSizes(file, {.look_inside = true}); });
  Measure("hashing", size, [&] { (void)HashContents(file, HashKind::kXxh3); });
  Measure("finding duplicates", size, [&] { (void)FindDuplicates({file, file}); });
  Measure("comparing", size, [&] { (void)FindDifference(file, file); });
  Measure("telling what changed", size, [&] { (void)DiffFiles(file, file); });
  Result<std::vector<DelegateDescription>> delegates = std::vector<DelegateDescription>();
  Measure("looking into delegates", size, [&] { delegates = DescribeDelegates(file); });
  if (!delegates) return;
  Measure("delegation", size, [&] { (void)DescribeDelegation(file, *delegates); });
  Measure("listing graphs", size, [&] { (void)DescribeGraphs(file, *delegates); });
  Measure("requirements", size, [&] { DescribeRequirements(file, *delegates); });
  Measure("advice", size, [&] { (void)Advise(file, [&] { return &*delegates; }); });
}

void MeasureRewriting(const Container& file, size_t size) {
  StripOptions strip;
  strip.padding = strip.dedupe = strip.overlap = true;
  Measure("stripping", size, [&] { (void)Strip(file, strip); });
  if (file.kind() == FileKind::kData) return;
  SplitOptions split;
  split.selection.mutables = true;
  Measure("splitting", size, [&] { (void)SplitProgram(file, split); });
  Measure("merging", size, [&] { (void)MergePrograms({{file, "a", "a"}, {file, "b", "b"}}, {}); });
}

}  // namespace pteedit::fuzz
