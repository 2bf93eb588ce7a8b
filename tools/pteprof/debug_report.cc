#include "debug_report.h"

#include <cmath>

#include "pteedit/container.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/python_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

using Kind = DebugValue::Kind;

constexpr size_t kMaxNamedEvents = 3;  // in a warning

Json StatisticsJson(const TensorStatistics& statistics) {
  const auto number = [](const std::optional<double>& real) { return real ? RealJson(*real) : Json(); };
  return {{"min", number(statistics.min)},
          {"max", number(statistics.max)},
          {"mean", number(statistics.mean)},
          {"nans", statistics.nans},
          {"infinities", statistics.infinities}};
}

Json ElementsJson(const TensorElements& elements, bool are_truths) {
  if (are_truths) return ListOf(elements.numbers, [](int64_t number) { return Json(number != 0); });
  return elements.reals.empty() ? Json(elements.numbers) : ListOf(elements.reals, RealJson);
}

Result<Json> TensorJson(const TensorValue& tensor) {
  PTEEDIT_ASSIGN(const TensorStatistics statistics, StatisticsOf(tensor));
  PTEEDIT_ASSIGN(const std::string hash, ContentHashOf(tensor));
  const std::string dtype = ScalarTypeName(tensor.scalar_type);
  Json object{{"dtype", dtype}, {"shape", tensor.sizes}, {"sha256", hash}};
  object["values"] = nullptr;
  object["statistics"] = StatisticsJson(statistics);
  if (statistics.elements > kMaxShownElements) return object;
  PTEEDIT_ASSIGN(const TensorElements elements, ReadElements(tensor, kMaxShownElements));
  if (elements.numbers.size() + elements.reals.size() != statistics.elements) return object;  // of an unreadable type
  object["values"] = ElementsJson(elements, dtype == "bool");
  return object;
}

// "float32[2,16]".
std::string TypeText(const TensorValue& tensor) {
  return ScalarTypeName(tensor.scalar_type) + "[" + NumbersText(tensor.sizes) + "]";
}

class ValueTable {
 public:
  // Beginnings of rows: block, event, instruction.
  Status Add(const std::vector<std::string>& place, const std::vector<DebugValue>& values,
             const std::string& list = "") {
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string index = list + std::to_string(i);
      const Status added =
          values[i].kind == Kind::kList ? Add(place, values[i].items, index + ".") : AddOne(place, index, values[i]);
      if (!added) return added.error();
    }
    return {};
  }

  std::string Text() const { return rows_ == 0 ? "nothing was logged\n" : table_.In({Format::kText}); }

 private:
  Status AddOne(std::vector<std::string> row, const std::string& index, const DebugValue& value) {
    ++rows_;
    row.push_back(index);
    if (value.kind == Kind::kTensor) {
      PTEEDIT_ASSIGN(const TensorStatistics statistics, StatisticsOf(value.tensor));
      row.push_back(TypeText(value.tensor));
      for (const std::optional<double>& number : {statistics.min, statistics.mean, statistics.max})
        row.push_back(number ? PythonGeneral(*number) : "");
      row.push_back(std::to_string(statistics.nans));
      row.push_back(std::to_string(statistics.infinities));
    } else {
      AddScalar(row, value);
    }
    table_.AddRow(row);
    return {};
  }

  static void AddScalar(std::vector<std::string>& row, const DebugValue& value) {
    const std::string number = std::to_string(value.number);
    switch (value.kind) {
      case Kind::kInt:
        row.insert(row.end(), {"int", number, number, number, "", ""});
        return;
      case Kind::kBool:
        row.insert(row.end(), {"bool", number, number, number, "", ""});
        return;
      case Kind::kDouble: {
        const std::string real = PythonGeneral(value.real);
        row.insert(row.end(), {"float", real, real, real, "", ""});
        return;
      }
      default:
        row.insert(row.end(), {value.kind == Kind::kText ? "text" : "none", "", "", "", "", ""});
    }
  }

  Table table_{{{"Block"},
                {"Event"},
                {"Instruction", Align::kRight},
                {"Value", Align::kRight},
                {"Type"},
                {"Min", Align::kRight},
                {"Mean", Align::kRight},
                {"Max", Align::kRight},
                {"NaN", Align::kRight},
                {"Inf", Align::kRight}}};
  size_t rows_ = 0;
};

