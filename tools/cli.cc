#include "cli.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <new>
#include <optional>
#include <string_view>

#include "freed_memory.h"
#include "progress.h"
#include "pteedit/planned_file.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "startup.h"

namespace pteedit::cli {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool TakesColor(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && !IsSet("NO_COLOR") && (terminal == nullptr || std::string(terminal) != "dumb");
}

}  // namespace

ExitCode ExitCodeFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported:
      return kExitInput;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kExists:
      return kExitUsage;
    case ErrorCode::kIo:
      return kExitIo;
  }
  return kExitInput;
}

Error NamingAlso(Error error, const std::string& other_kinds) {
  if (std::string_view(error.finding) == "identifier") error.message += "; no " + other_kinds + " either";
  return error;
}

Error HintedToUnwrap(Error error, const Container& program) {
  if (program.kind() == FileKind::kBundle && error.file == program.name())
    error.message += "; ptestrip --unwrap makes one of it";
  return error;
}

Tool::Tool(const ToolFacts& facts) : name_(facts.name), full_name_(facts.FullName()), command_line_(facts) {
  Declare({{"",
            {{"-q,--quiet", "", "No warnings, and no report where something is written", &quiet_},
             {"--color", "WHEN", "Use colors", &color_}}}});
}

int Tool::PrintUsageError(const Error& error) const {
  PrintError(error);
  std::cerr << "see '" << full_name_ << " --help'\n";
  return kExitUsage;
}

int Tool::Run(int argc, const char* const* argv, const std::function<int()>& body) {
  std::ios::sync_with_stdio(false);  // so that printing goes on where a signal interrupted it
  if (const Status reserved = ReserveStandardDescriptors(); !reserved) return PrintError(reserved.error());
  CleanUpOnSignals();
  GiveBackLargeBlocks();
  try {
    const Result<std::optional<int>> done = command_line_.Parse(argc, argv);
    if (!done) return PrintUsageError(done.error());
    if (*done) return **done;
    const int result = body();
    std::cout.flush();
    if (!std::cout) return PrintError(IoError("cannot write to standard output"));
    return result;
  } catch (const std::bad_alloc&) {
    RemoveTemporaryFiles();  // the library, which knows no exceptions, is left without clearing up
    return PrintError(IoError("out of memory"));
  }
}

int Tool::PrintError(const Error& error) const {
  EndProgressLine();
  std::cout.flush();
  std::cerr << name_ << ": " << Colored(Tint::kError, "error:", STDERR_FILENO) << " ";
  if (!error.file.empty()) std::cerr << EscapeControl(error.file) << ": ";
  std::cerr << error.message << (error.code == ErrorCode::kExists ? "; --force replaces it\n" : "\n");
  return ExitCodeFor(error.code);
}

void Tool::PrintWarning(const std::string& file, const std::string& message) const {
  if (quiet_) return;
  EndProgressLine();
  std::cout.flush();
  std::cerr << name_ << ": " << Colored(Tint::kWarning, "warning:", STDERR_FILENO) << " " << EscapeControl(file) << ": "
            << message << '\n';
}

bool Tool::Colors(int descriptor) const {
  return color_ == When::kAlways || (color_ == When::kAuto && TakesColor(descriptor));
}

std::string Tool::Colored(Tint tint, const std::string& word, int descriptor) const {
  if (!Colors(descriptor)) return word;
  return (tint == Tint::kError ? "\x1b[1;31m" : "\x1b[1;35m") + word + "\x1b[0m";  // as compilers do it
}

Status CheckStandardOutputs(const std::vector<std::string>& inputs) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    PTEEDIT_TRY(CheckDescriptor(descriptor, inputs));
  }
  return {};
}

}  // namespace pteedit::cli
