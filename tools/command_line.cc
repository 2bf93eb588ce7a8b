#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include "pteedit/near_matches.h"
#include "pteedit/text.h"
#include "pteedit/version.h"
#include "sizes_text.h"

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
  const std::string missing = ": 1 required ";  // "-e: 1 required NAME missing"
  if (colon != std::string::npos && text.compare(colon, missing.size(), missing) == 0 && text.ends_with(" missing")) {
    const size_t name = colon + missing.size();
    return "option '" + text.substr(0, colon) + "': " + text.substr(name, text.rfind(' ') - name) + " is missing";
  }
  const std::string most = ": At Most 1 required but received ";  // "--at: At Most 1 required but received 2"
  if (colon != std::string::npos && text.compare(colon, most.size(), most) == 0) {
    return "option '" + text.substr(0, colon) + "' is given " + text.substr(colon + most.size()) +
           " times, at most once expected";
  }
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

class Declaration {
 public:
  Declaration(CLI::App& app, const OptionRow& row) : app_(app), row_(row) {}

  void operator()(std::monostate) const {}
  void operator()(Flag) const { app_.add_flag(row_.name, row_.purpose); }
  void operator()(bool* target) const { app_.add_flag(row_.name, *target, row_.purpose); }
  void operator()(std::vector<std::string>* target) const {
    CLI::Option& option = *app_.add_option(row_.name, *target, row_.purpose);
    if (row_.name.front() == '-') option.allow_extra_args(false);
    Describe(option);
  }
  void operator()(Words target) const {
    const auto take = [target](const std::vector<std::string>& values) {
      for (const std::string& value : values) std::ranges::move(WordsIn(value), std::back_inserter(*target.words));
    };
    CLI::Option& option = *app_.add_option_function<std::vector<std::string>>(row_.name, take, row_.purpose);
    option.allow_extra_args(false)->type_name(row_.value)->check(EachOf(OneOf(row_.choices)));
  }
  void operator()(std::string* target) const {
    if (row_.otherwise.empty()) return Describe(*app_.add_option(row_.name, *target, row_.purpose)->check(NotEmpty()));
    Describe(*app_.add_flag(NameOrValue(), *target, row_.purpose)->option_text(ValueText()));
  }
  void operator()(std::optional<uint64_t>* target) const {
    const auto take = [name = row_.name, target](const std::string& text) {
      const Result<uint64_t> size = ParseSize(text);
      if (!size) throw CLI::ValidationError(name, size.error().message);
      *target = *size;
    };
    Describe(*app_.add_option_function<std::string>(row_.name, take, row_.purpose));
  }
  void operator()(Number target) const {
    const auto take = [target](int64_t number) { *target.value = static_cast<uint64_t>(number); };
    const auto take_text = [target](const std::string& text) { *target.value = NumberOf(text); };
    CLI::Option& option = row_.otherwise.empty()
                              ? *app_.add_option_function<std::string>(row_.name, take_text, row_.purpose)
                              : *app_.add_flag_function(NameOrValue(), take, row_.purpose)->option_text(ValueText());
    if (target.least == 0) option.check(IsNumber());
    Describe(option);
    if (target.least != 0 || target.most != Number().most) option.check(InRange(target.least, target.most));
    option.type_name(row_.value);
  }
  void operator()(When* target) const {
    const auto take = [target](const std::string& text) {
      *target = text == "always" ? When::kAlways : text == "never" ? When::kNever : When::kAuto;
    };
    app_.add_option_function<std::string>(row_.name, take, row_.purpose)
        ->check(OneOf({"auto", "always", "never"}))
        ->type_name(row_.value);
  }

 private:
  // CLI11's delimiter leaves out words that are empty, as the last of "method,".
  static std::vector<std::string> WordsIn(const std::string& value) {
    std::vector<std::string> words;
    for (size_t start = 0, comma = 0; comma != value.npos; start = comma + 1) {
      comma = value.find(',', start);
      words.push_back(value.substr(start, comma - start));
    }
    return words;
  }
  static CLI::Validator EachOf(CLI::Validator check) {
    const std::string description = check.get_description();
    return {[check = std::move(check)](std::string& value) {
              std::string wrong;
              for (std::string& word : WordsIn(value)) wrong = wrong.empty() ? check(word) : wrong;
              return wrong;
            },
            description};
  }

  // For an option that may be without a value.
  std::string NameOrValue() const { return row_.name + "{" + row_.otherwise + "}"; }
  std::string ValueText() const { return "[=" + row_.value + ChoicesText() + "]"; }
  // ":{xxh3,sha256}", as CLI11 adds it to an option that must have a value.
  std::string ChoicesText() const {
    std::string text;
    for (const std::string& choice : row_.choices) text += (text.empty() ? ":{" : ",") + choice;
    return text.empty() ? text : text + "}";
  }

