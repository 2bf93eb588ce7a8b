#include "inspection.h"

#include <algorithm>

#include "views/view.h"

namespace pteedit::inspect {

Result<Inspection> Inspect(const std::string& file, const Views& views) {
  const Result<std::shared_ptr<const Source>> source = OpenFileSource(file);
  if (!source) return source.error();
  const Result<Container> container = Container::Open(*source);
  if (!container) return container.error();
  const SizeOptions options{/*find_references=*/views.json || !views.components.empty()};
  Result<SizeNode> sizes = MeasureSizes(*container, options);
  if (!sizes) return sizes.error();
  Inspection inspection{file, *container, *std::move(sizes), {}};
  unsigned needs = kNeedsNothing;
  for (const View* view : views.selected) needs |= view->needs;
  if ((needs & kNeedsDescription) != 0) inspection.description = Describe(*container);
  return inspection;
}

uint64_t CommonAlignment(const Description& description) {
  uint64_t common = 0;
  for (const SegmentDescription& segment : description.segments) {
    if (segment.extent.size != 0) common = common == 0 ? segment.alignment : std::min(common, segment.alignment);
  }
  return common;
}

}  // namespace pteedit::inspect
