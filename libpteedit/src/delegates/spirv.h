// The few words of SPIR-V that say which TOSA operators a graph is made of, and what of Vulkan it asks for.
#ifndef PTEEDIT_SRC_DELEGATES_SPIRV_H_
#define PTEEDIT_SRC_DELEGATES_SPIRV_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pteedit/operator_work.h"
#include "pteedit/result.h"

namespace pteedit {

struct SpirVModule {
  std::vector<std::string>
      operators;                   // as TosaOperatorName, of its instructions from sets whose names begin with "TOSA."
  std::vector<OperatorWork> work;  // of each of them
  std::vector<std::string> extensions;  // "SPV_ARM_graph"
};

// In the order of the module. kUnsupported where the words are no SPIR-V, or an instruction is longer than what is
// left.
Result<SpirVModule> ReadSpirV(std::span<const uint32_t> words);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_SPIRV_H_
