// What a newer exporter could have written, made with the builder itself.
#include "program/table_walk.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/text.h"
#include "edit/model.h"
#include "file_contents.h"
#include "flatbuffers/flatbuffers.h"
#include "program/schema.h"

namespace pteedit::table_walk_test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Tables = std::vector<Offset<void>>;
using test::BytesOf;
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
  EXPECT_EQ(Words(opened), "test.pte: field 'execution_plan[0].non_const_buffer_sizes' at byte " + Hex(first) +
                               " is not aligned: its elements begin at no multiple of their size (8 bytes)");
}

// A program with a method 'forward' that has one value, to be damaged byte by byte.
std::vector<uint8_t> SmallProgram() {
  FlatBufferBuilder builder;
  const Offset<void> value = UnionOf(builder, 6, TableWith(builder, 0, builder.CreateString("text").Union()));
  return BytesOf(ProgramWithPlan(builder, kValues, VectorOf(builder, {value})));
}

class DamagedTables : public ::testing::Test {
 protected:
  const uint8_t* Bytes() const { return bytes_.data(); }
  uint64_t PlaceOf(const void* address) const {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(address) - bytes_.data());
  }
  void Put(uint64_t place, uint32_t number) { std::memcpy(bytes_.data() + place, &number, sizeof(number)); }
  std::string WhyRefused() const { return Words(test::OpenBytes(bytes_)); }
  const schema::ExecutionPlan& plan() const { return *schema::GetProgram(Bytes())->execution_plan()->Get(0); }
  // Of the reference in a field of the method.
  uint64_t FieldOf(int field) const {
    return PlaceOf(reinterpret_cast<const flatbuffers::Table&>(plan()).GetAddressOf(Slot(field)));
  }
  std::string Outside() const { return "outside the tables (" + std::to_string(bytes_.size()) + " bytes)"; }

  std::vector<uint8_t> bytes_ = SmallProgram();
};

TEST_F(DamagedTables, NameAReferenceThatLeadsOutOfThem) {
  const uint64_t field = FieldOf(kValues);
  Put(field, 0x10000);
  EXPECT_EQ(WhyRefused(), "test.pte: field 'execution_plan[0].values' at byte " + Hex(field) + " leads to byte " +
                              Hex(field + 0x10000) + ", " + Outside());
  Put(field, 0);
  EXPECT_EQ(WhyRefused(), "test.pte: field 'execution_plan[0].values' at byte " + Hex(field) + " leads to itself");
}

TEST_F(DamagedTables, NameAListThatIsTooLong) {
  const uint64_t list = PlaceOf(plan().values());
  Put(list, 1000);
  EXPECT_EQ(WhyRefused(), "test.pte: field 'execution_plan[0].values' at byte " + Hex(list) +
                              " has 1000 elements up to byte " + Hex(list + 4 + 4000) + ", " + Outside());
}

TEST_F(DamagedTables, NameAStringWithoutEnd) {
  const uint64_t name = PlaceOf(plan().name());
  Put(name, 6);
  EXPECT_EQ(WhyRefused(), "test.pte: field 'execution_plan[0].name' at byte " + Hex(name) +
                              " is a string of 6 bytes without a zero behind them");
}

TEST_F(DamagedTables, NameATableWithoutVtable) {
  const uint64_t text = PlaceOf(plan().values()->Get(0)->val());
  Put(text, 0x10000);
  EXPECT_EQ(WhyRefused(), "test.pte: field 'execution_plan[0].values[0].val' at byte " + Hex(text) +
                              " has its vtable at byte " + Hex(text - 0x10000) + ", an even place inside the tables (" +
                              std::to_string(bytes_.size()) + " bytes) expected");
}

TEST_F(DamagedTables, NameAVtableOfTheWrongSize) {
  const uint64_t text = PlaceOf(plan().values()->Get(0)->val());
  const uint64_t vtable = PlaceOf(static_cast<const flatbuffers::Table*>(plan().values()->Get(0)->val())->GetVTable());
  bytes_[vtable] = 7;
  EXPECT_NE(WhyRefused().find("has a vtable of 7 bytes, an even number from 4 on expected"), std::string::npos)
      << WhyRefused();
  bytes_[vtable + 1] = 0x70;
  bytes_[vtable] = 2;
  EXPECT_NE(WhyRefused().find("has a vtable that ends at byte " + Hex(vtable + 0x7002) + ", " + Outside()),
            std::string::npos)
      << WhyRefused();
  EXPECT_LT(vtable, text);
}

TEST_F(DamagedTables, NameTheRoot) {
  Put(0, 0x10000);
  EXPECT_EQ(WhyRefused(), "test.pte: root table at byte 0x0 leads to byte 0x10000, " + Outside());
}

// Whatever the generated verifier refuses, the walk finds a place for.
TEST(DamagedBytes, AreAlwaysFoundAtAPlace) {
  size_t refused = 0;
  for (const char* name : {"f02_linear.pte", "f13/cond__default_external_constant.ptd",
                           "old/0.6.0_lin_ext__default_external_constant.ptd"}) {
    const std::vector<uint8_t> intact = test::ReadBytes(test::DataPath(name));
    for (size_t place = 0; place < intact.size(); ++place) {
      for (const uint8_t flipped : {uint8_t{0x01}, uint8_t{0x80}, uint8_t{0xff}}) {
        std::vector<uint8_t> damaged = intact;
        damaged[place] ^= flipped;
        const Result<Container> opened = test::OpenBytes(std::move(damaged));
        if (opened || std::string(opened.error().finding) != "tables-damaged") continue;
        ++refused;
        EXPECT_NE(opened.error().where.find(" at byte 0x"), std::string::npos) << name << " " << Words(opened);
      }
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace pteedit::table_walk_test
