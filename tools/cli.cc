#include "cli.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "progress.h"
#include "pteedit/planned_file.h"
#include "pteedit/text.h"
#include "pteedit/version.h"
#include "sizes_text.h"
#include "startup.h"

namespace pteedit::cli {
namespace {

// CLI11's words in our grammar: it begins sentences with capitals, or with the option and a colon.
std::string AsMessage(std::string text) {
  const size_t colon = text.find(": ");
  const size_t flag_end = text.find(" was given a disallowed flag override");
  const std::string conversion = "Could not convert: ";  // "--at = here"
  const size_t equals = text.find(" = ");
  if (text.starts_with(conversion) && equals != std::string::npos) {
    const std::string option = text.substr(conversion.size(), equals - conversion.size());
    return "option '" + option + "': '" + EscapeControl(text.substr(equals + 3)) + "' is no number";
  }
  if (flag_end != std::string::npos) return "option '--" + text.substr(0, flag_end) + "' takes no value";
  if (text.starts_with('-') && colon != std::string::npos) {
    return "option '" + text.substr(0, colon) + "'" + EscapeControl(text.substr(colon));
  }
  const bool is_sentence = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_sentence) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return EscapeControl(text);
}

// A flag is there or not: --json=yes is an error. One with the name of a type may have a value.
void RefuseFlagValues(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool takes_value = option->get_items_expected_max() != 0 || !option->get_type_name().empty();
    if (!takes_value) option->disable_flag_override();
  }
}

// Leaves out what a flag means without a value, which its description says.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const size_t open = name.find('{'), close = name.find('}');
    if (open != std::string::npos && close != std::string::npos) name.erase(open, close + 1 - open);
    return name;
  }
};

CLI::Option* AddWhenOption(CLI::App& app, const std::string& name, When& when, const std::string& purpose) {
  const auto take = [&when](const std::string& text) {
    when = text == "always" ? When::kAlways : text == "never" ? When::kNever : When::kAuto;
  };
  return app.add_option_function<std::string>(name, take, purpose)
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

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
      return kExitUsage;
    case ErrorCode::kIo:
      return kExitIo;
  }
  return kExitInput;
}

Tool::Tool(const ToolFacts& facts) : name_(facts.name), app_(facts.purpose, facts.name) {
  app_.set_help_flag(facts.help_flag, "Print this help and exit");
  app_.set_version_flag("--version", facts.name + " (pteedit) " + PTEEDIT_VERSION, "Print the version and exit");
  app_.add_flag("-q,--quiet", quiet_, "No warnings, and no report where something is written");
  AddWhenOption(app_, "--color", color_, "Color what is said of errors and warnings: auto, always or never");
  app_.footer(facts.examples);
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.allow_extras();  // so that the message about them is ours
}

int Tool::PrintUsageError(const Error& error) const {
  PrintError(error);
  std::cerr << "see '" << name_ << " --help'\n";
  return kExitUsage;
}

int Tool::Run(int argc, const char* const* argv, const std::function<int()>& body) {
  if (const Status reserved = ReserveStandardDescriptors(); !reserved) return PrintError(reserved.error());
  CleanUpOnSignals();
  try {
    const Status parsed = Parse(argc, argv);
    if (!parsed) return PrintUsageError(parsed.error());
    const int result = body();
    std::cout.flush();
    if (!std::cout) return PrintError(IoError("cannot write to standard output"));
    return result;
  } catch (const CLI::Success& wish) {  // --help or --version
    return app_.exit(wish);
  } catch (const std::bad_alloc&) {
    RemoveTemporaryFiles();  // the library, which knows no exceptions, is left without clearing up
    return PrintError(IoError("out of memory"));
  }
}

Status Tool::Parse(int argc, const char* const* argv) {
  std::string message;
  RefuseFlagValues(app_);
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    message = AsMessage(error.what());
  }
  // A mistyped option is the cause where other things are missing too.
  std::vector<std::string> extras = app_.remaining();
  const auto mark = std::find(extras.begin(), extras.end(), "--");  // which only says that no options follow
  if (mark != extras.end()) extras.erase(mark);
  if (!extras.empty()) {
    const bool is_option = extras.front().size() > 1 && extras.front().front() == '-';
    message = (is_option ? "unknown option '" : "unexpected argument '") + EscapeControl(extras.front()) + "'";
  }
  if (message.empty()) return {};
  return InvalidArgument(message);
}

int Tool::PrintError(const Error& error) const {
  EndProgressLine();
  std::cout.flush();
  std::cerr << name_ << ": " << Colored(Tint::kError, "error:", STDERR_FILENO) << " ";
  if (!error.file.empty()) std::cerr << EscapeControl(error.file) << ": ";
  std::cerr << error.message << '\n';
  return ExitCodeFor(error.code);
}

void Tool::PrintWarning(const std::string& file, const std::string& message) const {
  if (quiet_) return;
  EndProgressLine();
  std::cout.flush();
  std::cerr << name_ << ": " << Colored(Tint::kWarning, "warning:", STDERR_FILENO) << " " << EscapeControl(file) << ": "
            << message << '\n';
}

std::string Tool::Colored(Tint tint, const std::string& word, int descriptor) const {
  if (color_ == When::kNever || (color_ == When::kAuto && !TakesColor(descriptor))) return word;
  return (tint == Tint::kError ? "\x1b[1;31m" : "\x1b[1;35m") + word + "\x1b[0m";  // as compilers do it
}

CLI::Option* AddSizeOption(CLI::App& app, const std::string& name, uint64_t& bytes, const std::string& purpose) {
  const auto take = [name, &bytes](const std::string& text) {
    const Result<uint64_t> size = ParseSize(text);
    if (!size) throw CLI::ValidationError(name, size.error().message);
    bytes = *size;
  };
  return app.add_option_function<std::string>(name, take, purpose)->type_name("SIZE");
}

CLI::Option* AddProgressOption(CLI::App& app, When& when) {
  return AddWhenOption(app, "--progress", when, "Show progress on stderr: auto, always or never");
}

Status CheckStandardOutputs(const std::vector<std::string>& inputs) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (Status checked = CheckDescriptor(descriptor, inputs); !checked) return checked;
  }
  return {};
}

}  // namespace pteedit::cli
