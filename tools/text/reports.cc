#include "text/reports.h"

#include <cmath>
#include <optional>

#include "pteedit/dtypes.h"
#include "text/format.h"

namespace pteedit::cli {
namespace {

Json ConstantJson(const BlobConstant& constant) {
  Json object;
  object["name"] = TextOrNull(constant.name);
  object["key"] = nullptr;
  if (!constant.key.empty()) object["key"] = constant.key;
  object["dtype"] = constant.dtype;
  object["common_dtype"] = CommonDtype(constant.dtype);
  object["sizes"] = constant.sizes;
  object["bytes"] = constant.bytes;
  return object;
}

Json KeyJson(const DelegateDescription::Key& key) {
  Json object;
  object["key"] = key.key;
  if (!key.name->empty()) object["name"] = *key.name;
  object["bytes"] = key.bytes ? Json(*key.bytes) : Json();
  object["file"] = key.file ? TextOrNull(*key.file) : Json();
  return object;
}

Json CountsJson(const MatchCounts& counts) {
  return {{"same", counts.same},
          {"alike", counts.alike},
          {"changed", counts.changed},
          {"added", counts.added},
          {"removed", counts.removed}};
}

// Infinite and NaN have no number in JSON.
Json NumberOrNull(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json();
}

Json ElementsJson(const ElementChange& change) {
  Json object;
  object["unit"] = change.are_bytes ? "bytes" : "numbers";
  object["count"] = change.elements;
  object["differing"] = change.differing;
  object["largest_difference"] = NumberOrNull(change.numbers->largest);
  object["mean_difference"] = NumberOrNull(change.numbers->mean);
  object["first"] = ListOf(change.numbers->first, [](const ElementChange::Sample& sample) {
    return Json(
        {{"index", sample.index}, {"before", NumberOrNull(sample.before)}, {"after", NumberOrNull(sample.after)}});
  });
  return object;
}

// What a printer prints, as one object.
class ObjectMaker {
 public:
  void AddMember(const std::string& name, Json value) { object_[name] = std::move(value); }
  void Name(const std::string& name) { name_ = name; }
  template <class Items, class ToJson>
  void AddList(const Items& items, ToJson to_json) {
    object_[name_] = ListOf(items, to_json);
  }
  Json Take() && { return std::move(object_); }

