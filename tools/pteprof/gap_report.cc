#include "gap_report.h"

#include "debug_report.h"
#include "pteedit/container.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

Json TensorGapJson(const std::optional<TensorGap>& gap) {
  if (!gap) return nullptr;
  return {{"mse", RealJson(gap->mse)},
          {"l1", RealJson(gap->l1)},
          {"snr", RealJson(gap->snr)},
          {"max_difference", RealJson(gap->max_difference)}};
}

Result<Json> RowJson(const ValueGap& row) {
  const Result<Json> reference = ValueJson(row.reference), value = ValueJson(row.value);
  if (!reference) return reference.error();
  if (!value) return value.error();
  return Json{{"block", row.block},
              {"method", TextOrNull(row.method)},
              {"debug_handles", row.debug_handles},
              {"reference_events", TextsOf(row.reference_events)},
              {"events", TextsOf(row.events)},
              {"instruction_id", row.instruction},
              {"index", row.index},
              {"reference", *reference},
              {"value", *value},
              {"gap", TensorGapJson(row.gap)}};
}

Result<Json> RowsJson(const std::vector<ValueGap>& rows) {
  Json list = Json::array();
  for (const ValueGap& row : rows) {
    PTEEDIT_ASSIGN(Json object, RowJson(row));
    list.push_back(std::move(object));
  }
  return list;
}

std::string ValueTypeText(const DebugValue& value) {
  if (value.kind != DebugValue::Kind::kTensor) return value.kind == DebugValue::Kind::kDouble ? "float" : "number";
  return ScalarTypeName(value.tensor.scalar_type) + "[" + NumbersText(value.tensor.sizes) + "]";
}

// "float32[2,4]", or of both where they differ.
std::string TypesText(const ValueGap& row) {
  const std::string reference = ValueTypeText(row.reference), value = ValueTypeText(row.value);
  return reference == value ? value : reference + " / " + value;
}

void AddGap(std::vector<std::string>& cells, const std::optional<TensorGap>& gap) {
  if (!gap) {
    cells.insert(cells.end(), {"not comparable", "", "", ""});
    return;
  }
  for (const double number : {gap->mse, gap->l1, gap->snr, gap->max_difference}) cells.push_back(PythonGeneral(number));
}

void AddGapColumns(std::vector<Column>& columns) {
  for (const char* title : {"MSE", "L1", "SNR (dB)", "Max difference"}) columns.push_back({title, Align::kRight});
}

std::string OperatorsText(const std::vector<ValueGap>& rows) {
  std::vector<Column> columns{{"Block"}, {"Instruction", Align::kRight}, {"Debug handles"}, {"Reference"}, {"Events"},
                              {"Type"}};
  AddGapColumns(columns);
  Table table(std::move(columns));
  for (const ValueGap& row : rows) {
    std::vector<std::string> cells{BlockText(row.block, row.method), std::to_string(row.instruction),
                                   NumbersText(row.debug_handles),   EscapedList(row.reference_events),
                                   EscapedList(row.events),          TypesText(row)};
    AddGap(cells, row.gap);
    table.AddRow(cells);
  }
  return table.In({Format::kText});
}

std::string UnmatchedText(size_t count, const char* whose) {
  if (count == 0) return "";
  return std::to_string(count) + (count == 1 ? " operator of " : " operators of ") + whose + " without a counterpart\n";
}

}  // namespace

Result<Json> GapJson(const NumericGap& gap) {
  Result<Json> operators = RowsJson(gap.operators), outputs = RowsJson(gap.outputs);
  if (!operators) return operators.error();
  if (!outputs) return outputs.error();
  return Json{{"joined_by", gap.by_debug_handles ? "debug_handles" : "place"},
              {"operators", *std::move(operators)},
              {"outputs", *std::move(outputs)},
              {"unmatched_reference", gap.unmatched_reference},
              {"unmatched", gap.unmatched},
              {"untold", gap.untold}};
}

Json OutputGapsJson(const std::vector<ValueGap>& gaps) {
  return ListOf(gaps, [](const ValueGap& row) { return TensorGapJson(row.gap); });
}

std::string GapText(const NumericGap& gap) {
  std::string text =
      gap.by_debug_handles ? "joined by debug handles\n" : "joined by place: both have the same events\n";
  if (!gap.operators.empty()) text += "\n" + OperatorsText(gap.operators);
  text += UnmatchedText(gap.unmatched_reference, "the reference") + UnmatchedText(gap.unmatched, "the dump");
  if (gap.untold != 0)
    text += std::to_string(gap.untold) + " calls of delegates whose outputs the records do not tell apart\n";
  return gap.outputs.empty() ? text : text + "\n" + OutputGapsText(gap.outputs);
}

std::string OutputGapsText(const std::vector<ValueGap>& gaps) {
  if (gaps.empty()) return "";
  std::vector<Column> columns{{"Block"}, {"Output", Align::kRight}, {"Type"}};
  AddGapColumns(columns);
  Table table(std::move(columns));
  for (const ValueGap& row : gaps) {
    std::vector<std::string> cells{BlockText(row.block, row.method), std::to_string(row.index), TypesText(row)};
    AddGap(cells, row.gap);
    table.AddRow(cells);
  }
  return table.In({Format::kText});
}

}  // namespace pteedit::cli
