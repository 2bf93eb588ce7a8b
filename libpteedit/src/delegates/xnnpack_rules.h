// What runtimes up to 1.5 ask of each operator of an XNNPACK graph: a row an operator, read in their source and tried
// on the runtime with every combination of element types. xnnpack_operators.h holds nodes against it.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_RULES_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "delegates/xnnpack_types.h"

namespace pteedit {

// Element types that fit each other. No bias fits all.
struct XnnpackLayerTypes {
  XnnpackType input = {}, filter = {}, output = {};
  XnnpackTypes biases;
};

enum class XnnpackShape {
  kAny,
  kFullyConnected,  // filter of outputs x inputs, or turned
  kConvolution,     // filter of groups * outputs x height x width x inputs
  kDepthwise,       // filter of 1 x height x width x outputs
  kConcatenation,   // along an axis
  kTranspose,       // an order of as many dimensions as the input has
  kSlice,           // offsets and sizes in the input
  kReshape,         // as many elements as before
  kPadding,         // numbers for each dimension of the input
  kMatrixMultiply,  // the inner dimensions are the same
};

struct XnnpackRule {
  XnnpackOperator type = XnnpackOperator::NONE;
  XnnpackTypes types{};                          // one of them, the same for all values, where there are no layers
  std::span<const XnnpackLayerTypes> layers{};   // one of them
  std::span<const std::string_view> positive{};  // fields that are not 0
  uint32_t flags = 0;                            // that mean something
  bool is_bounded = false;                       // by output_min_max; others ignore it
  bool keeps_quantization = false;               // the output has scale and zero point of the input
  uint32_t rank = 0;                             // of input and output; 0: any
  uint32_t inputs = 0;                           // of a concatenation
  XnnpackShape shape = XnnpackShape::kAny;
};

// Null for an operator that is not in the table: one that we do not know, or that runtimes have dropped.
const XnnpackRule* FindXnnpackRule(XnnpackOperator type);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_RULES_H_
