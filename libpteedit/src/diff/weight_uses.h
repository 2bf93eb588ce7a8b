// Who reads weights: arguments of operators, and delegates.
#ifndef PTEEDIT_SRC_DIFF_WEIGHT_USES_H_
#define PTEEDIT_SRC_DIFF_WEIGHT_USES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diff/diff_rows.h"
#include "pteedit/program_set.h"
#include "pteedit/shared_text.h"

namespace pteedit {

struct Uses {
  std::vector<SharedText> first;  // "forward aten::mm.out argument 1", "forward XnnpackBackend_0"; eight at most
  uint64_t count = 0;
};

class WeightUses {
 public:
  // Of some rows of a side, which was made of the set.
  WeightUses(const ProgramSet& set, const DiffSide& side, const std::vector<const DiffRow*>& rows);

  // Of rows[row]: arguments in the order of calls, then delegates.
  Uses Of(size_t row) const;

 private:
  // As there may be as many as tables, in lists that are searched, not in maps.
  struct RowAtPlace {
    Extent place;
    uint32_t row = 0;
  };
  struct RowOfValue {
    uint32_t method, value, row;
    auto operator<=>(const RowOfValue&) const = default;
  };
  struct Use {
    uint32_t row, text;
  };

  void FindRows(const DiffSide& side, const std::vector<const DiffRow*>& rows);
  void FindValuesOfConstants(const ProgramSet& set);
  void FindValuesOfKeys(const Container& program);
  void AddCalls(const Container& program);
  void AddDelegates(const DiffSide& side);
  uint32_t AddText(std::string text);
  void Add(uint32_t row, uint32_t text);
  template <class Take>
  void ForEachRowOf(std::string_view key, Take take) const;

  std::vector<RowAtPlace> places_;                           // of what has no key, in order
  std::vector<std::pair<std::string_view, uint32_t>> keys_;  // and rows, in order
  std::vector<RowOfValue> values_;                           // in order
  std::vector<SharedText> texts_;
  std::vector<Use> uses_;         // by row
  std::vector<uint64_t> counts_;  // by row
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_WEIGHT_USES_H_