std::string Runs(uint64_t others, uint64_t runs) {
  return std::to_string(others) + " of " + std::to_string(runs) + " runs";
}

std::string EventWarning(const EventBlock& block, const BlockValues& values) {
  size_t count = 0;
  std::string named;
  for (size_t i = 0; i < block.events.size(); ++i) {
    if (values.events[i].other_runs == 0 || block.events[i].kind() == EventKind::kOperatorCall ||
        count++ >= kMaxNamedEvents)
      continue;
    named += (named.empty() ? "'" : ", '") + EscapeControl(block.events[i].name) + "' (instruction " +
             std::to_string(block.events[i].instruction) + ", " + Runs(values.events[i].other_runs, block.runs) + ")";
  }
  if (count == 0) return "";
  const std::string more = count > kMaxNamedEvents ? " and " + std::to_string(count - kMaxNamedEvents) + " more" : "";
  return "block '" + EscapeControl(block.name) + "': runs logged other data than the first, which is shown, of " +
         named + more;
}

}  // namespace

std::string BlockText(const std::string& name, const std::string& method) {
  return EscapeControl(name) + (method.empty() ? "" : " (" + EscapeControl(method) + ")");
}

Json RealJson(double real) {
  if (std::isnan(real)) return "nan";
  if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
  return real;
}

Result<Json> ValueJson(const DebugValue& value) {
  switch (value.kind) {
    case Kind::kNone:
      return Json();
    case Kind::kInt:
      return Json(value.number);
    case Kind::kBool:
      return Json(value.number != 0);
    case Kind::kDouble:
      return RealJson(value.real);
    case Kind::kText:
      return Json(value.text);
    case Kind::kTensor:
      return TensorJson(value.tensor);
    case Kind::kList:
      return ValuesJson(value.items);
    case Kind::kDict:
      break;
  }
  Json object = Json::object();
  for (size_t i = 0; i < value.items.size(); ++i) {
    PTEEDIT_ASSIGN(object[value.keys[i]], ValueJson(value.items[i]));
  }
  return object;
}

Result<Json> ValuesJson(const std::vector<DebugValue>& values) {
  Json list = Json::array();
  for (const DebugValue& value : values) {
    PTEEDIT_ASSIGN(Json item, ValueJson(value));
    list.push_back(std::move(item));
  }
  return list;
}

Result<std::vector<ShownBlock>> ShownValues(const std::vector<BlockValues>& values) {
  std::vector<ShownBlock> shown;
  for (const BlockValues& block : values) {
    PTEEDIT_ASSIGN(Json outputs, ValuesJson(block.run_output));
    shown.push_back({std::move(outputs), block.other_runs, {}});
    for (const EventValues& event : block.events) {
      PTEEDIT_ASSIGN(Json data, ValuesJson(event.debug_data));
      shown.back().events.push_back({std::move(data), event.other_runs});
    }
  }
  return shown;
}

Result<std::string> ValuesText(const std::vector<EventBlock>& blocks, const std::vector<BlockValues>& values) {
  ValueTable table;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const std::vector<std::string>& methods = blocks[i].methods;
    const std::string block = BlockText(blocks[i].name, methods.size() == 1 ? methods.front() : "");
    for (size_t k = 0; k < blocks[i].events.size(); ++k) {
      const ProfiledEvent& event = blocks[i].events[k];
      if (event.kind() == EventKind::kOperatorCall) continue;
      const std::string instruction = event.chain < 0 ? "" : std::to_string(event.instruction);
      PTEEDIT_TRY(table.Add({block, EscapeControl(event.name), instruction}, values[i].events[k].debug_data));
    }
    const Status added = table.Add({block, "(output)", ""}, values[i].run_output);
    if (!added) return added.error();
  }
  return table.Text();
}

std::vector<std::string> DifferenceWarnings(const std::vector<EventBlock>& blocks,
                                            const std::vector<BlockValues>& values) {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (values[i].other_runs != 0) {
      warnings.push_back("block '" + EscapeControl(blocks[i].name) +
                         "': " + Runs(values[i].other_runs, blocks[i].runs) +
                         " have other outputs than the first, which are shown");
    }
    if (std::string warning = EventWarning(blocks[i], values[i]); !warning.empty())
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace pteedit::cli
