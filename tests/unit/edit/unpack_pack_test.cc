// Tables unpacked and packed again say the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "edit/pack.h"
#include "edit/unpack.h"
#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::unpack_pack_test {
namespace {

using tables::Program;
using test::BytesOf;
using test::DataPath;
using test::OpenFile;
using test::PlanOf;
using test::SmallProgram;
using test::TableText;
using test::ValueOf;
using test::Words;

constexpr uint64_t kAnyAlignment = 4096;

Program Unpacked(const std::vector<uint8_t>& bytes) {
  return UnpackProgram({bytes.data(), bytes.size()}, kAnyAlignment);
}

// Packed and unpacked again; the bytes behind it live as long as the test.
class PackedProgram {
 public:
  explicit PackedProgram(const Program& program) : bytes_(BytesOf(*PackProgram(program))), program_(Unpacked(bytes_)) {}
  Program& operator*() { return program_; }
  Program* operator->() { return &program_; }

 private:
  std::vector<uint8_t> bytes_;
  Program program_;
};

template <class T>
T& MemberOf(tables::EValue& value) {
  return std::get<T>(value.val);
}

TEST(PackProgram, KeepsEveryFieldOfEveryFile) {
  for (const std::string& path : test::AllModelFiles()) {
    SCOPED_TRACE(path);
    const Container file = OpenFile(path);
    const Container* program = file.kind() == FileKind::kBundle ? file.program() : &file;
    if (program->kind() != FileKind::kProgram) continue;
    const Program before = UnpackProgram(program->tables(), 16);
    const std::vector<uint8_t> packed = BytesOf(*PackProgram(before));
    const Program after = UnpackProgram({packed.data(), packed.size()}, 16);
    EXPECT_TRUE(TableText::Of(before) == TableText::Of(after));
    EXPECT_TRUE(packed == BytesOf(*PackProgram(after))) << "is not idempotent";
  }
}

TEST(PackFlatTensor, KeepsEveryFieldOfEveryFile) {
  for (const std::string& path : test::AllModelFiles()) {
    const Container file = OpenFile(path);
    if (file.kind() != FileKind::kData || file.header().layout_06) continue;
    const tables::FlatTensor before = UnpackFlatTensor(file.tables());
    const std::vector<uint8_t> packed = BytesOf(*PackFlatTensor(before));
    EXPECT_EQ(TableText::Of(before), TableText::Of(UnpackFlatTensor({packed.data(), packed.size()}))) << path;
  }
}

TEST(PackProgram, KeepsAbsentAbsentAndEmptyEmpty) {
  Program program;
  program.execution_plan = {true, {tables::ExecutionPlan{}, tables::ExecutionPlan{}}};
  program.named_data.present = true;
  tables::ExecutionPlan& empty = program.execution_plan.items[1];
  empty.name = tables::OwnText("");
  empty.inputs = test::Ints({});
  empty.values = {true, {}};
  empty.container_meta_type.emplace().encoded_inp_str = tables::OwnText("");
  PackedProgram packed(program);
  EXPECT_FALSE(packed->segments.present);
  EXPECT_TRUE(packed->named_data.present);
  EXPECT_FALSE(packed->constant_segment.has_value());
  const tables::ExecutionPlan& absent = packed->execution_plan.items[0];
  EXPECT_FALSE(absent.name.present() || absent.inputs.present() || absent.values.present);
  EXPECT_FALSE(absent.container_meta_type.has_value());
  const tables::ExecutionPlan& after = packed->execution_plan.items[1];
  EXPECT_TRUE(after.name.present() && after.inputs.present() && after.values.present);
  EXPECT_EQ(after.name.size() + after.inputs.size(), 0U);
  EXPECT_TRUE(after.container_meta_type->encoded_inp_str.present());
  EXPECT_FALSE(after.container_meta_type->encoded_out_str.present());
}

TEST(PackProgram, KeepsEveryBitOfDoubles) {
  const uint64_t strange_nan = 0xfff0'dead'beef'0001;
  double nan = 0;
  std::memcpy(&nan, &strange_nan, sizeof(nan));
  const std::vector<double> numbers{-0.0, 0.0, nan, std::numeric_limits<double>::infinity(), 5e-324, -1.5};
  Program program = SmallProgram();
  PlanOf(program).values.items.clear();
  for (const double number : numbers) {
    tables::Double value;
    value.value = number;
    PlanOf(program).values.items.push_back(ValueOf(value));
  }
  tables::DoubleList list;
  list.value = tables::Vector<double>::Own(numbers);
  PlanOf(program).values.items.push_back(ValueOf(list));
  PackedProgram packed(program);
  std::vector<tables::EValue>& values = PlanOf(*packed).values.items;
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(std::memcmp(&MemberOf<tables::Double>(values[i]).value, &numbers[i], sizeof(double)), 0) << i;
    EXPECT_EQ(std::memcmp(&MemberOf<tables::DoubleList>(values.back()).value[i], &numbers[i], sizeof(double)), 0) << i;
  }
}

TEST(PackProgram, KeepsNumbersAtTheirLimits) {
  Program program = SmallProgram();
  tables::Int number;
  number.value = std::numeric_limits<int64_t>::min();
  PlanOf(program).values.items[0] = ValueOf(number);
  PlanOf(program).values.items[1] = {};  // no type at all
  PlanOf(program).values.items[2] = ValueOf(tables::Null{});
  program.version = ~uint32_t{0};
  PackedProgram packed(program);
  EXPECT_EQ(TableText::Of(program), TableText::Of(*packed));
}