  // "16" or "0x10"; nothing where it is none, or too large.
  static std::optional<uint64_t> NumberOf(std::string_view text) {
    const bool is_hex = text.starts_with("0x");
    if (is_hex) text.remove_prefix(2);
    uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
    if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }

  static CLI::Validator IsNumber() {
    return {[](std::string& value) {
              return NumberOf(value) ? std::string() : "'" + EscapeControl(value) + "' is no number below 2^64";
            },
            ""};
  }

  // An empty one, as of a variable that is not set, would count as an option that was not given: a gate would pass.
  static CLI::Validator NotEmpty() {
    return {[](std::string& value) { return std::string(value.empty() ? "the value is empty" : ""); }, ""};
  }

  // A number as it is, anything else as a name.
  static std::string Shown(const std::string& value) {
    const bool is_number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? value : "'" + value + "'";
  }
  // CLI11's checks and what they add to --help, with words of ours.
  static CLI::Validator Saying(CLI::Validator check, const std::string& words) {
    const std::string description = check.get_description();
    return {[check = std::move(check), words](std::string& value) {
              return check(value).empty() ? std::string() : Shown(value) + " is not " + words;
            },
            description};
  }
  static CLI::Validator InRange(uint64_t least, uint64_t most) {
    return Saying(CLI::Range(least, most), "in " + std::to_string(least) + " to " + std::to_string(most));
  }
  static CLI::Validator OneOf(const std::vector<std::string>& choices) {
    return Saying(CLI::IsMember(choices), Alternatives(choices));
  }

  void Describe(CLI::Option& option) const {
    option.type_name(row_.value)->required(row_.required);
    if (!row_.choices.empty()) option.check(OneOf(row_.choices));
  }

  CLI::App& app_;
  const OptionRow& row_;
};

// ", did you mean '--verify'?" where an option is called almost like the beginning of `word` up to a '='.
std::string MeantBy(const std::string& word, const CLI::App& app) {
  constexpr size_t kLeastLetters = 3;  // fewer are a part of many names
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  const std::string wanted = word.substr(0, word.find('=')).substr(std::min(word.size(), word.find_first_not_of('-')));
  if (wanted.size() < kLeastLetters) return {};
  const std::vector<std::string> near = NearMatches(names, wanted, 1);
  return near.empty() ? std::string() : ", did you mean '--" + near.front() + "'?";
}

}  // namespace

struct CommandLine::State {
  explicit State(const ToolFacts& facts) : app(facts.purpose, facts.FullName()) {}
  CLI::App app;
};

CommandLine::CommandLine(const ToolFacts& facts) : state_(std::make_unique<State>(facts)) {
  CLI::App& app = state_->app;
  app.set_help_flag(facts.help_flag, "Print this help and exit");
  app.set_version_flag("--version", facts.name + " (pteedit) " + PTEEDIT_VERSION, "Print the version and exit");
  app.footer(facts.examples);
  app.formatter(std::make_shared<HelpFormatter>());
  app.allow_windows_style_options(false);  // what begins with a slash is a file
  app.allow_extras();                      // so that the message about them is ours
}

CommandLine::~CommandLine() = default;

void CommandLine::Declare(const std::vector<OptionGroup>& groups) {
  for (const OptionGroup& group : groups) {
    if (!group.title.empty()) state_->app.option_defaults()->group(group.title);
    for (const OptionRow& row : group.rows) std::visit(Declaration(state_->app, row), row.target);
  }
}

Result<std::optional<int>> CommandLine::Parse(int argc, const char* const* argv) {
  std::string message;
  CLI::App& app = state_->app;
  RefuseFlagValues(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help or --version
    return std::optional<int>(app.exit(wish));
  } catch (const CLI::ParseError& error) {
    message = AsMessage(error.what());
  }
  // A mistyped option is the cause where other things are missing too.
  std::vector<std::string> extras = app.remaining();
  const auto mark = std::find(extras.begin(), extras.end(), "--");  // which only says that no options follow
  if (mark != extras.end()) extras.erase(mark);
  if (!extras.empty()) {
    const bool is_option = extras.front().size() > 1 && extras.front().front() == '-';
    message = (is_option ? "unknown option '" : "unexpected argument '") + EscapeControl(extras.front()) + "'";
    if (is_option) message += MeantBy(extras.front(), app);
  }
  if (message.empty()) return std::optional<int>();
  return InvalidArgument(message);
}

GivenOptions CommandLine::given() const {
  GivenOptions given;
  for (const CLI::Option* option : state_->app.get_options()) {
    if (option->count() == 0) continue;
    const bool is_positional = option->get_lnames().empty() && option->get_snames().empty();
    const bool is_long = !option->get_lnames().empty();
    given.insert(is_positional ? option->get_name()
                 : is_long     ? "--" + option->get_lnames().back()
                               : "-" + option->get_snames().back());
  }
  return given;
}

}  // namespace pteedit::cli
