// The view --memory: what running takes beside the file.

#include "json.h"
#include "pteedit/execution.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

struct Scratch {
  std::string delegate;
  uint64_t bytes = 0;
};

// What the blobs of a method's delegates say they need while they run.
std::vector<Scratch> ScratchOf(const Inspection& inspection, const std::string& method) {
  std::vector<Scratch> list;
  for (const DelegateDescription& delegate : inspection.delegates) {
    const std::optional<uint64_t> bytes = ScratchBytes(delegate);
    if (delegate.method == method && bytes) list.push_back({delegate.name, *bytes});
  }
  return list;
}

uint64_t TotalOf(const Inspection& inspection, const MethodMemory& memory) {
  uint64_t total = inspection.set.bytes() + memory.planned_bytes;
  for (const Scratch& scratch : ScratchOf(inspection, memory.method)) total += scratch.bytes;
  return total < memory.planned_bytes ? memory.planned_bytes : total;  // absurd sizes wrap
}

std::string LifetimeText(const MethodMemory& memory, const PlannedTensor& tensor) {
  if (!memory.has_lifetimes) return "?";
  if (!tensor.first) return "never";
  return std::to_string(*tensor.first) + "-" + std::to_string(*tensor.last);
}

std::string TensorsTable(const std::vector<MethodMemory>& methods, const Style& style) {
  Table table({{"Method"},
               {"Arena", Align::kRight},
               {"Offset", Align::kRight},
               {"Size", Align::kRight},
               {"Value", Align::kRight},
               {"Instructions"}});
  for (const MethodMemory& memory : methods) {
    for (const PlannedTensor& tensor : memory.tensors) {
      table.AddRow({EscapeControl(memory.method), std::to_string(tensor.arena), std::to_string(tensor.offset),
                    tensor.bytes ? style.Size(*tensor.bytes) : "?", std::to_string(tensor.value),
                    LifetimeText(memory, tensor)});
    }
  }
  return table.In(style);
}

std::string MemoryText(const Inspection& inspection, const Style& style) {
  const std::vector<MethodMemory> methods = DescribeMemory(inspection.container);
  if (style.format != Format::kText) return TensorsTable(methods, style);
  std::string text;
  for (const MethodMemory& memory : methods) {
    text += EscapeControl(memory.method) + ": " + style.Size(memory.planned_bytes) + " planned\n";
    for (size_t i = 0; i < memory.arenas.size(); ++i) {
      text += " arena " + std::to_string(i + 1) + ": " + style.Size(memory.arenas[i]) + "\n";
    }
    for (const Scratch& scratch : ScratchOf(inspection, memory.method)) {
      text += " scratch of " + EscapeControl(scratch.delegate) + ": " + style.Size(scratch.bytes) + "\n";
    }
    const bool has_data = !inspection.set.data().empty();
    text += (has_data ? " with the files: " : " with the file: ") + style.Size(TotalOf(inspection, memory)) + "\n";
  }
  return methods.empty() ? text : text + "\n" + TensorsTable(methods, style);
}

Json PlannedTensorJson(const PlannedTensor& tensor) {
  Json object = NewRow();
  object["value"] = tensor.value;
  object["arena"] = tensor.arena;
  object["offset"] = tensor.offset;
  object["bytes"] = tensor.bytes ? Json(*tensor.bytes) : Json();
  object["first"] = tensor.first ? Json(*tensor.first) : Json();
  object["last"] = tensor.last ? Json(*tensor.last) : Json();
  return object;
}

void PrintMemory(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddObjects(DescribeMemory(inspection.container), [&](const MethodMemory& memory) {
    printer.AddMember("method", memory.method);
    printer.AddMember("planned_bytes", memory.planned_bytes);
    printer.AddMember("arenas", memory.arenas);
    printer.Name("scratch");
    printer.AddList(ScratchOf(inspection, memory.method), [](const Scratch& scratch) {
      return Json({{"delegate", scratch.delegate}, {"bytes", scratch.bytes}});
    });
    printer.AddMember("total_bytes", TotalOf(inspection, memory));
    printer.AddMember("has_lifetimes", memory.has_lifetimes);
    printer.Name("tensors");
    printer.AddList(memory.tensors, PlannedTensorJson);
  });
}

}  // namespace

extern const View kMemoryView;
const View kMemoryView = {"--memory",      "Show planned memory: arenas, and when and where each tensor is in them",
                          "Memory",        "memory",
                          kNeedsDelegates, MemoryText,
                          PrintMemory};

}  // namespace pteedit::cli