TEST(PackProgram, WritesEqualLeavesOnce) {
  const auto size_with = [](size_t names, bool equal) {
    Program program = SmallProgram();
    for (size_t i = 0; i < names; ++i) {
      const char letter = equal ? 'n' : static_cast<char>('a' + i);
      PlanOf(program).operators.items.push_back({tables::OwnText(std::string(1000, letter)), {}});
    }
    return PackProgram(program)->size;
  };
  EXPECT_LT(size_with(10, true), size_with(1, true) + 1000);
  EXPECT_GT(size_with(10, false), size_with(1, false) + 9000);
}

TEST(PackProgram, TakesOtherSegmentsAsIfTheyWereItsOwn) {
  Program program = SmallProgram();
  const Program without = program;
  program.segments = {true, {{0, 64}, {128, 5}}};
  EXPECT_EQ(BytesOf(*PackProgram(program)), BytesOf(*PackProgram(without, program.segments)));
  EXPECT_NE(BytesOf(*PackProgram(without)), BytesOf(*PackProgram(program)));
}

TEST(PackProgram, DoesNotTakeATextForABlobOfTheSameBytes) {
  const std::vector<uint8_t> bytes(40, 'x');
  Program program = SmallProgram();
  tables::BackendDelegate& delegate = PlanOf(program).delegates.items[0];
  const auto text = tables::Text::View(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  delegate.compile_specs = {true, {{text, tables::Vector<uint8_t>::View(bytes.data(), bytes.size())}}};
  EXPECT_TRUE(test::OpenBytes(test::ProgramBytes(program)));  // the verifier wants the zero behind a text
}

TEST(PackProgram, AlignsInlineBlobs) {
  Program program = SmallProgram();
  program.constant_segment.reset();
  program.constant_buffer.present = program.backend_delegate_data.present = true;
  for (const uint32_t alignment : {16U, 64U, 1024U}) {
    const std::vector<uint8_t> bytes = test::Pattern(alignment + 3, alignment);
    program.constant_buffer.items.push_back({{test::Bytes(bytes), alignment}});
    program.backend_delegate_data.items.push_back({{test::Bytes(bytes), alignment}});
  }
  const PackedTables packed = *PackProgram(program);
  EXPECT_EQ(packed.size % 1024, 0U);
  const Program after = UnpackProgram({packed.bytes.get(), packed.size}, kAnyAlignment);
  for (const auto* blobs : {&after.constant_buffer.items, &after.backend_delegate_data.items}) {
    for (size_t i = 0; i < blobs->size(); ++i) {
      const auto place = static_cast<uint64_t>((*blobs)[i].value.bytes.data() - packed.bytes.get());
      EXPECT_EQ(place % (std::vector<uint64_t>{16, 64, 1024}[i]), 0U);
      EXPECT_GE((*blobs)[i].value.alignment, (std::vector<uint64_t>{16, 64, 1024}[i]));
    }
  }
}

TEST(UnpackProgram, BelievesNoMoreAlignmentThanItIsTold) {
  Program program = SmallProgram();
  program.backend_delegate_data = {true, {{{test::Bytes({1, 2, 3}), 1024}}}};
  const std::vector<uint8_t> bytes = BytesOf(*PackProgram(program));
  const auto shown = [&](uint64_t most) {
    return UnpackProgram({bytes.data(), bytes.size()}, most).backend_delegate_data.items[0].value.alignment;
  };
  EXPECT_EQ(shown(4096), 1024U);
  EXPECT_EQ(shown(256), 256U);
  EXPECT_EQ(shown(1), 16U);
}

TEST(PackProgram, RefusesWhatDoesNotFitAFlatbuffer) {
  const uint8_t byte = 0;
  Program program = SmallProgram();
  // Never read: the size alone is refused.
  const tables::Blob huge{tables::Vector<uint8_t>::View(&byte, size_t{1} << 30), 16};
  program.constant_buffer = {true, {{huge}, {huge}, {huge}}};
  const auto packed = PackProgram(program);
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code, ErrorCode::kUnsupported);
  const std::string words = Words(packed);
  EXPECT_TRUE(words.starts_with("tables would have up to 32212")) << words;
  EXPECT_TRUE(words.ends_with(" bytes, a flatbuffer has less than 2147483647")) << words;
}

// Or opening what is packed takes a copy of it.
TEST(PackProgram, GivesBytesThatCanBeOpenedInPlace) {
  for (size_t length = 0; length < 64; length += 4) {
    Program program = SmallProgram();
    PlanOf(program).name = tables::OwnText(std::string(length, 'n'));
    const PackedTables packed = *PackProgram(program);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(packed.bytes.get()) % kMemoryAlignment, 0U) << packed.size;
  }
}

TEST(PackProgram, RoomForAHeaderKeepsEverythingAligned) {
  Program program = SmallProgram();
  program.backend_delegate_data = {true, {{{test::Bytes({1, 2, 3}), 256}}}};
  const auto text = [&](const std::vector<uint8_t>& bytes) {
    return TableText::Of(UnpackProgram({bytes.data(), bytes.size()}, 256));
  };
  const std::vector<uint8_t> without = BytesOf(*PackProgram(program)), with = BytesOf(*PackProgram(program, 32));
  EXPECT_EQ(with.size(), without.size() + 256);
  EXPECT_EQ(text(with), text(without));
  EXPECT_EQ(std::count(with.begin() + kExtendedHeaderOffset, with.begin() + kExtendedHeaderOffset + 256, 0), 256);
}

}  // namespace
}  // namespace pteedit::unpack_pack_test
