#include "costs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

constexpr const char* kAll = "(all)";
constexpr const char* kNoModule = "(several modules or none)";

// What a narrow terminal does without, these first, before texts are cut to fewer letters than can be read.
constexpr const char* kLeftOut[] = {"p90", "Calls", "Backend", "Mean"};
constexpr size_t kReadable = 20, kGap = 2;

std::string BytesText(const std::optional<uint64_t>& bytes, const Style& style) {
  return bytes ? style.Size(*bytes) : "";
}

// A table of all blocks, or for people one of each block under a line about it. Times come first.
class CostTable {
 public:
  // `own` come behind the times.
  CostTable(const CostView& view, std::vector<Column> own) : view_(view) {
    const auto right = [&](const std::string& title) { columns_.push_back({title, Align::kRight}); };
    if (!IsText()) columns_.push_back({"Block"});
    right(std::string("Time (") + NameOf(view.scale) + ")");
    right("Share");
    right("Mean");
    if (!IsText()) right("p10");
    right("p90");
    if (!IsText()) right("p99");
    right("Calls");
    for (Column& column : own) columns_.push_back(std::move(column));
    right("Bytes");
    all_ = Table(columns_);
  }

  void StartBlock(const BlockCosts& block) { blocks_.push_back({&block, IsText() ? Table(columns_) : Table({})}); }

  // What is beyond --top is counted.
  bool HasRoom(size_t rows) {
    if (!view_.top || rows < *view_.top) return true;
    ++blocks_.back().more;
    return false;
  }

  template <class Cost>
  void AddRow(const Cost& cost, const std::vector<std::string>& own) {
    const TimeSpread& spread = cost.spread;
    Add(cost.time, cost.share, &spread, std::to_string(cost.calls), own, cost.stored_bytes);
  }

  // What no operator took, and the whole. `names` is the place of names in what is behind the times, of `own` cells.
  void AddSums(size_t own, size_t names) {
    const BlockCosts& block = *blocks_.back().costs;
    const auto add = [&](const char* name, double time, const TimeSpread* spread, std::optional<uint64_t> bytes) {
      std::vector<std::string> cells(own);
      cells[names] = name;
      Add(time, block.time > 0 ? time / block.time : 0, spread, "", std::move(cells), bytes);
    };
    if (block.overhead > 0) add(kOverhead, block.overhead, nullptr, {});
    if (block.rest > 0) add(kRest, block.rest, nullptr, {});
    add(kAll, block.time, &block.spread, block.stored_bytes);
  }

  void Print(std::ostream& out) {
    if (!IsText()) return all_.Print(view_.style, out);
    for (Block& block : blocks_) {
      out << (&block == &blocks_.front() ? "" : "\n") << HeadOf(*block.costs);
      const std::vector<size_t> kept = KeptColumns(block.rows.cells());
      std::move(block.rows).Keeping(kept).Print(view_.style, out);
      if (block.more != 0) out << "(" << block.more << " more)\n";
    }
  }

 private:
  struct Block {
    const BlockCosts* costs = nullptr;
    Table rows;
    size_t more = 0;
  };

  bool IsText() const { return view_.style.format == Format::kText; }

  void Add(double time, double share, const TimeSpread* spread, const std::string& calls, std::vector<std::string> own,
           std::optional<uint64_t> bytes) {
    std::vector<std::string> row;
    const auto spread_text = [&](double TimeSpread::*member) { return spread ? PythonGeneral(spread->*member) : ""; };
    if (!IsText()) row.push_back(BlockCostsText(*blocks_.back().costs));
    row.push_back(PythonGeneral(time));
    row.push_back(ShareText(share));
    row.push_back(spread_text(&TimeSpread::mean));
    if (!IsText()) row.push_back(spread_text(&TimeSpread::p10));
    row.push_back(spread_text(&TimeSpread::p90));
    if (!IsText()) row.push_back(spread_text(&TimeSpread::p99));
    row.push_back(calls);
    for (std::string& cell : own) row.push_back(std::move(cell));
    row.push_back(BytesText(bytes, view_.style));
    (IsText() ? blocks_.back().rows : all_).AddRow(row);
  }

