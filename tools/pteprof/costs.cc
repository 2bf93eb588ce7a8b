#include "costs.h"

#include <cstdio>
#include <optional>

#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

constexpr const char* kOverhead = "(calling of kernels)";
constexpr const char* kRest = "(rest of Method::execute)";
constexpr const char* kAll = "(all)";

std::string BlockCostsText(const BlockCosts& block) {
  std::string text = EscapeControl(block.name);
  if (!block.methods.empty())
    text += " of " + Join(block.methods, " or ", [](const std::string& name) { return EscapeControl(name); });
  return text;
}

std::string ShareText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string BytesText(const std::optional<uint64_t>& bytes, const Style& style) {
  return bytes ? style.Size(*bytes) : "";
}

// The cells of each row end with these.
std::vector<Column> CostColumns(TimeScale scale) {
  return {{"Calls", Align::kRight},
          {std::string("Time (") + NameOf(scale) + ")", Align::kRight},
          {"Share", Align::kRight},
          {"Bytes", Align::kRight}};
}

void AddCells(std::vector<std::string>& row, std::vector<std::string> cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

// What no operator took, and the whole. `name_column` of `columns` holds their names.
void AddSums(Table& table, const BlockCosts& block, const Style& style, size_t columns, size_t name_column) {
  const auto add = [&](const char* name, double time, const std::string& bytes) {
    std::vector<std::string> row(columns);
    row[0] = BlockCostsText(block);
    row[name_column] = name;
    const double share = block.time > 0 ? time / block.time : 0;
    AddCells(row, {"", PythonGeneral(time), ShareText(share), bytes});
    table.AddRow(std::move(row));
  };
  if (block.overhead > 0) add(kOverhead, block.overhead, "");
  if (block.rest > 0) add(kRest, block.rest, "");
  add(kAll, block.time, BytesText(block.stored_bytes, style));
}

Json BytesJson(const std::optional<uint64_t>& bytes) { return bytes ? Json(*bytes) : Json(); }

Json BlockJson(const BlockCosts& block, TimeScale scale) {
  Json object;
  object["name"] = block.name;
  object["methods"] = TextsOf(block.methods);
  object["runs"] = block.runs;
  object["time_scale"] = NameOf(scale);
  object["time"] = block.time;
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

Json TypeJson(const OperatorTypeCost& row) {
  Json object;
  object["type"] = row.type;
  object["backend"] = TextOrNull(row.backend);
  object["operators"] = row.operators;
  object["calls"] = row.calls;
  object["time"] = row.time;
  object["share"] = row.share;
  object["stored_bytes"] = BytesJson(row.stored_bytes);
  return object;
}

Json OperatorJson(const OperatorCost& row) {
  Json object;
  object["name"] = row.name;
  object["type"] = row.type;
  object["backend"] = TextOrNull(row.backend);
  object["chain"] = row.chain;
  object["instruction"] = row.instruction;
  object["is_in_delegate"] = row.is_in_delegate;
  object["op_types"] = TextsOf(row.op_types);
  object["calls"] = row.calls;
  object["time"] = row.time;
  object["share"] = row.share;
  object["stored_bytes"] = BytesJson(row.stored_bytes);
  return object;
}

std::string PlaceText(const OperatorCost& row) {
  const std::string chain = row.chain == 0 ? "" : std::to_string(row.chain) + ":";
  return chain + std::to_string(row.instruction);
}

}  // namespace

std::string TypeCostsText(const std::vector<BlockCosts>& blocks, TimeScale scale, const Style& style) {
  std::vector<Column> columns{{"Block"}, {"Type"}, {"Backend"}, {"Operators", Align::kRight}};
  const size_t own = columns.size();
  for (Column& column : CostColumns(scale)) columns.push_back(std::move(column));
  Table table(columns);
  for (const BlockCosts& block : blocks) {
    for (const OperatorTypeCost& cost : block.types) {
      table.AddRow({BlockCostsText(block), EscapeControl(cost.type), EscapeControl(cost.backend),
                    std::to_string(cost.operators), std::to_string(cost.calls), PythonGeneral(cost.time),
                    ShareText(cost.share), BytesText(cost.stored_bytes, style)});
    }
    AddSums(table, block, style, own, 1);
  }
  return table.In(style);
}

std::string OperatorCostsText(const std::vector<BlockCosts>& blocks, TimeScale scale, const Style& style) {
  std::vector<Column> columns{{"Block"}, {"Instruction", Align::kRight}, {"Name"}, {"Backend"}, {"Types in the model"}};
  const size_t own = columns.size();
  for (Column& column : CostColumns(scale)) columns.push_back(std::move(column));
  Table table(columns);
  for (const BlockCosts& block : blocks) {
    for (const OperatorCost& cost : block.operators) {
      const std::string name = (cost.is_in_delegate ? "- " : "") + EscapeControl(cost.name);
      table.AddRow({BlockCostsText(block), PlaceText(cost), name, EscapeControl(cost.backend),
                    EscapedList(cost.op_types), std::to_string(cost.calls), PythonGeneral(cost.time),
                    ShareText(cost.share), BytesText(cost.stored_bytes, style)});
    }
    AddSums(table, block, style, own, 2);
  }
  return table.In(style);
}

Json TypeCostsJson(const std::vector<BlockCosts>& blocks, TimeScale scale) {
  return ListOf(blocks, [&](const BlockCosts& block) {
    Json object = BlockJson(block, scale);
    object["types"] = ListOf(block.types, TypeJson);
    return object;
  });
}

Json OperatorCostsJson(const std::vector<BlockCosts>& blocks, TimeScale scale) {
  return ListOf(blocks, [&](const BlockCosts& block) {
    Json object = BlockJson(block, scale);
    object["operators"] = ListOf(block.operators, OperatorJson);
    return object;
  });
}

}  // namespace pteedit::cli
