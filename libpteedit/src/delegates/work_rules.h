// What an operator computes and moves by the shapes of what it takes and gives, as pteedit/operator_work.h counts it.
// Kernels and operators of delegates differ in where these are found, not in what follows from them.
#ifndef PTEEDIT_SRC_DELEGATES_WORK_RULES_H_
#define PTEEDIT_SRC_DELEGATES_WORK_RULES_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pteedit/operator_work.h"

namespace pteedit {

// Why nothing is known of the work of an operator.
inline constexpr char kNoBound[] = "it takes tensors without a largest shape";
inline constexpr char kUnknownOperator[] = "its kind of operator is not known";
inline constexpr char kUntoldWork[] = "its shapes do not tell";

// Nothing where it is not known, or has more than 64 bits.
using Amount = std::optional<uint64_t>;
Amount Sum(Amount a, Amount b);
Amount Product(std::initializer_list<Amount> factors);

enum class Work {
  kAll,                      // no MACs; whole tensors
  kProduct,                  // of the matrix `argument`, whose last dimension is the inner one
  kMatrices,                 // of argument 0, of which either of the last two dimensions is the inner one, by 1
  kConvolution,              // of input and filter, whose first dimension are output channels
  kEitherConvolution,        // as that, or where `argument` is true transposed: input channels come first
  kWindowFirst,              // depthwise: a filter of height, width and channels
  kTransposedChannelsFirst,  // transposed: the first dimension of the filter are input channels
  kTransposedChannelsLast,   // transposed: the last dimension of the filter are input channels
  kAttention,       // of argument 0 to all positions of `argument`, whose last dimensions are positions x length
  kCacheAttention,  // over the cache `argument`, batch x positions x heads x length
  kRows,            // no MACs; of the tables before `argument` as many rows as that has elements
  kPart,            // no MACs; of argument 0 as many bytes as it gives
  kWritten,         // no MACs; reads and writes `argument`, into a part of another tensor
  kNothing,         // no bytes either: names the same bytes anew, looks at sizes, is done while loading
  kUntoldMacs,
};

struct WorkRule {
  Work work = Work::kAll;
  size_t argument = 0;
};

struct NamedRule {
  std::string_view name;
  WorkRule rule;
};

// Of an operator in one of these lists, each in the order of names: those with a rule of their own, and those that have
// no MACs and move whole tensors. Nothing where it is in neither.
std::optional<WorkRule> FindRule(std::span<const NamedRule> rules, std::span<const std::string_view> whole,
                                 std::string_view name);

struct WorkValue {
  std::optional<std::vector<uint64_t>> sizes;  // of a tensor, where they are known
  Amount bytes = 0;                            // of a list, of all in it, each once; 0 of what is no tensor
  std::optional<bool> flag;                    // of a boolean
  bool is_bound = false, is_unbound = false;   // a run may have less, or anything
};

// That moves, but nobody knows how much.
inline WorkValue UntoldValue() {
  WorkValue value;
  value.bytes = std::nullopt;
  return value;
}

// Equal ids are of the same value, which moves once.
struct WorkArgument {
  uint64_t id = 0;
  const WorkValue* value = nullptr;  // never null
};

Amount ElementsOf(const WorkValue& value);
// Dimensions count from the first, or where they are below zero from behind the last.
Amount SizeOf(const WorkValue& value, int dim);
// Of elements that lie close together.
Amount BytesOf(const WorkValue& value, uint64_t bits_of_element);

// Of an operator that takes and gives these, in the order of its schema; the last is what it gives.
OperatorWork MeasureOperator(WorkRule rule, std::span<const WorkArgument> args);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_WORK_RULES_H_
