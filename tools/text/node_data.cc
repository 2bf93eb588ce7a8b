#include "text/node_data.h"

#include "pteedit/text.h"

namespace pteedit::cli {

void NodeDataPrinter::BeginGraph(const std::string& name) {
  const auto [printed, is_new] = graphs_.insert(ReplaceControl(name));
  is_new_ = is_new;
  if (!is_new_) return;
  printer_.Name(*printed);
  printer_.BeginObject();
  printer_.Name("results");
  printer_.BeginObject();
}

void NodeDataPrinter::EndGraph() {
  nodes_.clear();
  if (!is_new_) return;
  printer_.EndObject();
  printer_.EndObject();
}

void NodeDataPrinter::Add(const std::string& node, const Json& value) {
  if (!is_new_) return;
  const auto [printed, is_new] = nodes_.insert(ReplaceControl(node));
  if (is_new) printer_.AddMember(*printed, {{"value", value}});
}

void NodeDataPrinter::Finish() {
  printer_.EndObject();
  printer_.Finish();
}

}  // namespace pteedit::cli
