#include "option_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pteedit::cli {
namespace {

struct Values {
  bool table = false, force = false;
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
            {.name = "--graph", .value = "GRAPH", .target = &values.graph, .otherwise = "edge"}}},
          {"Outputs",
           {{.name = "-o,--out", .value = "OUT", .target = &values.out},
            {.name = "--scale", .value = "SCALE", .target = &values.scale, .choices = {"ns", "ms"}},
            {.name = "-f,--force", .target = &values.force},
            {.name = "to standard output", .excludes = {{{"--force"}, "nothing to replace"}}}}}};
}

// Parses `words` into `values`, and tells which options were given.
GivenOptions Parse(std::vector<std::string> words, Values& values) {
  CLI::App app;
  DeclareOptions(app, TableOf(values));
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(words);
  return FindGiven(app);
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
  EXPECT_THROW(Parse({"--scale", "h"}, values), CLI::ValidationError);
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
}  // namespace pteedit::cli
