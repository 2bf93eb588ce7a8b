#include "extract.h"

#include <unistd.h>

#include <optional>

#include "pteedit/planned_file.h"
#include "pteedit/text.h"
#include "size_tree.h"

namespace pteedit::inspect {
namespace {

// Of "segment 3".
std::optional<Extent> SegmentPlace(const Container& container, const std::string& name) {
  const std::string prefix = "segment ";
  if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  const Container& inner = container.program() != nullptr ? *container.program() : container;
  for (size_t i = 0; i < inner.segments().size(); ++i) {
    if (name.substr(prefix.size()) != std::to_string(i)) continue;
    Extent place = inner.segments()[i];
    place.offset += container.program_extent().offset;
    return place;
  }
  return std::nullopt;
}

}  // namespace

Status Extract(const Inspection& inspection, const std::string& name, const std::string& output, bool replace) {
  const SizeNode* component = FindComponent(inspection.sizes, name);
  std::optional<Extent> place = component != nullptr ? component->place : SegmentPlace(inspection.container, name);
  if (component == nullptr && !place) return NoSuchComponent(inspection.sizes, name).In(inspection.file);
  if (!place) {
    return InvalidArgument("component '" + EscapeControl(name) + "' is not one piece, see -e for what is in it")
        .In(inspection.file);
  }
  PlannedFile bytes;
  bytes.Append(inspection.container.source(), *place);
  if (output == "-") return WriteStream(bytes, STDOUT_FILENO);
  const auto written =
      WriteFiles({{output, bytes}}, {PathOf(inspection.file)}, {replace, /*hash=*/false, /*raw=*/true, nullptr});
  return written ? Status() : Status(written.error());
}

}  // namespace pteedit::inspect
