#include "fleet.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseline.h"
#include "costs.h"
#include "json.h"
#include "profiled.h"
#include "pteedit/try.h"
#include "text/file_json.h"
#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

constexpr const char* kWholeRun = "(whole run)";

// Of one operator in one dump.
struct DumpTimes {
  double p10 = 0, p50 = 0, p90 = 0, mean = 0;
  uint64_t runs = 0;
};

std::optional<DumpTimes> TimesIn(const std::optional<PerfData>& perf) {
  if (!perf) return std::nullopt;
  return DumpTimes{perf->p10, perf->p50, perf->p90, perf->avg, perf->raw.size()};
}

struct FleetOperator {
  std::string name, backend;
  int64_t chain = -1, instruction = -1;
  std::vector<std::optional<DumpTimes>> dumps;  // nothing in those that lack it

  double most() const {
    double most = 0;
    for (const std::optional<DumpTimes>& one : dumps) most = std::max(most, one ? one->p50 : 0);
    return most;
  }
};

struct FleetBlock {
  std::string name;  // with its method
  std::vector<std::string> methods;
  std::string around;   // the event that `whole` is of
  FleetOperator whole;  // of a run
  std::vector<FleetOperator> operators;
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> indices;  // of these
};

class Fleet {
 public:
  Fleet(const Request& request, size_t dumps) : is_by_type_(request.by_type), dumps_(dumps) {}

  // Of dump `dump`; the first one comes first.
  void Add(size_t dump, const Profile& first, const Profile& other) {
    const std::vector<BlockChange> changes =
        is_by_type_ ? CompareTypes(other.blocks(), first.blocks()) : CompareProfiles(other.blocks(), first.blocks());
    size_t index = 0;  // blocks of the first dump stand first, in its order
    for (const BlockChange& change : changes) {
      FleetBlock& block = change.after_runs != 0 ? At(index++, change) : OfOthers(change);
      if (dump == 0) block.around = change.whole.name;
      if (block.around == change.whole.name) block.whole.dumps[dump] = TimesIn(change.whole.before);
      for (const EventChange& event : change.events) {
        if (event.before) OperatorOf(block, event).dumps[dump] = TimesIn(event.before);
      }
    }
  }

  std::vector<FleetBlock> Take() && {
    for (FleetBlock& block : blocks_) {
      block.indices.clear();
      std::stable_sort(block.operators.begin(), block.operators.end(),
                       [](const FleetOperator& a, const FleetOperator& b) { return a.most() > b.most(); });
    }
    return std::move(blocks_);
  }

 private:
  FleetBlock& At(size_t index, const BlockChange& change) {
    return index < blocks_.size() ? blocks_[index] : New(change);
  }

  // That the first dump lacks.
  FleetBlock& OfOthers(const BlockChange& change) {
    const auto [found, is_new] = others_.try_emplace(change.name, blocks_.size());
    if (!is_new) return blocks_[found->second];
    FleetBlock& block = New(change);
    block.around = change.whole.name;
    return block;
  }

  FleetBlock& New(const BlockChange& change) {
    blocks_.push_back({BlockChangeText(change), change.methods, "", {kWholeRun, "", -1, -1, Nothing()}, {}, {}});
    return blocks_.back();
  }

  FleetOperator& OperatorOf(FleetBlock& block, const EventChange& event) const {
    const std::tuple key(event.name, event.chain, event.instruction);
    const auto [found, is_new] = block.indices.try_emplace(key, block.operators.size());
    if (is_new) block.operators.push_back({event.name, event.backend, event.chain, event.instruction, Nothing()});
    return block.operators[found->second];
  }

  std::vector<std::optional<DumpTimes>> Nothing() const { return std::vector<std::optional<DumpTimes>>(dumps_); }

  const bool is_by_type_;
  const size_t dumps_;
  std::vector<FleetBlock> blocks_;
  std::map<std::string, size_t> others_;  // by name
};

std::vector<std::string> DumpsOf(const Request& request) {
  std::vector<std::string> dumps = {request.dump};
  dumps.insert(dumps.end(), request.more_dumps.begin(), request.more_dumps.end());
  return dumps;
}

struct FleetReport {
  std::vector<uint64_t> bytes;  // by dump
  std::vector<FleetBlock> blocks;
};

Result<FleetReport> ReadFleet(const Request& request) {
  const std::vector<std::string> dumps = DumpsOf(request);
  PTEEDIT_ASSIGN(const Profile first, ReadProfileFiles(request));
  Fleet fleet(request, dumps.size());
  FleetReport report;
  for (size_t i = 0; i < dumps.size(); ++i) {
    Request of_dump = request;
    of_dump.dump = dumps[i];
    std::optional<Profile> read;
    if (i != 0) {
      PTEEDIT_ASSIGN(read, ReadProfileFiles(of_dump));
    }
    const Profile& profile = read ? *read : first;
    report.bytes.push_back(profile.files().dump->size());
    fleet.Add(i, first, profile);
  }
  report.blocks = std::move(fleet).Take();
  return report;
}

