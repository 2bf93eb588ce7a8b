// What an operator of TOSA computes and moves, in whatever it is written; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_TOSA_WORK_H_
#define PTEEDIT_SRC_DELEGATES_TOSA_WORK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "delegates/work_rules.h"
#include "formats/flat_tables.h"

namespace pteedit {

// Of an operator by its number, whose arguments are its inputs and then its outputs. Nothing where it is not known what
// it does.
std::optional<WorkRule> TosaWorkRule(uint32_t number);

// How many bits an element has, by the number of its type; 0 where nobody knows how close they lie.
uint64_t TosaBitsOf(uint32_t type);

// Measures the operators of one block of a graph.
class TosaBlockWork {
 public:
  TosaBlockWork(FlatTables& tables, FlatTables::Table block);

  OperatorWork Of(FlatTables::Table call);

 private:
  FlatTables& tables_;
  struct Named {
    uint64_t id = 0;
    WorkValue value;
  };
  std::map<std::string, Named> values_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_TOSA_WORK_H_
