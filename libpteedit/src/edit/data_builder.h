// A new .ptd, entry by entry. It knows nothing of programs: who fills it decides which contents share a segment.
#ifndef PTEEDIT_SRC_EDIT_DATA_BUILDER_H_
#define PTEEDIT_SRC_EDIT_DATA_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "edit/model.h"
#include "edit/tables.h"
#include "pteedit/container.h"

namespace pteedit {

class DataBuilder {
 public:
  // For so many entries and their segments, so that they are never there twice.
  void MakeRoom(size_t entries);
  // Returns the index of the segment. Segments lie in the file in the order in which they were added.
  uint32_t AddSegment(const std::shared_ptr<const Source>& source, Extent extent);
  // Gives a segment at least this alignment, a power of two.
  void Align(uint32_t segment, uint64_t alignment);
  // Keeps what an older file has at its place behind the segment base; segments must be added in the order of places.
  void KeepPlace(uint32_t segment, uint64_t place);
  // Lets a segment lie in another that has its bytes.
  void LetLieInside(uint32_t segment);
  void KeepSegmentBase(uint64_t base);
  // Without `layout` only a delegate understands the bytes. The key must be new; both must stay where they are until
  // the file is planned.
  void AddEntry(std::string_view key, uint32_t segment, const TensorLayout* layout);

  // The runtime refuses a data file without entries: none may be written then.
  bool empty() const { return model_.tables.named_data.items.empty(); }
  DataModel Take() &&;

 private:
  DataModel model_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_DATA_BUILDER_H_
