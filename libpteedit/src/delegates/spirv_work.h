// What TOSA instructions of a SPIR-V graph compute and move; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_SPIRV_WORK_H_
#define PTEEDIT_SRC_DELEGATES_SPIRV_WORK_H_

#include <cstdint>
#include <map>
#include <span>

#include "delegates/work_rules.h"

namespace pteedit {

// Gets the instructions of a module in their order, each with its first word; views are kept into the module.
class SpirVWork {
 public:
  using Words = std::span<const uint32_t>;

  // Remembers what it declares: a type, a constant, or a tensor of a graph.
  void Learn(Words instruction);

  // Of an OpExtInst, `number` as in a TOSA graph.
  OperatorWork Of(Words instruction, uint32_t number) const;

 private:
  WorkValue TensorOf(Words type) const;
  const WorkValue& ValueOf(uint32_t id) const;

  std::map<uint32_t, uint32_t> bits_;      // of numbers, by type
  std::map<uint32_t, WorkValue> tensors_;  // by type
  std::map<uint32_t, uint32_t> numbers_;   // by id
  std::map<uint32_t, Words> composites_;   // by id, what they are made of; one number stands for all
  std::map<uint32_t, uint32_t> types_;     // of tensors, by id
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_SPIRV_WORK_H_
