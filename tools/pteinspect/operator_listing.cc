#include "operator_listing.h"

#include "yaml.h"

namespace pteedit::cli {
namespace {

// A key of the mapping inside a top-level member, up to where its value begins: a line of its own where the key is
// simple, else the line that the value goes on.
struct NestedKey {
  std::string text;
  bool is_simple = true;

  explicit NestedKey(const std::string& key) : is_simple(IsSimpleYamlKey(key)) {
    text = is_simple ? "  " + YamlText(key, {2, 4, true}) + ":\n" : "  ? " + YamlText(key, {4, 4, false}) + "\n  : ";
  }
};

std::string KernelKeys(const OperatorRequirement& op) {
  const NestedKey key(op.name);
  const std::string indent(key.is_simple ? 2 : 4, ' ');
  std::string lines;
  for (const KernelSignature& signature : op.signatures) {
    lines += (lines.empty() && !key.is_simple ? "" : indent) + "- " +
             YamlText(KernelKey(signature), {indent.size() + 2, indent.size() + 2, false}) + "\n";
  }
  return key.text + lines;
}

std::string RootOperator(const OperatorRequirement& op, const std::string& source) {
  const NestedKey key(op.name);
  return key.text + (key.is_simple ? "    " : "") + "debug_info:\n    - " + source +
         "\n    include_all_overloads: false\n    is_root_operator: true\n    is_used_for_training: true\n";
}

std::string Member(const std::string& name, const std::string& lines) {
  return name + (lines.empty() ? ": {}\n" : ":\n" + lines);
}

}  // namespace

std::string OperatorListing(const Requirements& requirements, const std::string& file) {
  const std::string source = YamlText(file, {6, 6, false});
  std::string kernels, operators;
  for (const OperatorRequirement& op : requirements.operators) {
    if (op.calls != 0) kernels += KernelKeys(op);
    operators += RootOperator(op, source);
  }
  return "build_features: []\ncustom_classes: []\n" + Member("et_kernel_metadata", kernels) +
         "include_all_non_op_selectives: false\ninclude_all_operators: false\nkernel_metadata: {}\n" +
         Member("operators", operators);
}

}  // namespace pteedit::cli
