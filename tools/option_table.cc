#include "option_table.h"

#include <algorithm>

namespace pteedit::cli {
namespace {

class Declaration {
 public:
  Declaration(CLI::App& app, const OptionRow& row) : app_(app), row_(row) {}

  void operator()(std::monostate) const {}
  void operator()(const std::function<void(CLI::App&)>& declare) const { declare(app_); }
  void operator()(bool* target) const { app_.add_flag(row_.name, *target, row_.purpose); }
  void operator()(std::vector<std::string>* target) const {
    Describe(*app_.add_option(row_.name, *target, row_.purpose)->allow_extra_args(false));
  }
  void operator()(std::string* target) const {
    if (row_.otherwise.empty()) return Describe(*app_.add_option(row_.name, *target, row_.purpose));
    Describe(*app_.add_flag(row_.name + "{" + row_.otherwise + "}", *target, row_.purpose)
                  ->option_text("[=" + row_.value + "]"));
  }

 private:
  void Describe(CLI::Option& option) const {
    option.type_name(row_.value);
    if (row_.choices.empty()) return;
    option.check(CLI::IsMember(row_.choices));
    if (option.get_option_text().empty()) option.option_text(row_.value);  // else --help has all choices
  }

  CLI::App& app_;
  const OptionRow& row_;
};

// "--max-size" of "-m,--max-size".
std::string LastName(const std::string& names) { return names.substr(names.rfind(',') + 1); }

// "a, b or c".
std::string Alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string ConflictOf(const OptionRow& row, const GivenOptions& given) {
  const auto is_given = [&](const std::string& name) { return given.count(name) != 0; };
  for (const OtherOptions& needed : row.needs) {
    if (std::any_of(needed.names.begin(), needed.names.end(), is_given)) continue;
    return needed.sentence.empty() ? LastName(row.name) + " needs " + Alternatives(needed.names) : needed.sentence;
  }
  for (const OtherOptions& excluded : row.excludes) {
    const auto other = std::find_if(excluded.names.begin(), excluded.names.end(), is_given);
    if (other == excluded.names.end()) continue;
    return excluded.sentence.empty() ? LastName(row.name) + " and " + *other + " exclude each other"
                                     : excluded.sentence;
  }
  return {};
}

}  // namespace

void DeclareOptions(CLI::App& app, const std::vector<OptionGroup>& groups) {
  for (const OptionGroup& group : groups) {
    app.option_defaults()->group(group.title);
    for (const OptionRow& row : group.rows) std::visit(Declaration(app, row), row.target);
  }
}

GivenOptions FindGiven(const CLI::App& app) {
  GivenOptions given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const bool is_positional = option->get_lnames().empty() && option->get_snames().empty();
    const bool is_long = !option->get_lnames().empty();
    given.insert(is_positional ? option->get_name()
                 : is_long     ? "--" + option->get_lnames().back()
                               : "-" + option->get_snames().back());
  }
  return given;
}

std::string FindConflict(const std::vector<OptionGroup>& groups, const GivenOptions& given) {
  for (const OptionGroup& group : groups) {
    for (const OptionRow& row : group.rows) {
      if (given.count(LastName(row.name)) == 0) continue;
      if (std::string conflict = ConflictOf(row, given); !conflict.empty()) return conflict;
    }
  }
  return {};
}

}  // namespace pteedit::cli
