#include "inspection.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "progress.h"
#include "pteedit/profile/compressed_sizes.h"
#include "pteedit/try.h"
#include "views/view.h"

namespace pteedit::cli {

// What a record of the program would tell more of; `path` names it if there is one.
static Status DescribeDelegationAndGraphs(const std::string& path, unsigned needs, Inspection& inspection) {
  std::shared_ptr<const Source> record;
  if (!path.empty()) {
    PTEEDIT_ASSIGN(record, OpenFileSource(path));
  }
  if ((needs & kNeedsDelegation) != 0) {
    PTEEDIT_ASSIGN(inspection.delegation, DescribeDelegation(inspection.container, record));
  }
  if ((needs & kNeedsGraph) != 0) {
    PTEEDIT_ASSIGN(inspection.graphs, DescribeGraphs(inspection.container, record));
  }
  return {};
}

Result<Inspection> Inspect(const std::string& file, const ProgramSet& set, const std::vector<BlobDecoder>& decoders,
                           const KeyUses* key_uses, const Request& request) {
  const Container& container = set.file();
  const bool whole_tree = request.as_json() || request.style.format == Format::kCsv || !request.extract.empty();
  const SizeOptions options{/*look_inside=*/whole_tree || !request.components.empty(), decoders, key_uses};
  Result<SizeNode> sizes = MeasureSizes(set, options);
  if (!sizes) return sizes.error();
  if (request.zstd_level) {
    const bool only_top = !whole_tree && request.components.empty();
    sizes = AddCompressedSizes(*container.source(), *std::move(sizes), {*request.zstd_level, only_top, ThreadCount()});
    if (!sizes) return sizes.error();
  }
  Inspection inspection{file, set, container, *std::move(sizes)};
  // Where users decode blobs themselves, they are told what became of that.
  const bool shows_blobs = !decoders.empty() || !request.emit_metadata.empty();
  unsigned needs = shows_blobs ? kNeedsDelegates : kNeedsNothing;
  for (const View* view : request.selected) needs |= view->needs;
  if (whole_tree && !set.data().empty()) needs |= kNeedsDescription | kNeedsKeyUses;  // for types in data files
  if ((needs & kNeedsDescription) != 0) inspection.description = Describe(container);
  if ((needs & (kNeedsDelegates | kNeedsRequirements | kNeedsAdvice | kNeedsKeyUses)) != 0) {
    PTEEDIT_ASSIGN(inspection.delegates, DescribeDelegates(set, decoders));
  }
  if ((needs & kNeedsRequirements) != 0) inspection.requirements = DescribeRequirements(set, inspection.delegates);
  if ((needs & kNeedsAdvice) != 0) {
    PTEEDIT_ASSIGN(inspection.advice, Advise(set, inspection.delegates, ThreadCount()));
  }
  if ((needs & kNeedsKeyUses) != 0) {
    PTEEDIT_TRY(AddKeyUses(container, inspection.description, inspection.delegates, inspection.key_uses));
  }
  if ((needs & kNeedsHashes) != 0) {
    PTEEDIT_ASSIGN(inspection.hashes, HashContents(container, *request.hash, ThreadCount()));
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
  PTEEDIT_TRY(DescribeDelegationAndGraphs(request.etrecord, needs, inspection));
  return inspection;
}

unsigned ThreadCount() { return std::max(1U, std::thread::hardware_concurrency()); }

uint64_t CommonAlignment(const Description& description) {
  uint64_t common = 0;
  for (const SegmentDescription& segment : description.segments) {
    if (segment.extent.size != 0) common = common == 0 ? segment.alignment : std::min(common, segment.alignment);
  }
  return common;
}

}  // namespace pteedit::cli
