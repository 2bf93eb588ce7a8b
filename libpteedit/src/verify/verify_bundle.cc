#include "verify/verify_bundle.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

using TestValues = flatbuffers::Vector<flatbuffers::Offset<schema::bundle::Value>>;

void CheckTestTensors(const TestValues* values, const std::string& where, Findings& found) {
  for (const schema::bundle::Value* value : OrEmpty(values)) {
    const schema::bundle::Tensor* tensor = value->val_as_Tensor();
    if (tensor == nullptr) continue;
    const auto needs =
        ByteSize(LayoutFrom(static_cast<int8_t>(tensor->scalar_type()), tensor->sizes(), tensor->dim_order()));
    const uint64_t bytes = tensor->data() == nullptr ? 0 : tensor->data()->size();
    if (!needs || bytes >= *needs) continue;
    found.AddError("bundle-tensor", where, Text("has a tensor of ", *needs, " bytes, of which ", bytes, " are there"));
  }
}

}  // namespace

std::vector<Finding> VerifyBundle(const Container& bundle) {
  std::set<std::string_view> methods;
  for (const schema::ExecutionPlan* plan : OrEmpty(bundle.program()->state().program_root().execution_plan())) {
    methods.insert(ViewOf(plan->name()));
  }
  Findings found;
  for (const schema::bundle::BundledMethodTestSuite* suite :
       OrEmpty(bundle.state().bundle_root().method_test_suites())) {
    const std::string_view name = ViewOf(suite->method_name());
    if (methods.count(name) == 0) {
      found.AddWarning("bundle-method", "", Text("has tests for method ", Quoted(name), ", which does not exist"));
    }
    size_t index = 0;
    for (const schema::bundle::BundledMethodTestCase* one : OrEmpty(suite->test_cases())) {
      const std::string where = Text("test ", index++, " of method ", Quoted(name));
      CheckTestTensors(one->inputs(), where, found);
      CheckTestTensors(one->expected_outputs(), where, found);
    }
  }
  return std::move(found).Take();
}

}  // namespace pteedit
