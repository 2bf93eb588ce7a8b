#include "edit/report_notes.h"

#include <algorithm>

#include "base/text.h"

namespace pteedit {

void NoteTrailingBytes(const Container& before, RewriteReport& report) {
  uint64_t end = before.tables().size;
  for (const Extent& segment : before.segments()) {
    if (segment.size != 0) end = std::max(end, segment.offset + segment.size);
  }
  const uint64_t size = before.source()->size();
  if (size == end) return;
  report.notes.push_back(
      Text(size - end, " bytes behind the last segment of ", before.name(), " belong to nothing and are left out"));
}

}  // namespace pteedit
