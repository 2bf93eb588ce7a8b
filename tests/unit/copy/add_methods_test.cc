#include "copy/add_methods.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "edited_files.h"
#include "program/container_state.h"
#include "program_builder.h"
#include "pteedit/copy.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"
#include "test_files.h"

namespace pteedit::add_methods_test {
namespace {

using namespace pteedit::test;

Container With(const Container& file, const Container& other, const std::string& method = {},
               const std::string& name = {}) {
  CopyOptions options;
  options.add_methods = {{other, method, name}};
  return Copied(file, options);
}

std::string WhyNotWith(const Container& file, const Container& other) {
  CopyOptions options;
  options.add_methods = {{other, {}, {}}};
  return WhyNot(file, options);
}

Container Renamed(const Container& file, const std::string& name) {
  CopyOptions options;
  options.rename_methods = {{MethodsOf(file)[0], name}};
  return Copied(file, options);
}

Container Without(const Container& file, const std::vector<std::string>& methods) {
  CopyOptions options;
  options.remove_methods = methods;
  return Copied(file, options);
}

// What the removal of the other methods leaves, too.
Container WhatIsUsed(const Container& file) {
  StripOptions options;
  options.debug = false;
  return *Container::Open(Strip(file, options)->file.AsSource(file.name()));
}

ProgramBuilder Built(const std::string& method, uint32_t seed) {
  ProgramBuilder program;
  program.Method(method).Constant(Floats({4, 8}), Pattern(128, seed)).State(Floats({4}), Pattern(16, seed + 1));
  return program;
}

TEST(AddMethods, WhatEachProgramHadIsThereAfterwards) {
  const Container both = With(Built("one", 1).Open("a.pte"), Built("two", 5).Open("b.pte"));
  EXPECT_EQ(MethodsOf(both), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(Same(Without(both, {"two"}), WhatIsUsed(Built("one", 1).Open())));
  EXPECT_TRUE(Same(Without(both, {"one"}), WhatIsUsed(Built("two", 5).Open())));
}

TEST(AddMethods, EqualContentsAreStoredOnce) {
  const Container one = Built("one", 1).Open("a.pte");
  const Container both = With(one, Built("two", 1).Open("b.pte"));
  EXPECT_EQ(both.segments().size(), one.segments().size());
  EXPECT_EQ(both.segments()[0].size, one.segments()[0].size);
  EXPECT_EQ(both.segments()[1].size, one.segments()[1].size);
  EXPECT_TRUE(Same(Without(both, {"one"}), WhatIsUsed(Built("two", 1).Open())));
}

TEST(AddMethods, OneMethodOfSeveralComesUnderAnotherName) {
  const Container family = OpenFile(DataPath("f06/portable_cm.pte"));
  const Container both = With(OpenFile(DataPath("f01_add.pte")), family, "decode", "step");
  EXPECT_EQ(MethodsOf(both), (std::vector<std::string>{"forward", "step"}));
  CopyOptions alone;
  alone.keep_methods = {"decode"};
  alone.remove_methods = {"get_vocab_size", "get_name", "get_eos", "use_kv", "scale"};
  EXPECT_TRUE(Same(Without(both, {"forward"}), Renamed(Copied(family, alone), "step")));
}

TEST(AddMethods, BlobsInTheTablesAndConstantsInThemComeAlong) {
  const Container old = OpenFile(DataPath("old/0.1_inline_delegate.pte"));
  const Container both = With(Built("one", 1).Open("a.pte"), old, MethodsOf(old)[0], "two");
  EXPECT_TRUE(Same(Without(both, {"two"}), WhatIsUsed(Built("one", 1).Open())));
  EXPECT_TRUE(Same(Without(both, {"one"}), WhatIsUsed(Renamed(old, "two"))));
}

TEST(AddMethods, MethodsOfOneNameAreRefused) {
  const Container file = Built("one", 1).Open("a.pte");
  EXPECT_EQ(WhyNotWith(file, Built("one", 2).Open("b.pte")),
            "has a method 'one' as b.pte has; one of the two needs another name");
  CopyOptions options;
  options.add_methods = {{Built("two", 2).Open("b.pte"), "twoo", {}}};
  EXPECT_EQ(WhyNot(file, options), "has no method 'twoo', did you mean 'two'?");
  options.add_methods = {{DataFileBuilder().Key("k", {1}).Open(), {}, {}}};
  EXPECT_EQ(WhyNot(file, options), "is no program, so it has no methods to add");
}

TEST(AddMethods, AKeyOfBothHasToStandForTheSameBytes) {
  const Container file = Built("one", 1).NamedData("key", Pattern(100, 1)).Open("a.pte");
  const Container both = With(file, Built("two", 2).NamedData("key", Pattern(100, 1)).Open("b.pte"));
  EXPECT_EQ(both.named_data().size(), 1U);
  EXPECT_EQ(WhyNotWith(file, Built("two", 2).NamedData("key", Pattern(100, 2)).Open("b.pte")),
            "has a key 'key' as b.pte has, over different bytes");
}

TEST(AddMethods, AKeyInADataFileMayStandForOtherBytes) {
  const std::string name = "beside b.pte key 'w' may stand for other bytes in a data file; join program and data first";
  ProgramBuilder outside, inside, asking;
  outside.Method("one").External("w", Floats({4}));
  inside.Method("two").NamedData("w", Pattern(16, 1));
  asking.Method("two").External("w", Floats({4}));
  EXPECT_EQ(WhyNotWith(outside.Open("a.pte"), asking.Open("b.pte")), name);
  EXPECT_EQ(WhyNotWith(outside.Open("a.pte"), inside.Open("b.pte")), name);
  ProgramBuilder blob;
  blob.Method("one").Delegate("Backend", TextBytes("reads w from somewhere"));
  EXPECT_EQ(WhyNotWith(blob.Open("a.pte"), inside.Open("b.pte")), name);
  EXPECT_EQ(WhyNotWith(inside.Open("a.pte"), blob.Method("three").Open("b.pte")), name);
}

TEST(AddMethods, AKeyThatTellsItsContentMayBeOutsideInBoth) {
  const std::string key = "0123456789012345678901234567890123456789.01234567";
  ProgramBuilder one, two;
  one.Method("one").External(key, Floats({4}));
  two.Method("two").External(key, Floats({4}));
  EXPECT_EQ(MethodsOf(With(one.Open("a.pte"), two.Open("b.pte"))).size(), 2U);
}

TEST(AddMethods, BackendsThatShareConstantsByNameAreRefused) {
  ProgramBuilder one, two;
  one.Method("one").Delegate("CudaBackend", Pattern(8, 1));
  two.Method("two").Delegate("CudaBackend", Pattern(8, 2));
  EXPECT_EQ(WhyNotWith(one.Open("a.pte"), two.Open("b.pte")),
            "has delegates of CudaBackend as b.pte has, and that shares constants of methods by name, whatever their "
            "bytes");
}

TEST(Upgrade, MovesConstantsOutOfTheTablesAndThenNothing) {
  CopyOptions options;
  options.upgrade = true;
  for (const char* name : {"old/0.1_inline.pte", "old/0.1_inline_delegate.pte", "old/0.2_segment.pte",
                           "old/0.6.0_lin.pte", "old/0.4.0_xnn_inline.pte"}) {
    const Container old = OpenFile(DataPath(name));
    const Container today = Copied(old, options);
    EXPECT_EQ(today.header().extended_header_length, today.segments().empty() ? 0U : 32U) << name;
    EXPECT_TRUE(Same(today, old)) << name;
    EXPECT_TRUE(today.state().program_root().constant_segment() != nullptr) << name;
    EXPECT_TRUE(OrEmpty(today.state().program_root().constant_buffer()).size() == 0) << name;
    EXPECT_FALSE(Copy(today, options)->changed) << name;
  }
}

}  // namespace
}  // namespace pteedit::add_methods_test