 private:
  Json object_ = Json::object();
  std::string name_;
};

template <class Printer>
void AddDelegate(const DelegateDescription& delegate, Printer& printer) {
  const BlobContents& contents = *delegate.contents;
  printer.AddMember("name", delegate.name);
  printer.AddMember("backend", delegate.backend);
  printer.AddMember("method", delegate.method);
  printer.AddMember("size", delegate.blob.size);
  printer.AddMember("segment", delegate.is_inline ? Json() : Json(delegate.index));
  printer.AddMember("same_as", TextOrNull(*delegate.shared_with));
  printer.AddMember("decoded", delegate.decoded);
  if (!delegate.decoded) printer.AddMember("why_opaque", TextOrNull(*delegate.why_opaque));
  printer.AddMember("operators", TextsOf(contents.operators));
  printer.Name("constants");
  printer.AddList(contents.constants, ConstantJson);
  printer.Name("keys");
  printer.AddList(delegate.keys, KeyJson);
  printer.Name("parts");
  printer.AddList(PartsOf(delegate), [](const BlobPart& part) {
    return Json({{"name", part.name}, {"size", part.extent.size}});
  });
  printer.AddMember("compile_specs", ListOf(delegate.compile_specs, CompileSpecJson));
  Json facts = Json::object();
  for (const auto& fact : contents.facts) facts[fact.name] = fact.value;
  printer.AddMember("facts", std::move(facts));
  if (!contents.strings.empty()) printer.AddMember("strings", TextsOf(contents.strings));
}

}  // namespace

Json DelegateJson(const DelegateDescription& delegate) {
  ObjectMaker maker;
  AddDelegate(delegate, maker);
  return std::move(maker).Take();
}

void PrintDelegate(const DelegateDescription& delegate, JsonPrinter& printer) { AddDelegate(delegate, printer); }

namespace {

Json ChangeJson(const SizeChange& change) {
  Json row;
  row["change"] = change.change;
  row["component"] = change.what.str();
  row["name"] = change.name;
  if (!change.module().empty()) row["module"] = change.module();
  row["old_component"] = TextOrNull(change.old_what);
  row["old_name"] = TextOrNull(*change.old_name);
  row["old_bytes"] = change.old_bytes;
  row["new_bytes"] = change.new_bytes;
  row["old_type"] = TextOrNull(change.old_type);
  row["new_type"] = TextOrNull(change.new_type);
  row["same_content"] = change.same_content;
  row["used_by"] = TextsOf(*change.used_by);
  row["uses"] = change.uses;
  row["elements"] = change.elements ? ElementsJson(*change.elements) : Json();
  return row;
}

Json ChangeJson(const MethodChange& change) {
  Json row;
  row["change"] = change.change;
  row["name"] = change.name;
  row["old_instructions"] = change.old_instructions;
  row["new_instructions"] = change.new_instructions;
  row["old_values"] = change.old_values;
  row["new_values"] = change.new_values;
  row["old_arenas"] = change.old_arenas;
  row["new_arenas"] = change.new_arenas;
  row["old_planned_bytes"] = change.old_planned_bytes;
  row["new_planned_bytes"] = change.new_planned_bytes;
  return row;
}

Json ChangeJson(const OperatorChange& change) {
  Json row;
  row["name"] = change.name;
  row["backend"] = TextOrNull(change.backend);
  row["old_calls"] = change.old_calls;
  row["new_calls"] = change.new_calls;
  return row;
}

Json ChangeJson(const MeaningChange& change) {
  Json row;
  row["what"] = change.what;
  row["name"] = TextOrNull(change.name);
  row["before"] = TextOrNull(change.before);
  row["after"] = TextOrNull(change.after);
  row["times"] = change.times;
  return row;
}

template <class Printer>
void AddDiff(const DiffNames& names, const FileDiff& diff, Printer& printer) {
  const auto data = [](const std::vector<std::string>& files) {
    return TextsOf(std::vector<std::string>(files.begin() + 1, files.end()));
  };
  printer.AddMember("old", names.old.front());
  printer.AddMember("old_data", data(names.old));
  printer.AddMember("new", names.now.front());
  printer.AddMember("new_data", data(names.now));
  printer.AddMember("old_bytes", diff.old_bytes);
  printer.AddMember("new_bytes", diff.new_bytes);
  printer.AddMember(
      "components", ListOf(diff.components, [](const ComponentChange& change) {
        return Json({{"name", change.what}, {"old_bytes", change.old_bytes}, {"new_bytes", change.new_bytes}});
      }));
  Json weights = CountsJson(diff.weights);
  weights.erase("alike");
  printer.AddMember("weights", std::move(weights));
  printer.AddMember("delegates", CountsJson(diff.delegates));
  const auto add = [&](const char* name, const auto& changes) {
    printer.Name(name);
    printer.AddList(changes, [](const auto& change) { return ChangeJson(change); });
  };
  add("sizes", diff.sizes);
  add("methods", diff.methods);
  add("operators", diff.operators);
  add("meaning", diff.meaning);
}

}  // namespace

Json DiffJson(const DiffNames& names, const FileDiff& diff) {
  ObjectMaker maker;
  AddDiff(names, diff, maker);
  return std::move(maker).Take();
}

void PrintDiff(const DiffNames& names, const FileDiff& diff, JsonPrinter& printer) { AddDiff(names, diff, printer); }

void PrintDuplicates(const std::vector<std::string>& files, const Duplicates& duplicates, JsonPrinter& printer) {
  printer.AddMember("saved_bytes", duplicates.saved_bytes);
  printer.Name("groups");
  printer.AddObjects(duplicates.groups, [&](const DuplicateGroup& group) {
    printer.AddMember("bytes", group.bytes);
    printer.AddMember("saved_bytes", group.saved_bytes);
    printer.Name("copies");
    printer.AddList(group.copies, [&](const ContentCopy& copy) {
      return Json({{"file", files[copy.file]}, {"what", copy.what}, {"name", copy.name}});
    });
  });
}

}  // namespace pteedit::cli
