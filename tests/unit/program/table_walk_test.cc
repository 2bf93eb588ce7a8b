// What a newer exporter could have written, made with the builder itself.
#include "program/table_walk.h"

#include <gtest/gtest.h>

#include "edit/model.h"
#include "file_contents.h"
#include "flatbuffers/flatbuffers.h"
#include "program/schema.h"

namespace pteedit {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Tables = std::vector<Offset<void>>;
using test::Words;

constexpr int kExecutionPlan = 1;                   // of a program
constexpr int kName = 0, kValues = 2, kChains = 5;  // of a plan
constexpr int kInstructions = 2;                    // of a chain

flatbuffers::voffset_t Slot(int field) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
}

// A table with one reference in field `field`.
Offset<void> TableWith(FlatBufferBuilder& builder, int field, Offset<void> child) {
  const auto start = builder.StartTable();
  builder.AddOffset(Slot(field), child);
  return builder.EndTable(start);
}

Offset<void> TableWithNumber(FlatBufferBuilder& builder, int field) {
  const auto start = builder.StartTable();
  builder.AddElement<uint32_t>(Slot(field), 7, 0);
  return builder.EndTable(start);
}

// A table with a union in fields 0 and 1.
Offset<void> UnionOf(FlatBufferBuilder& builder, uint8_t tag, Offset<void> member) {
  const auto start = builder.StartTable();
  builder.AddElement<uint8_t>(Slot(0), tag, 0);
  builder.AddOffset(Slot(1), member);
  return builder.EndTable(start);
}

Offset<void> VectorOf(FlatBufferBuilder& builder, const Tables& tables) { return builder.CreateVector(tables).Union(); }

