// The view --metadata: methods that only tell values, such as get_max_seq_len of a language model, and named data that
// does.
#include "pteedit/metadata.h"

#include <string>
#include <variant>
#include <vector>

#include "json.h"
#include "pteedit/execution.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

struct Value {
  std::string type, text;
};

// A method or a key of named data, and what it tells.
struct Fact {
  std::string name;
  bool is_method = false;
  std::vector<Value> values;
};

std::vector<Value> ValuesOf(const MetadataEntry& entry) {
  if (!entry.value) return {{"bytes", HumanSize(entry.bytes)}};
  std::vector<Value> values;
  const auto add = [&](const char* type, const Json& value) {
    values.push_back({type, value.is_string() ? value.get<std::string>() : value.dump()});
  };
  if (const auto* text = std::get_if<std::string>(&*entry.value)) add("string", *text);
  if (const auto* number = std::get_if<int64_t>(&*entry.value)) add("int", *number);
  if (const auto* number = std::get_if<double>(&*entry.value)) add("double", *number);
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&*entry.value)) {
    for (const int64_t number : *numbers) add("int", number);
  }
  if (std::get_if<std::vector<uint8_t>>(&*entry.value) != nullptr) add("bytes", HumanSize(entry.bytes));
  return values;
}

std::vector<Fact> FactsOf(const Container& file) {
  std::vector<Fact> facts;
  for (const ConstantMethod& method : DescribeConstantMethods(file)) {
    Fact& fact = facts.emplace_back(Fact{method.method, true, {}});
    for (const ConstantMethod::Value& value : method.values) fact.values.push_back({value.type, value.text});
  }
  const Result<std::vector<MetadataEntry>> entries = ReadMetadata(file.program() != nullptr ? *file.program() : file);
  if (!entries) return facts;  // whatever else is shown says that the file cannot be read
  for (const MetadataEntry& entry : *entries)
    facts.push_back({std::string(kMetadataPrefix) + entry.key, false, ValuesOf(entry)});
  return facts;
}

std::string MetadataText(const Inspection& inspection, const Style& style) {
  Table table({{"Method or Key"}, {"Type"}, {"Value"}});
  for (const Fact& fact : FactsOf(inspection.container)) {
    for (const Value& value : fact.values)
      table.AddRow({EscapeControl(fact.name), value.type, EscapeControl(value.text)});
  }
  return table.In(style);
}

void PrintMetadata(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(FactsOf(inspection.container), [](const Fact& fact) {
    Json object;
    object[fact.is_method ? "method" : "key"] = fact.name;
    object["values"] = ListOf(fact.values, [](const Value& value) {
      return Json({{"type", value.type}, {"text", value.text}});
    });
    return object;
  });
}

}  // namespace

extern const View kMetadataView;
const View kMetadataView = {"--metadata",  "Show what tells facts: methods such as get_max_seq_len, keys metadata.*",
                            "Metadata",    "metadata",
                            kNeedsNothing, MetadataText,
                            PrintMetadata};

}  // namespace pteedit::cli