  // Without those that nothing is in.
  std::vector<size_t> KeptColumns(const std::vector<CellColumn>& cells) const {
    std::vector<size_t> kept, titles;
    for (size_t i = 0; i < columns_.size(); ++i) {
      titles.push_back(columns_[i].title.size());
      if (cells[i].has_text()) kept.push_back(i);
    }
    const std::vector<size_t> widths = WidthsOf(cells, titles);
    for (const char* title : kLeftOut) {
      if (view_.style.width == 0 || LeastWidth(kept, widths) <= view_.style.width) break;
      std::erase_if(kept, [&](size_t i) { return columns_[i].title == title; });
    }
    return kept;
  }

  size_t LeastWidth(const std::vector<size_t>& kept, const std::vector<size_t>& widths) const {
    size_t width = 0;
    for (const size_t i : kept)
      width += kGap + (columns_[i].align == Align::kLeft ? std::min(widths[i], kReadable) : widths[i]);
    return width - kGap;
  }

  // "Execute of forward: medians of 5 runs; cold at the start (more than twice the median): 1, left out with --skip 1"
  std::string HeadOf(const BlockCosts& block) const {
    std::string text =
        BlockCostsText(block) + ": medians of " + std::to_string(block.runs) + (block.runs == 1 ? " run" : " runs");
    if (block.cold_runs != 0)
      text += "; cold at the start (more than twice the median): " + std::to_string(block.cold_runs) +
              ", left out with --skip " + std::to_string(block.cold_runs);
    return text + UncheckedText(block) + "\n";
  }

  // What the files beside the dump do not tell of, where they tell which method ran: "; 3 of 5 rows of delegates are in
  // no blob".
  std::string UncheckedText(const BlockCosts& block) const {
    if (block.methods.size() != 1) return "";
    const BlockChecks& checks = block.checks;
    std::string text;
    const auto add = [&](uint64_t checked, uint64_t all, const char* what) {
      if (checked < all) text += "; " + std::to_string(all - checked) + " of " + std::to_string(all) + what;
    };
    if (view_.has_program) add(checks.rows_in_blobs, checks.delegate_rows, " rows of delegates are in no blob");
    if (view_.has_record) add(checks.kernels_in_record, checks.kernels, " kernels are in no record");
    return text;
  }

  const CostView& view_;
  std::vector<Column> columns_;
  std::vector<Block> blocks_;
  Table all_{{}};  // where each block has none of its own
};

Json BytesJson(const std::optional<uint64_t>& bytes) { return bytes ? Json(*bytes) : Json(); }

Json SpreadJson(const TimeSpread& spread) {
  return {{"mean", spread.mean}, {"p10", spread.p10}, {"p90", spread.p90}, {"p99", spread.p99}};
}

Json BlockJson(const BlockCosts& block, TimeScale scale) {
  Json object;
  object["name"] = block.name;
  object["methods"] = TextsOf(block.methods);
  object["runs"] = block.runs;
  object["time_scale"] = NameOf(scale);
  object["time"] = block.time;
  object["spread"] = SpreadJson(block.spread);
  object["cold_runs"] = block.cold_runs;
  object["overhead_time"] = block.overhead;
  object["rest_time"] = block.rest;
  object["stored_bytes"] = BytesJson(block.stored_bytes);
  object["missing_keys"] = TextsOf(block.missing_keys);
  object["checked"] = {{"kernels", block.checks.kernels},
                       {"kernels_in_program", block.checks.kernels_in_program},
                       {"kernels_in_record", block.checks.kernels_in_record},
                       {"delegate_rows", block.checks.delegate_rows},
                       {"delegate_rows_in_blobs", block.checks.rows_in_blobs}};
  return object;
}

template <class Cost>
void AddTimesTo(Json& object, const Cost& row) {
  object["calls"] = row.calls;
  object["time"] = row.time;
  object["spread"] = SpreadJson(row.spread);
  object["share"] = row.share;
  object["stored_bytes"] = BytesJson(row.stored_bytes);
}

Json TypeJson(const OperatorTypeCost& row) {
  Json object;
  object["type"] = row.type;
  object["backend"] = TextOrNull(row.backend);
  object["operators"] = row.operators;
  AddTimesTo(object, row);
  return object;
}

