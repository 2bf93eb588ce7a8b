#include "text/node_data.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pteedit::cli::node_data_test {
namespace {

TEST(NodeDataPrinter, NamesNoMemberTwice) {
  std::ostringstream out;
  NodeDataPrinter printer(out);
  for (const char* graph : {"a", "b\x01", "b\x02"}) {
    printer.BeginGraph(graph);
    for (const char* node : {"x", "y\x01", "y\x02"}) printer.Add(node, std::string(graph) + node);
    printer.EndGraph();
  }
  printer.Finish();
  const std::string text = std::move(out).str();
  const std::string replaced = "\xEF\xBF\xBD";
  Json expected;
  expected["a"]["results"]["x"]["value"] = "ax";
  expected["a"]["results"]["y" + replaced]["value"] = "ay" + replaced;
  expected["b" + replaced]["results"]["x"]["value"] = "b" + replaced + "x";
  expected["b" + replaced]["results"]["y" + replaced]["value"] = "b" + replaced + "y" + replaced;
  EXPECT_EQ(text, Printed(expected));
}

}  // namespace
}  // namespace pteedit::cli::node_data_test