Container Finished(FlatBufferBuilder& builder, Offset<void> root) {
  builder.Finish(Offset<flatbuffers::Table>(root.o), "ET12");
  const auto opened = test::OpenBytes({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
  EXPECT_TRUE(opened) << Words(opened);
  return *opened;
}

// A program with one method, which has `child` in its field `field`.
Container ProgramWithPlan(FlatBufferBuilder& builder, int field, Offset<void> child) {
  const Offset<void> name = builder.CreateString("forward").Union();
  const auto start = builder.StartTable();
  builder.AddOffset(Slot(kName), name);
  builder.AddOffset(Slot(field), child);
  const Offset<void> plan = builder.EndTable(start);
  return Finished(builder, TableWith(builder, kExecutionPlan, VectorOf(builder, {plan})));
}

TEST(UnknownField, OfTheProgramIsNamed) {
  FlatBufferBuilder builder;
  const Container file = Finished(builder, TableWithNumber(builder, 8));
  EXPECT_EQ(file.unknown_fields(), std::vector<std::string>{"table 'program' has field 8"});
  const auto model = ReadProgramModel(file);
  EXPECT_EQ(Words(model),
            "test.pte: table 'program' has field 8, which this version does not know; a rewrite would lose it");
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
}

TEST(UnknownField, DeepInsideIsNamedOnce) {
  FlatBufferBuilder builder;
  const Offset<void> tensor = UnionOf(builder, 5, TableWithNumber(builder, 10));
  const Offset<void> other = UnionOf(builder, 5, TableWithNumber(builder, 11));
  const Container file = ProgramWithPlan(builder, kValues, VectorOf(builder, {tensor, other, tensor}));
  EXPECT_EQ(file.unknown_fields(), (std::vector<std::string>{"table 'val' has field 10", "table 'val' has field 11"}));
}

TEST(UnknownField, ThatIsAbsentDoesNotMatter) {
  FlatBufferBuilder builder;
  builder.ForceDefaults(false);
  const auto start = builder.StartTable();
  builder.AddElement<uint32_t>(Slot(0), 0, 0);
  const Container file = Finished(builder, builder.EndTable(start));
  EXPECT_TRUE(file.unknown_fields().empty());
}

TEST(UnknownUnionType, OfAValueIsRefused) {
  FlatBufferBuilder builder;
  const Offset<void> value = UnionOf(builder, 12, TableWithNumber(builder, 0));
  const Container file = ProgramWithPlan(builder, kValues, VectorOf(builder, {value}));
  EXPECT_EQ(file.unknown_fields(), std::vector<std::string>{"union 'val' has type 12"});
  EXPECT_EQ(Words(CheckRewritable(file)),
            "test.pte: union 'val' has type 12, which this version does not know; a rewrite would lose it");
}

TEST(UnknownUnionType, OfAnInstructionIsRefused) {
  FlatBufferBuilder builder;
  const Offset<void> instruction = UnionOf(builder, 6, TableWithNumber(builder, 0));
  const Offset<void> chain = TableWith(builder, kInstructions, VectorOf(builder, {instruction}));
  const Container file = ProgramWithPlan(builder, kChains, VectorOf(builder, {chain}));
  EXPECT_EQ(Words(CheckRewritable(file)),
            "test.pte: union 'instr_args' has type 6, which this version does not know; a rewrite would lose it");
}

TEST(UnknownField, InsideABundleIsRefused) {
  const auto bundle = test::OpenBytes([] {
    FlatBufferBuilder builder;
    const Offset<void> inner = TableWithNumber(builder, 8);
    builder.Finish(Offset<flatbuffers::Table>(inner.o), "ET12");
    const std::vector<uint8_t> program(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    FlatBufferBuilder outer;
    const Offset<void> bytes = outer.CreateVector(program).Union();
    outer.Finish(Offset<flatbuffers::Table>(TableWith(outer, 2, bytes).o), "BP08");
    return std::vector<uint8_t>(outer.GetBufferPointer(), outer.GetBufferPointer() + outer.GetSize());
  }());
  ASSERT_TRUE(bundle) << Words(bundle);
  EXPECT_TRUE(bundle->unknown_fields().empty());
  EXPECT_FALSE(CheckRewritable(*bundle->program()));
}

TEST(WalkTables, StopsAtTablesThatUnfoldWithoutEnd) {
  FlatBufferBuilder builder;
  const Offset<void> text = builder.CreateString(std::string(996, 'x')).Union();
  const Offset<void> value = UnionOf(builder, 6, TableWith(builder, 0, text));
  const Container file = ProgramWithPlan(builder, kValues, VectorOf(builder, Tables(100, value)));
  const flatbuffers::TypeTable& type = *schema::Program::MiniReflectTypeTable();
  const uint64_t texts = 100 * (4 + 996 + 1);
  const auto all = WalkTables(file.tables(), type, "program", {1 << 20, 10});
  ASSERT_TRUE(all);
  EXPECT_GE(all->unfolded_bytes, texts);
  EXPECT_LE(all->unfolded_bytes, texts + 1000);
  const auto stopped = WalkTables(file.tables(), type, "program", {texts, 10});
  EXPECT_EQ(Words(stopped), "tables (" + std::to_string(file.tables().size) +
                                " bytes) share parts so often that they would unfold to more than " +
                                std::to_string(texts) + " bytes (ParseLimits::max_unfold_factor)");
  EXPECT_EQ(stopped.error().code, ErrorCode::kMalformed);
}

TEST(WalkTables, KnowsTheFirstAndLastByteInUse) {
  const Container file = test::OpenFile(test::DataPath("f14/inline_del1024_xnn.pte"));
  const auto walk = WalkTables(file.tables(), *schema::Program::MiniReflectTypeTable(), "program", {1 << 30, 10});
  ASSERT_TRUE(walk);
  EXPECT_GE(walk->first_byte, 8 + 1024U);  // behind the header's room
  EXPECT_LE(walk->end_byte, file.tables().size);
  EXPECT_GE(walk->end_byte + 1024, file.tables().size);
}

TEST(WalkTables, RefusesNumbersThatAreNotAligned) {
  FlatBufferBuilder builder;
  constexpr int kBufferSizes = 8;  // of a plan: a vector of 64-bit numbers
  const std::vector<uint8_t> one_number(12);
  Offset<void> numbers;
  do {  // the builder aligns a vector of bytes to 4 only
    numbers = builder.CreateVector(one_number).Union();
  } while ((numbers.o - sizeof(flatbuffers::uoffset_t)) % sizeof(uint64_t) == 0);
  *builder.GetCurrentBufferPointer() = 1;  // the count: one number of 8 bytes
  const Offset<void> name = builder.CreateString("forward").Union();
  const auto start = builder.StartTable();
  builder.AddOffset(Slot(kName), name);
  builder.AddOffset(Slot(kBufferSizes), numbers);
  const Offset<void> plan = builder.EndTable(start);
  const Offset<void> root = TableWith(builder, kExecutionPlan, VectorOf(builder, {plan}));
  builder.ForceVectorAlignment(0, sizeof(uint64_t), sizeof(uint64_t));
  builder.Finish(Offset<flatbuffers::Table>(root.o), "ET12");
  const std::vector<uint8_t> bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  const Result<Container> opened = test::OpenBytes(bytes);
  const uint64_t first = bytes.size() - numbers.o + sizeof(flatbuffers::uoffset_t);
  ASSERT_NE(first % 8, 0U);
  char place[20];
  std::snprintf(place, sizeof(place), "0x%llx", static_cast<unsigned long long>(first));
  EXPECT_EQ(Words(opened), std::string("test.pte: vector 'non_const_buffer_sizes' has its elements at byte ") + place +
                               ", no multiple of their size (8 bytes)");
}

}  // namespace
}  // namespace pteedit
