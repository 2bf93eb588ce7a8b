// How much operators compute and move, as far as the shapes in a program tell: the two numbers of the roofline model
// (Williams, Waterman and Patterson, 2009), which says what bounds an operator on a device, its arithmetic or its
// memory.
//
//   matrices (mm, bmm, addmm, linear)      elements of the output x length of the inner dimension
//   convolution, also depthwise            elements of the output x those of the filter for one output channel
//   transposed convolution                 elements of the input x those of the filter for one input channel
//   attention over a cache                 2 x elements of the query x positions of the cache, at most
//
// These are what torch.utils.flop_counter counts, where a multiply-accumulate is two FLOP. Quantized variants count as
// the others. All other operators of the runtime's own libraries, of XNNPACK, of TOSA (in VGF, too) and that are known
// of Vulkan, Core ML, OpenVINO and the native backend have none, however much they compute. Of those that are in none
// of them, of the few that multiply in other ways (FFT, distances, recurrent layers, einsum, gated delta rules,
// mixtures of experts, Vulkan's convolutions of packed 8-bit numbers), of those that run a graph of their own, and of
// delegates of other backends, nothing is said: blobs of MLX leave out the shapes of what its operators give each
// other, those of the others have none. What Vulkan and Core ML do once, while they load, is no work. The blob of the
// native backend has the operators of all methods.
#ifndef PTEEDIT_OPERATOR_WORK_H_
#define PTEEDIT_OPERATOR_WORK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

struct OperatorWork {
  std::optional<uint64_t> macs;  // multiply-accumulates, see above
  // Each tensor that it takes read once, each that it gives written once, scales too: the least that moves through a
  // cache which had none of it. Of tensors that it takes parts of (rows of an embedding, a slice), these.
  std::optional<uint64_t> bytes;
  bool is_upper_bound = false;   // shapes are the largest that the program takes, or positions the last of a cache
  const char* why_unknown = "";  // where one of both is nothing: "its shapes do not tell"
};

// MACs for each byte; nothing where one of both is not known, or nothing moves.
PTEEDIT_API std::optional<double> ArithmeticIntensity(const OperatorWork& work);

struct InstructionWork {
  std::string method;
  uint64_t chain = 0;
  uint64_t index = 0;  // in its chain
  OperatorWork work;   // of a delegate, the sum of its operators
  // Of a call of a delegate: those of its operators, in the order of DelegateDescription::operators; else null. Calls
  // of equal blobs share them.
  std::shared_ptr<const std::vector<OperatorWork>> operators;
};

// One for each of DescribeInstructions(set.file()), in that order; of moves, jumps and frees no MACs and no bytes.
// Fails only where a file can no longer be read.
PTEEDIT_API Result<std::vector<InstructionWork>> MeasureWork(const ProgramSet& set);

}  // namespace pteedit

#endif  // PTEEDIT_OPERATOR_WORK_H_
