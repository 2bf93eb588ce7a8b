// The view --delegates: what is in each processed blob.
#include <algorithm>
#include <map>
#include <span>

#include "json.h"
#include "text/format.h"
#include "text/reports.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

constexpr size_t kMaxStrings = 8;

// "XNNFullyConnected x2, XNNGelu": by name.
std::string OperatorsText(const std::vector<std::string>& operators) {
  std::map<std::string, size_t> counts;
  for (const std::string& op : operators) ++counts[op];
  return Join(counts, ", ", [](const auto& count) {
    return EscapeControl(count.first) + (count.second == 1 ? "" : " x" + std::to_string(count.second));
  });
}

std::string ConstantText(const BlobConstant& constant, const Style& style) {
  const std::string name = constant.name.empty() ? "" : EscapeControl(constant.name) + ": ";
  const std::string key = constant.key.empty() ? "" : " key " + EscapeControl(constant.key);
  return name + EscapeControl(constant.dtype) + "[" + NumbersText(constant.sizes) + "] " + style.Size(constant.bytes) +
         key;
}

std::string KeyText(const DelegateDescription::Key& key, const Style& style) {
  const std::string name = key.name->empty() ? EscapeControl(key.key) : NameText(*key.name, {key.key});
  if (!key.bytes) return name + ": in no file";
  return name + ": " + style.Size(*key.bytes) + " in " + EscapeControl(*key.file);
}

std::string WhereText(const DelegateDescription& delegate) {
  const std::string place = (delegate.is_inline ? "inline blob " : "segment ") + std::to_string(delegate.index);
  const std::string shared = delegate.shared_with->empty() ? "" : ", same as " + EscapeControl(*delegate.shared_with);
  return place + " at " + HexText(delegate.blob.offset) + shared;
}

std::string DelegateText(const DelegateDescription& delegate, const Style& style) {
  const BlobContents& contents = *delegate.contents;
  std::string text = EscapeControl(delegate.name) + ": " + style.Size(delegate.blob.size) + "\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + name + ": " + value + "\n";
  };
  const auto add_list = [&](const char* name, const auto& items, auto to_text) {
    if (items.empty()) return;
    text += std::string(" ") + name + ":\n";
    for (const auto& item : items) text += "  " + to_text(item) + "\n";
  };
  add("Backend", EscapeControl(delegate.backend));
  add("Method", EscapeControl(delegate.method));
  add("Where", WhereText(delegate));
  add("Compile specs", Join(delegate.compile_specs, ", ", SpecText));
  if (!delegate.decoded) {
    add("Opaque", delegate.why_opaque->empty() ? "no decoder for this backend" : EscapeControl(*delegate.why_opaque));
  }
  for (const auto& fact : contents.facts) add(EscapeControl(fact.name).c_str(), EscapeControl(fact.value));
  add("Operators", OperatorsText(contents.operators));
  if (!delegate.shared_with->empty()) return text;
  add_list("Parts", PartsOf(delegate),
           [&](const BlobPart& part) { return EscapeControl(part.name) + ": " + style.Size(part.extent.size); });
  add_list("Constants", contents.constants,
           [&](const BlobConstant& constant) { return ConstantText(constant, style); });
  if (contents.constants.empty()) {
    add_list("Keys", delegate.keys, [&](const DelegateDescription::Key& key) { return KeyText(key, style); });
  } else {
    std::vector<DelegateDescription::Key> missing;
    for (const auto& key : delegate.keys) {
      if (!key.bytes) missing.push_back(key);
    }
    add_list("Keys", missing, [&](const DelegateDescription::Key& key) { return KeyText(key, style); });
  }
  const std::span<const std::string> strings(contents.strings);
  add("Texts in the blob (a guess)", EscapedList(strings.first(std::min(strings.size(), kMaxStrings))));
  return text;
}

void PrintDelegatesTable(const std::vector<DelegateDescription>& delegates, const Style& style, std::ostream& out) {
  Table table({{"Name"},
               {"Method"},
               {"Size", Align::kRight},
               {"Operators"},
               {"Constants", Align::kRight},
               {"Constant Bytes", Align::kRight},
               {"Keys", Align::kRight},
               {"Compile Specs"}});
  table.SetRows(delegates.size(), [&](size_t row) -> std::vector<std::string> {
    const DelegateDescription& delegate = delegates[row];
    const BlobContents& contents = *delegate.contents;
    uint64_t bytes = 0;
    for (const BlobConstant& constant : contents.constants) bytes += constant.bytes;
    return {EscapeControl(delegate.name),
            EscapeControl(delegate.method),
            style.Size(delegate.blob.size),
            delegate.decoded ? OperatorsText(contents.operators) : "opaque",
            std::to_string(contents.constants.size()),
            style.Size(bytes),
            std::to_string(delegate.keys.size()),
            Join(delegate.compile_specs, ", ", SpecText)};
  });
  table.Print(style, out);
}

void PrintDelegatesText(const Inspection& inspection, const Style& style, std::ostream& out) {
  if (style.format != Format::kText) return PrintDelegatesTable(inspection.delegates, style, out);
  for (const DelegateDescription& delegate : inspection.delegates) out << DelegateText(delegate, style);
}

void PrintDelegates(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddObjects(inspection.delegates, [&](const DelegateDescription& one) { PrintDelegate(one, printer); });
}

}  // namespace

extern const View kDelegatesView;
const View kDelegatesView = {
    "--delegates",   "Show delegates: operators, constants, keys and parts of each processed blob",
    "Delegates",     "delegates",
    kNeedsDelegates, nullptr,
    PrintDelegates,  PrintDelegatesText};

}  // namespace pteedit::cli
