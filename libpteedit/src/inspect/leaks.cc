#include "pteedit/leaks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "inspect/leak_scanner.h"
#include "io/streaming.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// The places of what lies in the leaves of a size tree.
class PlaceNames {
 public:
  explicit PlaceNames(const SizeNode& root) {
    for (const SizeNode& component : root.components) Add(component, {});
    std::sort(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) { return a.extent.offset < b.extent.offset; });
  }

  std::vector<std::string> At(uint64_t offset) const {
    auto place = std::upper_bound(places_.begin(), places_.end(), offset,
                                  [](uint64_t wanted, const Place& one) { return wanted < one.extent.offset; });
    if (place == places_.begin()) return {};
    --place;
    return offset - place->extent.offset < place->extent.size ? place->names : std::vector<std::string>();
  }

 private:
  struct Place {
    Extent extent;
    std::vector<std::string> names;
  };

  void Add(const SizeNode& node, std::vector<std::string> names) {  // NOLINT(misc-no-recursion): as deep as the tree
    names.push_back(node.name);
    for (const SizeNode& component : node.components) Add(component, names);
    if (!node.components.empty()) return;
    for (const Extent& piece : PiecesOf(node)) places_.push_back({piece, names});
  }

  std::vector<Place> places_;
};

}  // namespace

Result<Leaks> FindLeaks(const Container& file) {
  LeakScanner scanner;
  const Source& source = *file.source();
  PTEEDIT_TRY(ForEachPiece(source, {0, source.size()}, [&](ByteSpan span) -> Status {
    scanner.Add(span);
    return {};
  }));
  Leaks leaks = std::move(scanner).Finish();
  if (leaks.found.empty()) return leaks;
  PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(file, {.look_inside = true, .has_references = false}));
  const PlaceNames places(sizes);
  for (Leak& leak : leaks.found) leak.components = places.At(leak.offset);
  return leaks;
}

}  // namespace pteedit
