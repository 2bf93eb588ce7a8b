#include "record/pickle.h"

#include <gtest/gtest.h>

#include <string>

namespace pteedit::pickle_test {
namespace {

using Kind = PickleNode::Kind;
using namespace std::string_literals;

bool IsTorch(std::string_view module, std::string_view) { return module == "torch" || module == "collections"; }

Pickle Parsed(const std::string& bytes) {
  static std::string kept;  // the pickle views it
  kept = bytes;
  Result<Pickle> pickle = ReadPickle(kept, IsTorch);
  EXPECT_TRUE(pickle) << (pickle ? "" : pickle.error().message);
  return pickle ? *std::move(pickle) : Pickle();
}

const PickleNode& Root(const Pickle& pickle) { return pickle.nodes[pickle.root]; }

std::string Refused(const std::string& bytes, ErrorCode code) {
  const Result<Pickle> pickle = ReadPickle(bytes, IsTorch);
  EXPECT_FALSE(pickle);
  if (pickle) return "";
  EXPECT_EQ(pickle.error().code, code) << pickle.error().message;
  return pickle.error().message;
}

TEST(Pickle, NumbersAreWhatPythonWrote) {
  EXPECT_EQ(Root(Parsed("\x80\x02K\xff."s)).number, 255);
  EXPECT_EQ(Root(Parsed("M\x2c\x01."s)).number, 300);
  EXPECT_EQ(Root(Parsed("J\xff\xff\xff\xff."s)).number, -1);
  EXPECT_EQ(Root(Parsed("\x8a\x06\x00\x00\x00\x00\x00\x01."s)).number, int64_t{1} << 40);
  EXPECT_EQ(Root(Parsed("\x8a\x06\x00\x00\x00\x00\x00\xff."s)).number, -(int64_t{1} << 40));
  EXPECT_EQ(Root(Parsed("\x8a\x00."s)).number, 0);
  EXPECT_EQ(Root(Parsed("G\xc0\x14\x00\x00\x00\x00\x00\x00."s)).real, -5);
  EXPECT_EQ(Root(Parsed("\x88."s)).number, 1);
  EXPECT_EQ(Root(Parsed("N."s)).kind, Kind::kNone);
}

TEST(Pickle, ListsAreFilledBehindTheirMemo) {
  const Pickle pickle = Parsed("]q\x00]q\x01(K\x01K\x02\x65\x61K\x03\x61."s);  // [[1, 2], 3]
  ASSERT_EQ(Root(pickle).items.size(), 2U);
  const PickleNode& inner = pickle.nodes[Root(pickle).items[0]];
  ASSERT_EQ(inner.items.size(), 2U);
  EXPECT_EQ(pickle.nodes[inner.items[1]].number, 2);
  EXPECT_EQ(pickle.nodes[Root(pickle).items[1]].number, 3);
}

TEST(Pickle, DictionariesHoldKeysAndValuesInTurns) {
  const Pickle pickle = Parsed(
      "}X\x01\x00\x00\x00"
      "aK\x01s(X\x01\x00\x00\x00"
      "bK\x02u."s);
  ASSERT_EQ(Root(pickle).kind, Kind::kDict);
  ASSERT_EQ(Root(pickle).items.size(), 4U);
  EXPECT_EQ(pickle.nodes[Root(pickle).items[2]].text, "b");
  EXPECT_EQ(Root(Parsed("ccollections\nOrderedDict\n)R."s)).kind, Kind::kDict);
}

TEST(Pickle, CallsAreData) {
  const Pickle pickle = Parsed("ctorch\nsystem\nK\x01\x85R."s);
  ASSERT_EQ(Root(pickle).kind, Kind::kCall);
  EXPECT_EQ(pickle.nodes[Root(pickle).items[0]].text, "system");
}

TEST(Pickle, ForeignGlobalsAreNamed) {
  EXPECT_EQ(Refused("cposix\nsystem\nX\x04\x00\x00\x00true\x85R."s, ErrorCode::kUnsupported),
            "pickle asks for 'posix.system' at byte 0, which tensors do not need");
}

TEST(Pickle, OtherOpcodesAreRefused) {
  // As pickletools names them: INST, OBJ, NEWOBJ, BUILD, EXT1, STACK_GLOBAL, SHORT_BINUNICODE, FRAME, DUP, POP.
  for (const char opcode : {'i', 'o', '\x81', 'b', '\x82', '\x93', '\x8c', '\x95', '2', '0'})
    EXPECT_NE(Refused("N"s + opcode + ".", ErrorCode::kUnsupported), "") << opcode;
  EXPECT_EQ(Refused("\x80\x04N."s, ErrorCode::kUnsupported), "pickle is of protocol 4, at most 2 is read");
}

TEST(Pickle, EachPrefixIsRefused) {
  const std::string whole =
      "\x80\x02}q\x00X\x01\x00\x00\x00"
      "a](K\x01M\x01\x02G\x00\x00\x00\x00\x00\x00\x00\x00"
      "ctorch\nx\n)RQes."s;
  ASSERT_TRUE(ReadPickle(whole, IsTorch));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(Refused(whole.substr(0, size), ErrorCode::kMalformed), "") << size;
}

TEST(Pickle, WhatIsNotThereCannotBeUsed) {
  for (const std::string& bytes :
       {"."s, "h\x00."s, "j\x00\x00\x00\x80."s, "\x85."s, "t."s, "e."s, "a."s, "NNa."s, "]NNs."s, "}(Nu."s, "NNR."s,
        "Q."s, "q\x00."s, "(."s, "N(\x85."s, "N(R."s, "N(q\x00."s})
    EXPECT_NE(Refused(bytes, ErrorCode::kMalformed), "") << testing::PrintToString(bytes);
}

TEST(Pickle, GiantCountsAllocateNothing) {
  EXPECT_NE(Refused("X\xff\xff\xff\xff"
                    "a."s,
                    ErrorCode::kMalformed),
            "");
  EXPECT_NE(Refused("\x8a\xff"
                    "a."s,
                    ErrorCode::kMalformed),
            "");
  EXPECT_EQ(Refused("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."s, ErrorCode::kUnsupported),
            "pickle has a number of 9 bytes at byte 0");
  EXPECT_EQ(Refused(std::string(300'000, 'N'), ErrorCode::kUnsupported), "pickle has more than 250000 values");
  EXPECT_NE(Refused(std::string(9 << 20, 'N'), ErrorCode::kUnsupported).find("at most 8388608"), std::string::npos);
}

TEST(Pickle, AListMayHoldItself) {
  const Pickle pickle = Parsed("]q\x00h\x00\x61."s);
  EXPECT_EQ(Root(pickle).items, std::vector<size_t>{pickle.root});
}

}  // namespace
}  // namespace pteedit::pickle_test