Json ModuleJson(const OperatorTypeCost& row) {
  Json object;
  object["module"] = row.type;
  object["operators"] = row.operators;
  AddTimesTo(object, row);
  return object;
}

Json NumberOrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json RooflineJson(const Roofline& roofline) {
  return {{"gmacs_per_second", NumberOrNull(roofline.gmacs)},
          {"gbytes_per_second", NumberOrNull(roofline.gbytes)},
          {"intensity", NumberOrNull(roofline.intensity)},
          {"bound", TextOrNull(roofline.bound)},
          {"of_roof", NumberOrNull(roofline.of_roof)}};
}

void AddWorkTo(Json& object, const std::optional<OperatorWork>& work) {
  object["macs"] = work ? BytesJson(work->macs) : Json();
  object["moved_bytes"] = work ? BytesJson(work->bytes) : Json();
  if (work && work->is_upper_bound) object["is_upper_bound"] = true;
  if (work && *work->why_unknown != '\0') object["why_unknown"] = work->why_unknown;
}

Json OperatorJson(const OperatorCost& row, TimeScale scale, const std::optional<Peak>& peak) {
  Json object;
  object["name"] = row.name;
  object["type"] = row.type;
  object["backend"] = TextOrNull(row.backend);
  object["chain"] = row.chain;
  object["instruction"] = row.instruction;
  object["is_in_delegate"] = row.is_in_delegate;
  const std::optional<DelegateNodes>& nodes = row.more->nodes;
  object["nodes"] = nodes ? Json({{"first", nodes->first}, {"last", nodes->last}}) : Json();
  object["op_types"] = TextsOf(row.more->op_types);
  object["module"] = TextOrNull(row.more->module);
  object["source"] = TextOrNull(row.more->source);
  AddTimesTo(object, row);
  AddWorkTo(object, row.work);
  if (peak) object["roofline"] = RooflineJson(RooflineOf(row, scale, *peak));
  return object;
}

// "3" or, where fusion leaves it open, "3-5".
std::string NodesText(const OperatorCost& row) {
  const std::optional<DelegateNodes>& nodes = row.more->nodes;
  if (!nodes) return "";
  const std::string first = std::to_string(nodes->first);
  return nodes->first == nodes->last ? first : first + "-" + std::to_string(nodes->last);
}

using Cells = std::vector<std::string>;

constexpr const char* kTitles[] = {"GMAC/s", "GB/s", "MAC/B", "Bound", "Of roof"};
constexpr std::span<const char* const> kRooflineTitles = kTitles;

// Three digits behind the point, which is more than times are good for.
std::string RateText(const std::optional<double>& rate) {
  constexpr double kParts = 1000;
  return rate ? PythonGeneral(std::round(*rate * kParts) / kParts) : "";
}

// "?" where shapes do not tell, "<= 0.5" where those of a run may be smaller.
void AddRooflineTo(Cells& cells, const OperatorCost& cost, const CostView& view) {
  const Roofline roofline = RooflineOf(cost, view.scale, *view.peak);
  const auto rate = [&](const std::optional<double>& number) {
    if (cost.work && *cost.work->why_unknown != '\0') return std::string("?");
    return (number.value_or(0) > 0 && cost.work->is_upper_bound ? "<= " : "") + RateText(number);
  };
  cells.insert(cells.end(), {rate(roofline.gmacs), rate(roofline.gbytes), RateText(roofline.intensity), roofline.bound,
                             roofline.of_roof ? ShareText(*roofline.of_roof) : ""});
}

bool IsInDelegate(const OperatorCost& cost) { return cost.is_in_delegate; }
bool IsInDelegate(const OperatorTypeCost& /*cost*/) { return false; }

// `cells` of a row stand in `columns` behind the times, names in that of index `names`.
template <class Cost, class CellsOf>
void PrintTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::vector<Column> columns, size_t names,
                std::vector<Cost> BlockCosts::*costs, CellsOf cells, std::ostream& out) {
  const size_t own = columns.size();
  CostTable table(view, std::move(columns));
  for (const BlockCosts& block : blocks) {
    table.StartBlock(block);
    size_t rows = 0;
    for (const Cost& cost : block.*costs) {
      if (!table.HasRoom(rows)) continue;
      rows += !IsInDelegate(cost);
      table.AddRow(cost, cells(cost));
    }
    table.AddSums(own, names);
  }
  table.Print(out);
}

