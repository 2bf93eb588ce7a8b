// What a bundled program (.bpte) is tested on: inputs, and the outputs that are expected of them.
#ifndef PTEEDIT_TEST_CASES_H_
#define PTEEDIT_TEST_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/export.h"

namespace pteedit {

// A tensor, whose bytes lie in the file, a number, or nothing.
struct TestValue {
  using Number = std::variant<int64_t, bool, double>;
  std::optional<TensorLayout> layout;  // of tensors; nothing where the file's makes no sense
  Extent extent;                       // of a tensor's bytes, which may be too few: verification finds that
  std::optional<Number> number;
};

struct TestCase {
  std::string method;
  std::vector<TestValue> inputs, expected_outputs;
};

// In file order; none of what is no bundle. Reads tables and no tensors.
PTEEDIT_API std::vector<TestCase> DescribeTestCases(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_TEST_CASES_H_
