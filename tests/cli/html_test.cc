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
  Json file = File(Json::array({Node("</script><!--<script>", 7)}));
  file["note"] = "@SCRIPT@ @REPORT@ </SCRIPT> & \u2028";
  const std::string page = HtmlPage("pteinspect", Json::array({file}));
  EXPECT_EQ(ReportIn(page), Json::array({file}));
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
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
  Json file = RenderSizesForPage("model.pte", "program", sizes);
  for (int i = 0; i < 10'003; ++i) file["tensors"].push_back(i);
  const Json report = ReportIn(HtmlPage("pteinspect", Json::array({file})))[0];
  const Json& shown = report["sizes"]["components"];
  ASSERT_EQ(shown.size(), 10'000U);
  EXPECT_EQ(shown[0]["name"], "c10002");
  EXPECT_EQ(shown[0]["refers_to"].size(), 10'000U);
  EXPECT_EQ(shown[0]["refers_to_left_out"], 3);
  EXPECT_EQ(shown.back()["name"], "(4 more)");
  EXPECT_EQ(shown.back()["size"], 8);
  EXPECT_EQ(report["tensors"].size(), 10'000U);
  EXPECT_EQ(report["tensors_left_out"], 3);
}

TEST(HtmlPage, IsTheSameOfMembersThatAreWritten) {
  Json many = Json::array();
  for (int i = 0; i < 10'003; ++i) many.push_back({{"name", "<" + std::to_string(i)}});
  Json plain = File(Json::array({Node("a", 1)})), written = plain;
  for (const auto& [name, member] : {std::pair<std::string, Json>("tensors", many),
                                     {"delegates", Json{{"name", "d"}, {"operators", many}}},
                                     {"metadata", Json::array({1, "\"<"})},
                                     {"hash", "text"}}) {
    plain[name] = member;
    written[name] = ForPage(member);
  }
  EXPECT_EQ(HtmlPage("pteinspect", Json::array({written})), HtmlPage("pteinspect", Json::array({plain})));
}

TEST(HtmlPage, LeavesSmallReportsAsTheyAre) {
  const Json list = Json::array({File(Json::array({Node("a", 1)})), {{"file", nullptr}, {"same", {{"same", true}}}}});
  EXPECT_EQ(ReportIn(HtmlPage("pteinspect", list)), list);
}

}  // namespace
}  // namespace pteedit::cli::html_test