size_t ShownOperators(const FleetBlock& block, const Request& request) {
  return static_cast<size_t>(std::min<uint64_t>(block.operators.size(), request.top.value_or(block.operators.size())));
}

class FleetTable {
 public:
  explicit FleetTable(const Request& request)
      : request_(request), dumps_(DumpsOf(request)), is_text_(request.style.format == Format::kText) {}

  std::string Text(const std::vector<FleetBlock>& blocks) const {
    if (!is_text_) {
      Table table(Columns());
      for (const FleetBlock& block : blocks) AddBlock(table, block);
      return table.In(request_.style);
    }
    std::string text;
    for (const FleetBlock& block : blocks) {
      Table table(Columns());
      AddBlock(table, block);
      text += (text.empty() ? "" : "\n") + block.name + ": medians of " + std::to_string(dumps_.size()) + " dumps\n" +
              table.In(request_.style);
      const size_t more = block.operators.size() - ShownOperators(block, request_);
      if (more != 0) text += "(" + std::to_string(more) + " more)\n";
    }
    return text;
  }

 private:
  std::vector<Column> Columns() const {
    std::vector<Column> columns;
    if (!is_text_) columns.push_back({"Block"});
    for (const std::string& title :
         {std::string("Time (") + request_.target_scale + ")", std::string("p10"), std::string("p90"),
          std::string("Mean"), std::string("Runs"), std::string(is_text_ ? "At" : "Instruction")})
      columns.push_back({title, Align::kRight});
    for (const char* title : {"Name", "Backend", "Dump"}) columns.push_back({title});
    return columns;
  }

  void AddBlock(Table& table, const FleetBlock& block) const {
    Add(table, block, block.whole);
    for (size_t i = 0; i < ShownOperators(block, request_); ++i) Add(table, block, block.operators[i]);
  }

  // For people the name stands once.
  void Add(Table& table, const FleetBlock& block, const FleetOperator& one) const {
    const std::string place = PlaceText(one.chain, one.instruction);
    for (size_t i = 0; i < dumps_.size(); ++i) {
      const std::optional<DumpTimes>& times = one.dumps[i];
      const bool is_named = i == 0 || !is_text_;
      const auto text = [&](double DumpTimes::*member) { return times ? PythonGeneral((*times).*member) : ""; };
      std::vector<std::string> row;
      if (!is_text_) row.push_back(block.name);
      for (const auto member : {&DumpTimes::p50, &DumpTimes::p10, &DumpTimes::p90, &DumpTimes::mean})
        row.push_back(text(member));
      row.push_back(times ? std::to_string(times->runs) : "");
      for (const std::string& cell : {place, EscapeControl(one.name), EscapeControl(one.backend)})
        row.push_back(is_named ? cell : "");
      row.push_back(EscapeControl(dumps_[i]));
      table.AddRow(row);
    }
  }

  const Request& request_;
  const std::vector<std::string> dumps_;
  const bool is_text_;
};

Json TimesJson(const FleetOperator& one) {
  return ListOf(one.dumps, [](const std::optional<DumpTimes>& times) {
    if (!times) return Json();
    return Json(
        {{"p10", times->p10}, {"p50", times->p50}, {"p90", times->p90}, {"mean", times->mean}, {"runs", times->runs}});
  });
}

Json FleetOperatorJson(const FleetOperator& one) {
  return {{"name", one.name},
          {"backend", TextOrNull(one.backend)},
          {"chain", one.chain},
          {"instruction", one.instruction},
          {"dumps", TimesJson(one)}};
}

Json FleetJson(const FleetReport& report, const Request& request) {
  const std::vector<std::string> dumps = DumpsOf(request);
  Json object = FileJson(request.dump, "etdump", report.bytes.front());
  object["dumps"] = Json::array();
  for (size_t i = 0; i < dumps.size(); ++i) object["dumps"].push_back({{"file", dumps[i]}, {"bytes", report.bytes[i]}});
  object["across_dumps"] = ListOf(report.blocks, [&](const FleetBlock& block) {
    Json one{{"name", block.name}, {"methods", TextsOf(block.methods)}, {"time_scale", request.target_scale}};
    one["is_by_type"] = request.by_type;
    one["whole"] = TimesJson(block.whole);
    one["operators"] = ListOf(block.operators, FleetOperatorJson);
    return one;
  });
  return object;
}

}  // namespace

int PrintFleet(const Tool& tool, const Request& request) {
  const Result<FleetReport> report = ReadFleet(request);
  if (!report) {
    if (request.json) std::cout << Printed(Json::array({RenderJsonError(request.dump, report.error())}));
    return tool.PrintError(report.error());
  }
  if (request.json) {
    std::cout << Printed(Json::array({FleetJson(*report, request)}));
  } else {
    std::cout << FleetTable(request).Text(report->blocks);
  }
  return kExitDone;
}

}  // namespace pteedit::cli