template <class Cost, class RowJson>
void PrintCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, const char* member,
                std::vector<Cost> BlockCosts::*costs, RowJson row, JsonPrinter& printer) {
  printer.AddObjects(blocks, [&](const BlockCosts& block) {
    printer.AddMembers(BlockJson(block, scale));
    printer.Name(member);
    printer.AddList(block.*costs, row);
  });
}

// Pages show medians, and instructions.
Json RowForPage(Json row) {
  row.erase("spread");
  row.erase("nodes");
  return row;
}

}  // namespace

std::string PlaceText(int64_t chain, int64_t instruction) {
  if (chain < 0) return "";
  return (chain == 0 ? "" : std::to_string(chain) + ":") + std::to_string(instruction);
}

std::string BlockCostsText(const BlockCosts& block) {
  std::string text = EscapeControl(block.name);
  if (!block.methods.empty())
    text += " of " + Join(block.methods, " or ", [](const std::string& name) { return EscapeControl(name); });
  return text;
}

void PrintTypeTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out) {
  PrintTable(
      blocks, view, {{"Operators", Align::kRight}, {"Type"}, {"Backend"}}, 1, &BlockCosts::types,
      [](const OperatorTypeCost& cost) {
        return Cells{std::to_string(cost.operators), EscapeControl(cost.type), EscapeControl(cost.backend)};
      },
      out);
}

void PrintModuleTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out) {
  PrintTable(
      blocks, view, {{"Operators", Align::kRight}, {"Module"}}, 1, &BlockCosts::modules,
      [](const OperatorTypeCost& cost) {
        return Cells{std::to_string(cost.operators), cost.type.empty() ? kNoModule : EscapeControl(cost.type)};
      },
      out);
}

// For people without types in the model, which are many.
void PrintOperatorTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out) {
  const bool is_text = view.style.format == Format::kText;
  std::vector<Column> columns{
      {is_text ? "At" : "Instruction", Align::kRight}, {"Node", Align::kRight}, {"Name"}, {"Backend"}};
  if (!is_text) columns.push_back({"Types in the model"});
  columns.insert(columns.end(), {{"Module"}, {"Source"}});
  for (const char* title : view.peak ? kRooflineTitles : std::span<const char* const>())
    columns.push_back({title, Align::kRight});
  PrintTable(
      blocks, view, std::move(columns), 2, &BlockCosts::operators,
      [&](const OperatorCost& cost) {
        Cells cells{PlaceText(cost.chain, cost.instruction), NodesText(cost),
                    (cost.is_in_delegate ? "- " : "") + EscapeControl(cost.name), EscapeControl(cost.backend)};
        if (!is_text) cells.push_back(EscapedList(cost.more->op_types));
        cells.insert(cells.end(), {EscapeControl(cost.more->module), EscapeControl(cost.more->source)});
        if (view.peak) AddRooflineTo(cells, cost, view);
        return cells;
      },
      out);
}

void PrintTypeCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, bool is_page, JsonPrinter& printer) {
  const auto row = [&](const OperatorTypeCost& cost) { return is_page ? RowForPage(TypeJson(cost)) : TypeJson(cost); };
  PrintCosts(blocks, scale, "types", &BlockCosts::types, row, printer);
}

void PrintModuleCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, JsonPrinter& printer) {
  PrintCosts(blocks, scale, "modules", &BlockCosts::modules, ModuleJson, printer);
}

void PrintOperatorCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, const std::optional<Peak>& peak,
                        bool is_page, JsonPrinter& printer) {
  const auto row = [&](const OperatorCost& cost) {
    Json object = OperatorJson(cost, scale, peak);
    return is_page ? RowForPage(std::move(object)) : object;
  };
  PrintCosts(blocks, scale, "operators", &BlockCosts::operators, row, printer);
}

}  // namespace pteedit::cli
