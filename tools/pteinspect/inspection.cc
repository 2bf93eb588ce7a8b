#include "inspection.h"

#include <algorithm>
#include <thread>

#include "views/view.h"

namespace pteedit::inspect {

Result<Container> OpenFile(const std::string& file) {
  const Result<std::shared_ptr<const Source>> source = OpenFileSource(file);
  if (!source) return source.error();
  return Container::Open(*source);
}

Result<Inspection> Inspect(const std::string& file, const Container& container, const std::vector<Container>& data,
                           const Views& views) {
  const bool whole_tree = views.as_json() || views.style.format == Format::kCsv || !views.extract.empty();
  const SizeOptions options{/*look_inside=*/whole_tree || !views.components.empty(), data};
  Result<SizeNode> sizes = MeasureSizes(container, options);
  if (!sizes) return sizes.error();
  Inspection inspection{file, container, *std::move(sizes), {}, {}, {}, {}};
  unsigned needs = kNeedsNothing;
  for (const View* view : views.selected) needs |= view->needs;
  if ((needs & kNeedsDescription) != 0) inspection.description = Describe(container);
  if ((needs & kNeedsDelegates) != 0) {
    Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(container, data);
    if (!delegates) return delegates.error();
    inspection.delegates = *std::move(delegates);
  }
  if ((needs & kNeedsHashes) != 0) {
    Result<std::vector<ContentHash>> hashes = HashContents(container, *views.hash, ThreadCount());
    if (!hashes) return hashes.error();
    inspection.hashes = *std::move(hashes);
  }
  if ((needs & kNeedsPlace) != 0) {
    Result<BytePlace> place = LocateByte(container, *views.at);
    if (!place) return place.error();
    inspection.place = *std::move(place);
  }
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

}  // namespace pteedit::inspect
