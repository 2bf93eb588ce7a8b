// Who reads weights: arguments of operators, and delegates.
#ifndef PTEEDIT_SRC_DIFF_WEIGHT_USES_H_
#define PTEEDIT_SRC_DIFF_WEIGHT_USES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diff/diff_rows.h"
#include "pteedit/program_set.h"

namespace pteedit {

struct Uses {
  std::vector<std::string> first;  // "forward aten::mm.out argument 1", "forward XnnpackBackend_0"; eight at most
  uint64_t count = 0;

  void Add(std::string use);
};

class WeightUses {
 public:
  // Of some rows of a side, which was made of the set; all must outlive it.
  WeightUses(const ProgramSet& set, const DiffSide& side, const std::vector<const DiffRow*>& rows);

  Uses Of(const DiffRow& row) const;

 private:
  using ValueId = std::pair<size_t, size_t>;  // method, value

  bool IsAsked(std::string_view key) const;
  void NoteConstants(const ProgramSet& set);
  void NoteKeys(const Container& program);
  void NoteCalls(const Container& program);

  const DiffSide& side_;
  std::vector<std::string_view> keys_;  // of the rows, sorted

  // Only of what the rows have.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<ValueId>> values_at_;  // by place in the file
  std::map<std::string_view, std::vector<ValueId>> values_of_key_;
  std::map<ValueId, Uses> uses_;  // of those values
  std::map<std::string_view, Uses> delegates_of_key_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_WEIGHT_USES_H_
