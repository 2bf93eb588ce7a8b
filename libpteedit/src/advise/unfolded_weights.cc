#include "advise/unfolded_weights.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "program/constants.h"
#include "program/container_state.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

// "quantized_decomposed::quantize_per_channel", "torchao::quantize_affine"; not what goes the other way.
bool Quantizes(std::string_view op) {
  const size_t colon = op.rfind(':');
  return op.substr(colon == std::string_view::npos ? 0 : colon + 1).starts_with("quantize_");
}

// The values, by method, that are quantized.
std::set<std::pair<size_t, size_t>> QuantizedValues(const schema::Program& program) {
  std::set<std::pair<size_t, size_t>> values;
  size_t method = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    for (const schema::Chain* chain : OrEmpty(plan->chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const auto* call = instruction->instr_args_as_KernelCall();
        if (call == nullptr || OrEmpty(call->args()).size() == 0) continue;
        const schema::Operator& op = *plan->operators()->Get(static_cast<uoffset_t>(call->op_index()));
        if (Quantizes(ViewOf(op.name()))) values.emplace(method, static_cast<size_t>(call->args()->Get(0)));
      }
    }
    ++method;
  }
  return values;
}

}  // namespace

UnfoldedWeights FindUnfoldedWeights(const Container& program) {
  UnfoldedWeights found;
  const std::set<std::pair<size_t, size_t>> values = QuantizedValues(program.state().program_root());
  if (values.empty()) return found;
  uint64_t largest = 0;
  for (const Constant& constant : CollectConstants(program)) {
    const bool is_quantized = std::any_of(constant.uses.begin(), constant.uses.end(), [&](const ConstantUse& use) {
      return values.count({use.method, use.value}) != 0;
    });
    if (!is_quantized || constant.store == Store::kMutable || constant.extent.size == 0) continue;
    ++found.count;
    found.bytes += constant.extent.size;
    if (constant.extent.size > largest) largest = constant.extent.size, found.largest = constant.name;
  }
  return found;
}

}  // namespace pteedit
