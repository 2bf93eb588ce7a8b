// The view --advise: what makes the file big, and which command mends it.
#include <algorithm>
#include <cctype>

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

// What was read from standard input has no name that a command could take.
std::vector<std::string> CommandOf(const Advice& advice, const Inspection& inspection) {
  std::vector<std::string> command = advice.command;
  std::replace(command.begin(), command.end(), std::string("-"),
               std::string("IN.") + KindName(inspection.container.kind()));
  return command;
}

std::string AdviseText(const Inspection& inspection, const Style& style) {
  if (inspection.advice.empty() && style.format == Format::kText) return "nothing to advise\n";
  Table table({{"Saves", Align::kRight}, {"Takes", Align::kRight}, {"What"}, {"Command"}});
  for (const Advice& advice : inspection.advice) {
    const std::string command = advice.command.empty() ? "none" : Join(CommandOf(advice, inspection), " ", ShellWord);
    table.AddRow({advice.saves ? style.Size(*advice.saves) : "", style.Size(advice.takes),
                  EscapeControl(advice.message), EscapeControl(command)});
  }
  return table.In(style.format);
}

Json AdviceJson(const Advice& advice, const Inspection& inspection) {
  Json object;
  object["id"] = advice.id;
  object["message"] = advice.message;
  object["bytes"] = advice.takes;
  object["saved_bytes"] = advice.saves ? Json(*advice.saves) : Json();
  object["command"] = advice.command.empty() ? Json() : TextsOf(CommandOf(advice, inspection));
  return object;
}

Json AdviseJson(const Inspection& inspection) {
  return ListOf(inspection.advice, [&](const Advice& advice) { return AdviceJson(advice, inspection); });
}

}  // namespace

extern const View kAdviseView;
const View kAdviseView = {"--advise",   "Show what makes FILE big, and which command saves how many bytes",
                          "Advice",     "advise",
                          kNeedsAdvice, AdviseText,
                          AdviseJson};

}  // namespace pteedit::cli
