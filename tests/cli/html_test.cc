#include "text/html.h"

#include <gtest/gtest.h>

#include "pteedit/text.h"
#include "text/file_json.h"

namespace pteedit::cli::html_test {
namespace {

// The report that a page holds.
Json ReportIn(const std::string& page) {
  const std::string mark = "id=\"report\">";
  const size_t start = page.find(mark) + mark.size();
  return Json::parse(page.substr(start, page.find("</script>", start) - start));
}

Json File(Json components) {
  return {{"file", "model.pte"},
          {"sizes", {{"name", "Total Size"}, {"size", 1}, {"components", std::move(components)}}}};
}

Json Node(const std::string& name, uint64_t size) {
  return {{"name", name}, {"size", size}, {"components", Json::array()}};
}

TEST(HtmlPage, HoldsTheReportWhateverItsTextsAre) {
  SizeNode sizes;
  sizes.components.resize(1);
  sizes.components[0].name = "</script><!--<script>";
  const Json more = {{"note", "@SCRIPT@ @REPORT@ </SCRIPT> & \u2028"}};
  const std::string page = HtmlPage("pteinspect", {SizesForPage("<b>.pte", "program", sizes, more)});
  const Json report = ReportIn(page);
  EXPECT_EQ(report[0]["file"], "<b>.pte");
  EXPECT_EQ(report[0]["sizes"]["components"][0]["name"], "</script><!--<script>");
  EXPECT_EQ(report[0]["note"], more["note"]);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
  EXPECT_NE(page.find("<title>pteinspect: &lt;b&gt;.pte</title>"), std::string::npos);
  EXPECT_NE(page.find("<td>&lt;/script&gt;&lt;!--&lt;script&gt;</td>"), std::string::npos);
}

TEST(HtmlPage, FoldsWhatIsTooMuchForABrowser) {
  SizeNode sizes, component;
  for (int i = 0; i < 10'003; ++i) {
    component.name = "c" + std::to_string(i);
    component.size = i == 10'002 ? 50 : 2;
    sizes.components.push_back(component);
  }
  std::vector<SizeNode::Reference>& references = sizes.components.back().more.Edit().refers_to;
  for (int i = 0; i < 10'003; ++i) references.push_back({std::to_string(i)});
  Json more;
  for (int i = 0; i < 10'003; ++i) more["tensors"].push_back(i);
  more["method"] = {{"lists", Json::array({more["tensors"]})}, {"nodes", more["tensors"]}, {"last", 1}};
  const Json report = ReportIn(HtmlPage("pteinspect", {SizesForPage("model.pte", "program", sizes, more)}))[0];
  const Json& shown = report["sizes"]["components"];
  ASSERT_EQ(shown.size(), 10'000U);
  EXPECT_EQ(shown[0]["name"], "c10002");
  EXPECT_EQ(shown[0]["refers_to"].size(), 10'000U);
  EXPECT_EQ(shown[0]["refers_to_left_out"], 3);
  EXPECT_EQ(shown.back()["name"], "(4 more)");
  EXPECT_EQ(shown.back()["size"], 8);
  EXPECT_EQ(report["tensors"].size(), 10'000U);
  EXPECT_EQ(report["tensors_left_out"], 3);
  EXPECT_EQ(report["method"]["lists"][0].size(), 10'000U);
  EXPECT_EQ(report["method"]["nodes_left_out"], 3);
  EXPECT_EQ(report["method"].size(), 4U);  // nothing of "lists", where there is one
}

TEST(HtmlPage, LeavesSmallReportsAsTheyAre) {
  const Json file = File(Json::array({Node("a", 1)})), across = {{"file", nullptr}, {"same", {{"same", true}}}};
  EXPECT_EQ(ReportIn(HtmlPage("pteinspect", {ForPage(file), ForPage(across)})), Json::array({file, across}));
}

}  // namespace
}  // namespace pteedit::cli::html_test
