#include "sarif.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "finding_rules.h"
#include "input_files.h"
#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/text.h"
#include "pteedit/version.h"
#include "text/reports.h"

namespace pteedit::cli {
namespace {

constexpr char kSchema[] = "https://json.schemastore.org/sarif-2.1.0.json";

// Of a row "| `id` | severity | what is wrong | what a runtime does |", the last of which not all tables have.
std::vector<std::string> CellsOf(const std::string& id) {
  const std::string head = "\n| `" + id + "` | ";
  const size_t start = kFindingsPage.find(head);
  if (start == std::string_view::npos) return {};
  const size_t begin = start + head.size();
  std::string_view row = kFindingsPage.substr(begin, kFindingsPage.find('\n', begin) - begin);
  std::vector<std::string> cells;
  for (size_t end = row.find(" |"); end != std::string_view::npos; end = row.find(" |")) {
    cells.emplace_back(row.substr(0, end));
    row.remove_prefix(std::min(row.size(), end + std::string_view(" | ").size()));
  }
  return cells;
}

Json Message(const std::string& text) { return {{"text", text}}; }

Json RuleOf(const std::string& id) {
  const std::vector<std::string> cells = CellsOf(id);
  Json rule{{"id", id}};
  if (cells.size() < 2) return rule;
  const std::string& what = cells[1];
  const std::string help = what + "." + (cells.size() > 2 ? " What a runtime does: " + cells[2] + "." : "");
  rule["shortDescription"] = Message(what);
  rule["help"] = {{"text", help}, {"markdown", help}};
  return rule;
}

// A reference of RFC 3986, in which every byte that means something there is written as %NN.
std::string UriOf(const std::string& path) {
  std::string uri = path.compare(0, 1, "/") == 0 ? "file://" : "";
  for (const char letter : path) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') ||
                          std::string_view("-._~/!").find(letter) != std::string_view::npos;
    uri += is_plain ? std::string(1, letter) : "%" + HexDigits({&letter, 1});
  }
  return uri;
}

// By the words that findings call them, the bytes of segments and keys.
std::map<std::string, Extent> PlacesIn(const std::string& path) {
  std::map<std::string, Extent> places;
  const Result<Container> file = OpenFile(path);
  if (!file) return places;
  const ProgramSet set(*file);
  const Container& inner = set.program();
  const uint64_t base = file->program_extent().offset;
  for (size_t i = 0; i < inner.segments().size(); ++i) places["segment " + std::to_string(i)] = inner.segments()[i];
  for (const NamedEntry& entry : inner.named_data()) places["key '" + EscapeControl(entry.key) + "'"] = entry.extent;
  for (auto& [words, extent] : places) extent.offset += base;
  return places;
}

class Log {
 public:
  Json Take(const std::map<std::string, std::vector<Finding>>& findings, const std::map<std::string, Error>& failed) {
    for (const auto& [file, list] : findings) {
      for (const Finding& finding : list) rules_.emplace(finding.id, 0);
    }
    Json rules = Json::array();
    for (auto& [id, index] : rules_) {
      index = rules.size();
      rules.push_back(RuleOf(id));
    }
    Json run{{"tool", {{"driver", {{"name", "pteinspect"}, {"version", PTEEDIT_VERSION}, {"rules", rules}}}}}};
    run["invocations"] = Json::array({InvocationOf(failed)});
    run["artifacts"] = Json::array();
    run["results"] = Json::array();
    for (const auto& [file, list] : findings) AddFile(file, list, run);
    return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  }

 private:
  static Json InvocationOf(const std::map<std::string, Error>& failed) {
    Json told = Json::array();
    for (const auto& [file, error] : failed) {
      const Json place{{"physicalLocation", {{"artifactLocation", {{"uri", UriOf(file)}}}}}};
      told.push_back({{"level", "error"}, {"message", Message(error.message)}, {"locations", Json::array({place})}});
    }
    return {{"executionSuccessful", failed.empty()}, {"toolExecutionNotifications", std::move(told)}};
  }

  void AddFile(const std::string& file, const std::vector<Finding>& list, Json& run) const {
    const Json artifact{{"uri", UriOf(file)}, {"index", run["artifacts"].size()}};
    run["artifacts"].push_back({{"location", {{"uri", UriOf(file)}}}});
    const auto places = list.empty() ? std::map<std::string, Extent>() : PlacesIn(file);
    for (const Finding& finding : list) {
      Json place{{"physicalLocation", {{"artifactLocation", artifact}}}};
      if (const auto found = places.find(finding.where); found != places.end()) {
        const Extent& bytes = found->second;
        place["physicalLocation"]["region"] = {{"byteOffset", bytes.offset}, {"byteLength", bytes.size}};
      }
      if (!finding.where.empty()) place["logicalLocations"] = Json::array({{{"fullyQualifiedName", finding.where}}});
      const std::string text = finding.where.empty() ? finding.message : finding.where + " " + finding.message;
      run["results"].push_back({{"ruleId", finding.id},
                                {"ruleIndex", rules_.at(finding.id)},
                                {"level", SeverityWord(finding.severity)},
                                {"message", Message(text)},
                                {"locations", Json::array({std::move(place)})}});
    }
  }

  std::map<std::string, size_t> rules_;  // and their places in the list
};

}  // namespace

Json SarifLog(const std::map<std::string, std::vector<Finding>>& findings, const std::map<std::string, Error>& failed) {
  return Log().Take(findings, failed);
}

}  // namespace pteedit::cli
