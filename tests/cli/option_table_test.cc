#include "option_table.h"

#include <gtest/gtest.h>

#include "command_line.h"

namespace pteedit::cli::option_table_test {
namespace {

struct Values {
  bool table = false, force = false;
  std::vector<std::string> kinds;
  std::optional<uint64_t> level;
  std::string out, scale = "ns", graph;
  std::vector<std::string> modules;
};

std::vector<OptionGroup> TableOf(Values& values) {
  return {{"Views",
           {{.name = "--table", .purpose = "The table", .target = &values.table, .excludes = {{{"--out", "--graph"}}}},
            {.name = "--module",
             .value = "NAME",
             .target = &values.modules,
             .needs = {{{"--table", "--graph", "--out"}}, {{"FILE"}, "--module is of one FILE"}}},
            {.name = "--graph", .value = "GRAPH", .target = &values.graph, .otherwise = "edge"},
            {.name = "--kinds",
             .value = "KIND,...",
             .target = Words{&values.kinds},
             .choices = {"a", "b"},
             .excludes = {{{"--table", "--graph"}, "--kinds takes no {}: it has all"}}},
            {.name = "--level", .value = "LEVEL", .target = Number{&values.level, 1, 19}, .otherwise = "3"},
            {.name = "--all", .target = Flag{}}}},
          {"Outputs",
           {{.name = "-o,--out", .value = "OUT", .target = &values.out},
            {.name = "--scale", .value = "SCALE", .target = &values.scale, .choices = {"ns", "ms"}},
            {.name = "-f,--force", .target = &values.force},
            {.name = "to standard output", .excludes = {{{"--force"}, "nothing to replace"}}}}}};
}

// Parses `words` into `values`; what was given, or the message.
Result<GivenOptions> TryParse(const std::vector<std::string>& words, Values& values) {
  CommandLine line({.name = "ptetool", .purpose = "", .examples = ""});
  line.Declare(TableOf(values));
  std::vector<const char*> argv{"ptetool"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto done = line.Parse(static_cast<int>(argv.size()), argv.data());
  if (!done) return done.error();
  return line.given();
}

GivenOptions Parse(const std::vector<std::string>& words, Values& values) {
  const Result<GivenOptions> given = TryParse(words, values);
  EXPECT_TRUE(given);
  return *given;
}

std::string ConflictOf(const std::vector<std::string>& words, const GivenOptions& facts = {}) {
  Values values;
  GivenOptions given = Parse(words, values);
  given.insert(facts.begin(), facts.end());
  return FindConflict(TableOf(values), given);
}

TEST(OptionTable, PutsValuesWhereTheRowsSay) {
  Values values;
  const GivenOptions given =
      Parse({"--table", "--module", "a", "--module", "b", "-o", "x", "--scale", "ms", "--graph", "-f"}, values);
  EXPECT_TRUE(values.table && values.force);
  EXPECT_EQ(values.modules, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values.out, "x");
  EXPECT_EQ(values.scale, "ms");
  EXPECT_EQ(values.graph, "edge");
  EXPECT_EQ(given, (GivenOptions{"--table", "--module", "--out", "--scale", "--graph", "--force"}));
}

TEST(OptionTable, TakesOtherValuesOnlyWhereThereAreNoChoices) {
  Values values;
  Parse({"--graph=other"}, values);
  EXPECT_EQ(values.graph, "other");
  EXPECT_EQ(TryParse({"--scale", "h"}, values).error().message, "option '--scale': 'h' is not ns or ms");
}

TEST(OptionTable, TakesListsNumbersAndFlagsWithoutATarget) {
  Values values;
  EXPECT_EQ(Parse({"--kinds", "a,b", "--level", "--all"}, values), (GivenOptions{"--kinds", "--level", "--all"}));
  EXPECT_EQ(values.kinds, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values.level, 3U);
  Parse({"--level=7"}, values);
  EXPECT_EQ(values.level, 7U);
  EXPECT_FALSE(TryParse({"--level=20"}, values));
}

TEST(OptionTable, RefusesAnEmptyValueOfOneWord) {
  Values values;
  EXPECT_EQ(TryParse({"--out", ""}, values).error().message, "option '--out': the value is empty");
  EXPECT_TRUE(TryParse({"--module", ""}, values));  // of a list it may mean something
}

TEST(OptionTable, NamesTheOtherOptionInTheSentence) {
  EXPECT_EQ(ConflictOf({"--kinds", "a", "--graph"}), "--kinds takes no --graph: it has all");
}

TEST(OptionTable, WhatGoesTogetherIsNoConflict) {
  EXPECT_EQ(ConflictOf({}), "");
  EXPECT_EQ(ConflictOf({"--table", "--module", "a"}, {"FILE"}), "");
}

TEST(OptionTable, MakesSentencesOfTheNames) {
  EXPECT_EQ(ConflictOf({"--module", "a"}), "--module needs --table, --graph or --out");
  EXPECT_EQ(ConflictOf({"--graph", "--table"}), "--table and --graph exclude each other");
}

TEST(OptionTable, EveryNeedHasToBeThere) {
  EXPECT_EQ(ConflictOf({"--graph", "--module", "a"}), "--module is of one FILE");
}

TEST(OptionTable, FactsHaveRulesToo) {
  EXPECT_EQ(ConflictOf({"-f"}, {"to standard output"}), "nothing to replace");
  EXPECT_EQ(ConflictOf({"-f"}), "");
}

}  // namespace
}  // namespace pteedit::cli::option_table_test
