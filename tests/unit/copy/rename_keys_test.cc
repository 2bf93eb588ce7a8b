// Keys under other names, in the blobs of delegates that ask for them too.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "edited_files.h"
#include "file_contents.h"
#include "program_builder.h"
#include "pteedit/copy.h"
#include "pteedit/delegates.h"
#include "pteedit/verify.h"
#include "test_files.h"
#include "xnnpack_graphs.h"

namespace pteedit::rename_keys_test {
namespace {

using namespace pteedit::test;

using Renames = std::vector<std::pair<std::string, std::string>>;

CopyOptions Renaming(Renames keys) {
  CopyOptions options;
  options.rename_keys = std::move(keys);
  return options;
}

std::vector<std::string> KeysInBlobs(const Container& file) {
  std::set<std::string> keys;
  const auto delegates = DescribeDelegates(file);
  EXPECT_TRUE(delegates);
  for (const DelegateDescription& delegate : *delegates) {
    for (const DelegateDescription::Key& key : delegate.keys) keys.insert(key.key);
  }
  return {keys.begin(), keys.end()};
}

std::string HashOf(const std::string& key) { return key.substr(key.size() - 64); }

bool Mentions(const Container& file, const std::string& text) {
  const auto bytes = BytesOf(*file.source(), {0, file.source()->size()});
  return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

bool IsClean(const Container& file) {
  const auto found = VerifyOpened(file);
  return found && !HasErrors(*found);
}

// There with longer names, then back with those that were there.
void ExpectThereAndBack(const std::string& path) {
  SCOPED_TRACE(path);
  const Container file = OpenFile(DataPath(path));
  Renames there, back;
  for (const std::string& key : KeysInBlobs(file)) there.emplace_back(key, "p_weight_" + HashOf(key));
  ASSERT_FALSE(there.empty());
  for (const auto& [from, to] : there) back.emplace_back(to, from);
  const Container renamed = Copied(file, Renaming(there));
  for (const auto& [from, to] : there) EXPECT_FALSE(Mentions(renamed, std::string(1, '\0') + from)) << from;
  std::vector<std::string> wanted;
  for (const auto& [from, to] : there) wanted.push_back(to);
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(KeysInBlobs(renamed), wanted);
  EXPECT_TRUE(IsClean(renamed));
  EXPECT_TRUE(Same(Copied(renamed, Renaming(back)), file));
}

TEST(RenameKeys, BlobsFollowThereAndBack) {
  ExpectThereAndBack("names/layers_xnnpack.pte");
  ExpectThereAndBack("f08/b_xnn_v0.pte");
  ExpectThereAndBack("f08/e_multi_xnn.pte");
  ExpectThereAndBack("f12/8da4w_xnn.pte");
  ExpectThereAndBack("delegates/vk_lin.pte");
}

TEST(RenameKeys, AShorterNameTakesThePlaceOfTheOldOne) {
  const Container file = OpenFile(DataPath("delegates/vk_lin.pte"));
  const std::string key = KeysInBlobs(file).front();
  const Container renamed = Copied(file, Renaming({{key, "w"}}));
  EXPECT_FALSE(Mentions(renamed, key));
  EXPECT_TRUE(IsClean(renamed));
  EXPECT_TRUE(Same(Copied(renamed, Renaming({{"w", key}})), file));
}

TEST(RenameKeys, NamesCanChangePlaces) {
  const Container file = OpenFile(DataPath("delegates/vk_lin.pte"));
  const std::string key = KeysInBlobs(file).front();
  EXPECT_TRUE(Same(Copied(file, Renaming({{key, "one"}, {"one", "another"}, {"another", key}})), file));
  const std::vector<std::string> keys = KeysInBlobs(Copied(file, Renaming({{key, "one"}, {"one", "another"}})));
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "another"), 1);
}

TEST(RenameKeys, XnnpackKeepsTheHashSinceItPacksByKey) {
  const Container file = OpenFile(DataPath("names/layers_xnnpack.pte"));
  const std::string key = KeysInBlobs(file).front(), other = KeysInBlobs(file).back();
  EXPECT_EQ(WhyNot(file, Renaming({{key, "weight"}})),
            "key 'weight' could stand for other contents in other programs, and XNNPACK keeps what it packed by key, "
            "for all of a process; a key that ends in the hash can be taken, such as 'p_NAME_" +
                HashOf(key) + "'");
  EXPECT_EQ(WhyNot(file, Renaming({{key, "p_weight_" + HashOf(other)}})),
            "key 'p_weight_" + HashOf(other) + "' would promise another content than key '" + key + "' has");
  EXPECT_EQ(WhyNot(file, Renaming({{key, other}})), "has a key '" + other + "' already");
}

TEST(RenameKeys, OfADataFileTheOldHashTellsTheContent) {
  const std::string hash(64, 'a');
  SmallGraph graph;
  graph.key = hash.c_str();
  graph.offset = ~uint64_t{0};
  ProgramBuilder program;
  program.Method("forward").Delegate("XnnpackBackend", graph.Blob());
  const Container file = program.Open();
  EXPECT_EQ(KeysInBlobs(Copied(file, Renaming({{hash, "p_fc_" + hash}}))), std::vector<std::string>{"p_fc_" + hash});
  EXPECT_EQ(WhyNot(file, Renaming({{hash, std::string(64, 'b')}})),
            "key '" + std::string(64, 'b') + "' would promise another content than key '" + hash + "' has");
}

TEST(RenameKeys, WhatNobodyReadsPromisesItsBytes) {
  ProgramBuilder program;
  program.Method("forward").NamedData("fact", Pattern(16, 1));
  const std::string hash(64, 'a');
  EXPECT_EQ(WhyNot(program.Open(), Renaming({{"fact", hash}})),
            "key '" + hash + "' would promise another content than key 'fact' has");
}

}  // namespace
}  // namespace pteedit::rename_keys_test
