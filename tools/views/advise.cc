// The view --advise: what makes the file big, and which command mends it.
#include <algorithm>
#include <cctype>
#include <string>
#include <variant>
#include <vector>

#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// As a shell takes it.
std::string ShellWord(const std::string& word) {
  const auto is_plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string("-_./+,=@%:").find(letter) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

using Command = std::vector<std::string>;

std::string OutputFor(FileKind kind) { return std::string("OUT.") + KindName(kind); }

Command StripCommand(const StripOptions& options, const std::string& file, FileKind kind) {
  const bool all = options.debug && options.unreferenced && options.dedupe && options.padding;
  Command command = {"ptestrip"};
  const auto add = [&](bool wanted, const char* option) {
    if (wanted) command.push_back(option);
  };
  add(all, "--all");
  add(!all && options.debug, "--debug");
  add(!all && options.unreferenced, "--unreferenced");
  add(!all && options.dedupe, "--dedupe");
  add(!all && options.padding, "--padding");
  add(options.overlap, "--overlap");
  add(options.repack, "--repack");
  add(options.unwrap, "--unwrap");
  command.insert(command.end(), {file, "-o", OutputFor(options.unwrap ? FileKind::kProgram : kind)});
  return command;
}

Command SplitCommand(const SplitOptions& options, const std::string& file, const ProgramSet& set) {
  Command command = {"ptesplit", file};
  for (const Container& data : set.data()) command.insert(command.end(), {"--data", data.name()});
  for (const Container& data : options.selection.match.files) command.insert(command.end(), {"--match", data.name()});
  command.insert(command.end(), {"-o", OutputFor(set.file().kind()), "-d", OutputFor(FileKind::kData)});
  return command;
}

// Empty where no tool mends it. What was read from standard input has no name that a command could take.
Command CommandOf(const Advice& advice, const Inspection& inspection) {
  const FileKind kind = inspection.container.kind();
  const std::string& name = inspection.container.name();
  const std::string file = name == "-" ? std::string("IN.") + KindName(kind) : name;
  if (const auto* strip = std::get_if<StripOptions>(&advice.remedy)) return StripCommand(*strip, file, kind);
  if (const auto* split = std::get_if<SplitOptions>(&advice.remedy)) return SplitCommand(*split, file, inspection.set);
  if (std::holds_alternative<CopyOptions>(advice.remedy)) return {"ptecopy", file, "--upgrade", "-o", OutputFor(kind)};
  return {};
}

std::string AdviseText(const Inspection& inspection, const Style& style) {
  if (inspection.advice.empty() && style.format == Format::kText) return "nothing to advise\n";
  Table table({{"Saves", Align::kRight}, {"Takes", Align::kRight}, {"What"}, {"Command"}});
  for (const Advice& advice : inspection.advice) {
    const Command command = CommandOf(advice, inspection);
    table.AddRow({advice.saves ? style.Size(*advice.saves) : "", style.Size(advice.takes),
                  EscapeControl(advice.message),
                  command.empty() ? "none" : EscapeControl(Join(command, " ", ShellWord))});
  }
  return table.In(style);
}

Json AdviceJson(const Advice& advice, const Inspection& inspection) {
  Json object;
  object["id"] = advice.id;
  object["message"] = advice.message;
  object["bytes"] = advice.takes;
  object["saved_bytes"] = advice.saves ? Json(*advice.saves) : Json();
  const Command command = CommandOf(advice, inspection);
  object["command"] = command.empty() ? Json() : TextsOf(command);
  return object;
}

void PrintAdvise(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [&](const Advice& advice) { return AdviceJson(advice, inspection); };
  printer.AddList(inspection.advice, to_json);
}

}  // namespace

extern const View kAdviseView;
const View kAdviseView = {"--advise",   "Show what makes FILE big, and which command saves how many bytes",
                          "Advice",     "advise",
                          kNeedsAdvice, AdviseText,
                          PrintAdvise};

}  // namespace pteedit::cli
