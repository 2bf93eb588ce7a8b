// The view --metadata: methods that only tell values, such as get_max_seq_len of a language model.
#include "json.h"
#include "pteedit/execution.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string MetadataText(const Inspection& inspection, const Style& style) {
  Table table({{"Method"}, {"Type"}, {"Value"}});
  for (const ConstantMethod& method : DescribeConstantMethods(inspection.container)) {
    for (const ConstantMethod::Value& value : method.values)
      table.AddRow({EscapeControl(method.method), value.type, EscapeControl(value.text)});
  }
  return table.In(style);
}

Json MetadataJson(const Inspection& inspection) {
  return ListOf(DescribeConstantMethods(inspection.container), [](const ConstantMethod& method) {
    Json object;
    object["method"] = method.method;
    object["values"] = ListOf(method.values, [](const ConstantMethod::Value& value) {
      return Json({{"type", value.type}, {"text", value.text}});
    });
    return object;
  });
}

}  // namespace

extern const View kMetadataView;
const View kMetadataView = {"--metadata",  "Show methods that only tell values, such as get_max_seq_len",
                            "Metadata",    "metadata",
                            kNeedsNothing, MetadataText,
                            MetadataJson};

}  // namespace pteedit::cli
