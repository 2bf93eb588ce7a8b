#include "views/inspection.h"

#include <algorithm>
#include <memory>

#include "input_files.h"
#include "pteedit/profile/compressed_sizes.h"
#include "pteedit/try.h"
#include "text/html.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// What a record of the program would tell more of; `path` names it if there is one.
Status DescribeDelegationAndGraphs(const std::string& path, unsigned needs, Inspection& inspection) {
  std::shared_ptr<const Source> record;
  if (!path.empty()) {
    PTEEDIT_ASSIGN(record, OpenWhole(path));
  }
  if ((needs & kNeedsDelegation) != 0) {
    PTEEDIT_ASSIGN(inspection.delegation, DescribeDelegation(inspection.container, record));
  }
  if ((needs & kNeedsGraph) != 0) {
    PTEEDIT_ASSIGN(inspection.graphs, DescribeGraphs(inspection.container, record));
  }
  return {};
}

}  // namespace

bool HasView(FileKind kind, const View& view) {
  constexpr unsigned kOfPackages = kNeedsDescription | kNeedsHashes | kNeedsPlace | kNeedsLeaks;
  return kind != FileKind::kNative || (view.needs != kNeedsNothing && (view.needs & ~kOfPackages) == 0);
}

Result<Inspection> Inspect(const std::string& file, const ProgramSet& set, const std::vector<BlobDecoder>& decoders,
                           const KeyUses* key_uses, const ViewRequest& request) {
  const Container& container = set.file();
  Inspection inspection{file, set, container};
  if (request.for_page) inspection.most_rows = kMaxEntries;
  if (request.whole_tree || request.sizes) {
    const bool look_inside = request.whole_tree || request.inside || request.zstd_level;  // for types of weights
    PTEEDIT_ASSIGN(inspection.sizes,
                   MeasureSizes(set, {look_inside, decoders, key_uses, request.zstd_level.has_value()}));
  }
  if (request.zstd_level) {
    const bool only_top = !request.whole_tree && !request.inside;
    PTEEDIT_ASSIGN(inspection.sizes, AddCompressedSizes(*container.source(), std::move(inspection.sizes),
                                                        {*request.zstd_level, only_top, request.threads}));
  }
  // Where users decode blobs themselves, they are told what became of that.
  const bool shows_blobs = !decoders.empty() || request.blobs;
  unsigned needs = shows_blobs ? kNeedsDelegates : kNeedsNothing;
  for (const View* view : request.selected) needs |= HasView(container.kind(), *view) ? view->needs : kNeedsNothing;
  if (request.work) needs |= kNeedsDescription | kNeedsWork;
  if (request.whole_tree && !set.data().empty()) needs |= kNeedsDescription | kNeedsKeyUses;  // for types in data files
  if ((needs & kNeedsDescription) != 0) inspection.description = Describe(container);
  if ((needs & (kNeedsDelegates | kNeedsRequirements | kNeedsAdvice | kNeedsKeyUses)) != 0) {
    PTEEDIT_ASSIGN(inspection.delegates, DescribeDelegates(set, decoders));
  }
  if ((needs & kNeedsRequirements) != 0) inspection.requirements = DescribeRequirements(set, inspection.delegates);
  if ((needs & kNeedsAdvice) != 0) {
    PTEEDIT_ASSIGN(inspection.advice, Advise(set, inspection.delegates, request.threads));
  }
  if ((needs & kNeedsKeyUses) != 0) {
    PTEEDIT_TRY(AddKeyUses(container, inspection.description, inspection.delegates, inspection.key_uses));
  }
  if ((needs & kNeedsHashes) != 0) {
    PTEEDIT_ASSIGN(inspection.hashes, HashContents(container, *request.hash, request.threads));
  }
  if ((needs & kNeedsPlace) != 0) {
    PTEEDIT_ASSIGN(inspection.place, LocateByte(container, *request.at));
  }
  if ((needs & kNeedsLeaks) != 0) {
    PTEEDIT_ASSIGN(inspection.leaks, FindLeaks(container));
  }
  if ((needs & kNeedsStackTraces) != 0) {
    PTEEDIT_ASSIGN(inspection.stack_traces, DescribeStackTraces(container));
  }
  const bool is_counted = key_uses != nullptr;  // with the programs that the data file belongs to
  if ((needs & kNeedsGroups) != 0 && !is_counted) {
    inspection.axes = request.axes;
    PTEEDIT_ASSIGN(inspection.groups, GroupSizes(set, request.axes, decoders));
  }
  if ((needs & kNeedsRetained) != 0 && !is_counted) {
    PTEEDIT_ASSIGN(inspection.retained, MeasureRetained(set, decoders));
  }
  if ((needs & kNeedsWork) != 0) {
    PTEEDIT_ASSIGN(inspection.work, MeasureWork(set));
  }
  PTEEDIT_TRY(DescribeDelegationAndGraphs(request.etrecord, needs, inspection));
  return inspection;
}

uint64_t CommonAlignment(const Description& description) {
  uint64_t common = 0;
  for (const SegmentDescription& segment : description.segments) {
    if (segment.extent.size != 0) common = common == 0 ? segment.alignment : std::min(common, segment.alignment);
  }
  return common;
}

}  // namespace pteedit::cli
