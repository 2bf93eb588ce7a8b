// Taking constants and keys out of a program whose bytes are in data files from now on. Where they go is not its
// business: it points tensors outside, and drops what nobody inside reads any more.
#ifndef PTEEDIT_SRC_EDIT_MOVER_H_
#define PTEEDIT_SRC_EDIT_MOVER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/buffers.h"
#include "edit/model.h"
#include "edit/stored_tensors.h"
#include "program/constants.h"

namespace pteedit {

class Mover {
 public:
  // Indices of all calls are those of `model.origin`.
  explicit Mover(ProgramModel model);

  const Container& origin() const { return *model_.origin; }
  bool changed() const { return model_.changed; }

  // The alignment of a constant's place: of its segment and, inside it, of all buffers.
  uint64_t AlignmentOfConstant(const Constant& constant);
  // Of an entry of the program's named data.
  uint64_t AlignmentOfEntry(size_t entry) const;

  // From now on the tensor, wherever its bytes were, reads them from a data file by this key, which must stay where it
  // is until the model is planned.
  void PointOutside(const ConstantUse& use, std::string_view key);

  bool PointsTo(std::string_view key) const { return keys_.count(key) != 0; }

  // Drops entries of the named data, each with its segment unless something else uses that.
  void TakeOutKeys(const std::vector<size_t>& entries);

  // Drops the buffers of tensors that point outside, unless others read them. Once, after the last PointOutside.
  ProgramModel Finish() &&;

 private:
  size_t BufferCount(const BufferStore& store) const;
  std::vector<BufferUse> UsesAfter(const BufferStore& store, std::vector<BufferUse> before);
  void TakeOutInlineConstants(const std::vector<BufferUse>& uses);
  void DropEmptyMutables();

  ProgramModel model_;
  std::vector<uint64_t> alignments_;                                // of the segments
  std::map<std::pair<Store, uint32_t>, uint64_t> part_alignments_;  // of the buffers in a part
  std::set<std::string_view> keys_;  // one place each, so that all who use one share its bytes in the tables
  std::map<BufferStore, std::vector<BufferUse>> touched_;  // as they were used before
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_MOVER_H_
