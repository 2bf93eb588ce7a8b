#include "pteedit/test_cases.h"

#include <utility>

#include "program/container_state.h"
#include "program/layout.h"

namespace pteedit {
namespace {

using BundledValues = flatbuffers::Vector<flatbuffers::Offset<schema::bundle::Value>>;

TestValue TestTensor(const schema::bundle::Tensor& tensor, const uint8_t* file_begin) {
  TestValue value;
  TensorLayout layout = LayoutFrom(static_cast<int8_t>(tensor.scalar_type()), tensor.sizes(), tensor.dim_order());
  if (CheckLayout(layout)) value.layout = std::move(layout);
  if (tensor.data() != nullptr)
    value.extent = {static_cast<uint64_t>(tensor.data()->data() - file_begin), tensor.data()->size()};
  return value;
}

std::vector<TestValue> TestValues(const BundledValues* values, const uint8_t* file_begin) {
  std::vector<TestValue> described;
  for (const schema::bundle::Value* value : OrEmpty(values)) {
    TestValue& one = described.emplace_back();
    if (const schema::bundle::Tensor* tensor = value->val_as_Tensor()) one = TestTensor(*tensor, file_begin);
    if (const schema::bundle::Int* number = value->val_as_Int()) one.number = number->int_val();
    if (const schema::bundle::Bool* number = value->val_as_Bool()) one.number = number->bool_val();
    if (const schema::bundle::Double* number = value->val_as_Double()) one.number = number->double_val();
  }
  return described;
}

}  // namespace

std::vector<TestCase> DescribeTestCases(const Container& file) {
  std::vector<TestCase> cases;
  if (file.kind() != FileKind::kBundle) return cases;
  const uint8_t* begin = file.tables().data;
  for (const schema::bundle::BundledMethodTestSuite* suite : OrEmpty(file.state().bundle_root().method_test_suites())) {
    for (const schema::bundle::BundledMethodTestCase* one : OrEmpty(suite->test_cases())) {
      cases.push_back({std::string(ViewOf(suite->method_name())), TestValues(one->inputs(), begin),
                       TestValues(one->expected_outputs(), begin)});
    }
  }
  return cases;
}

}  // namespace pteedit
