// The rules of schema/FORMAT.md, each on a small file made to break it. A test's number is the rule's.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "edit/model.h"
#include "flatbuffers/flatbuffers.h"
#include "program/schema.h"
#include "small_files.h"
#include "test_files.h"

namespace pteedit::format_test {
namespace {

using tables::FlatTensor;
using tables::Program;
using test::DataBytes;
using test::OpenBytes;
using test::PlanOf;
using test::ProgramBytes;
using test::ProgramBytesWithoutHeader;
using test::PutAt;
using test::SmallData;
using test::SmallProgram;
using test::TensorOf;

constexpr uint64_t kWrapping = std::numeric_limits<uint64_t>::max() - 7;

std::string MessageOf(const Result<Container>& opened) { return opened ? "accepted" : opened.error().message; }

void ExpectAccepted(std::vector<uint8_t> bytes) { EXPECT_EQ(MessageOf(OpenBytes(std::move(bytes))), "accepted"); }

// `words` are a part of the message.
void ExpectRefused(std::vector<uint8_t> bytes, const std::string& words, ErrorCode code = ErrorCode::kMalformed) {
  const Result<Container> opened = OpenBytes(std::move(bytes));
  ASSERT_FALSE(opened) << "accepted, expected: " << words;
  EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message << "\nexpected: " << words;
  EXPECT_EQ(opened.error().code, code) << opened.error().message;
}

template <class Edit>
Program Edited(Edit edit) {
  Program program = SmallProgram();
  edit(program);
  return program;
}

template <class Edit>
void ExpectRefusedAfter(Edit edit, const std::string& words) {
  ExpectRefused(ProgramBytes(Edited(edit)), words);
}

template <class Edit>
void ExpectAcceptedAfter(Edit edit) {
  ExpectAccepted(ProgramBytes(Edited(edit)));
}

std::vector<uint8_t> EditedData(void (*edit)(FlatTensor&)) {
  FlatTensor data = SmallData();
  edit(data);
  return DataBytes(data);
}

template <class T>
std::vector<uint8_t> With(std::vector<uint8_t> bytes, size_t place, T value) {
  PutAt(bytes, place, value);
  return bytes;
}

TEST(Format, M00_SmallFilesAreSound) {
  ExpectAccepted(ProgramBytes(SmallProgram()));
  ExpectAccepted(DataBytes(SmallData()));
  ExpectAccepted(test::BundleBytes(ProgramBytes(SmallProgram())));
}

TEST(Format, M01_AbsentVectorsReadAsEmpty) {
  ExpectAccepted(ProgramBytesWithoutHeader(Program{}));
  Program program;
  program.execution_plan = {true, {tables::ExecutionPlan{}}};
  PlanOf(program).name = tables::OwnText("forward");
  PlanOf(program).values = {true, {{tables::TensorList{}}, {tables::Tensor{}}, {tables::String{}}}};
  PlanOf(program).chains = {true, {tables::Chain{}}};
  program.constant_segment.emplace();
  ExpectAccepted(ProgramBytesWithoutHeader(program));
  ExpectAccepted(DataBytes(FlatTensor{}, 0));
}

TEST(Format, M02_DamagedTablesAreRefused) {
  const std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  const size_t root = test::NumberAt<uint32_t>(program, 0);
  ExpectRefused(With<int32_t>(program, root, 1 << 20), "root table at byte 0x");
  const std::vector<uint8_t> data = DataBytes(SmallData());
  ExpectRefused(With<int32_t>(data, test::NumberAt<uint32_t>(data, 0), 1 << 20), "root table at byte 0x");
  const std::vector<uint8_t> bundle = test::BundleBytes(program);
  ExpectRefused(With<int32_t>(bundle, test::NumberAt<uint32_t>(bundle, 0), 1 << 20), "root table at byte 0x");
}

TEST(Format, M03_MoreThanAMillionTablesAreAccepted) {
  Program program = SmallProgram();
  PlanOf(program).values.items.resize(600'000, test::ValueOf(tables::Int{}));  // two tables each
  ExpectAccepted(ProgramBytes(program));
}

TEST(Format, M04_OtherIdentifiersAreRefused) {
  std::vector<uint8_t> bytes = ProgramBytes(SmallProgram());
  bytes[7] = '1';
  ExpectRefused(bytes, "identifier is 'ET11'", ErrorCode::kUnsupported);
}

TEST(Format, M05_RootPlaceCountsFromByteZero) {
  const std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  const auto root = test::NumberAt<uint32_t>(program, 0);
  EXPECT_GE(root, kExtendedHeaderOffset + kProgramHeaderLength);
  EXPECT_EQ(ViewOf(flatbuffers::GetRoot<schema::Program>(program.data())->execution_plan()->Get(0)->name()), "forward");
  ExpectRefused(With(program, 0, root + kProgramHeaderLength), " at byte 0x");
  ExpectRefused(With(program, 0, static_cast<uint32_t>(program.size())), "root table at byte 0x0 leads to byte 0x");
  const std::vector<uint8_t> data = DataBytes(SmallData());
  EXPECT_GE(test::NumberAt<uint32_t>(data, 0), kExtendedHeaderOffset + kDataHeaderLength);
  EXPECT_EQ(flatbuffers::GetRoot<schema::flat::FlatTensor>(data.data())->named_data()->size(), 2u);
}

TEST(Format, M06_SegmentsWithoutAHeaderAreRefused) {
  ExpectRefused(ProgramBytesWithoutHeader(SmallProgram()), "segment 0 has 16 bytes, but no extended header");
  std::vector<uint8_t> damaged = ProgramBytes(SmallProgram());
  damaged[kExtendedHeaderOffset] ^= 1;
  ExpectRefused(damaged, "segment 0 has 16 bytes, but no extended header");
  Program empty;
  empty.segments = {true, {{0, 0}}};
  empty.constant_segment = tables::SubsegmentOffsets{0, test::Offsets({0})};
  ExpectAccepted(ProgramBytesWithoutHeader(empty));
}

TEST(Format, M07_HeaderLengthIsReadAndShortOnesAreRefused) {
  const std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  ExpectAccepted(With<uint32_t>(program, test::kLengthPlace, 24));
  ExpectAccepted(With<uint32_t>(program, test::kLengthPlace, 40));
  ExpectRefused(With<uint32_t>(program, test::kLengthPlace, 23), "says it has 23 bytes, at least 24 expected");
  // A field that a short header does not cover is not read.
  ExpectAccepted(With<uint64_t>(With<uint32_t>(program, test::kLengthPlace, 24), test::kProgramDataSizePlace, 1 << 20));
}

TEST(Format, M08_TablesEndInsideTheFileAndBehindTheHeader) {
  const std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  ExpectRefused(With<uint64_t>(program, test::kProgramSizePlace, program.size() + 1), "after the end of the file");
  ExpectRefused(With(program, test::kProgramSizePlace, kWrapping), "after the end of the file");
  ExpectRefused(With<uint64_t>(program, test::kProgramSizePlace, 39), "inside the header");
}

TEST(Format, M09_SegmentsThatBeginInsideTheTablesAreRefused) {
  const std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  const auto end = test::NumberAt<uint64_t>(program, test::kProgramSizePlace);
  ExpectRefused(With(program, test::kProgramBasePlace, end - 1), "inside the tables");
  ExpectRefused(With<uint64_t>(program, test::kProgramBasePlace, 0), "inside the tables");
}

TEST(Format, M10_FileShorterThanItsSegmentDataIsRefused) {
  std::vector<uint8_t> program = ProgramBytes(SmallProgram());
  ExpectRefused(With(program, test::kProgramDataSizePlace, kWrapping), "segments end at byte");
  ExpectAccepted(With<uint64_t>(program, test::kProgramDataSizePlace, 0));
  program.pop_back();
  ExpectRefused(program, "segments end at byte");
}

TEST(Format, M13_SegmentPastTheEndOfTheFileIsRefused) {
  ExpectRefusedAfter([](Program& p) { p.segments.items[3].size = 17; }, "segment 3 ends at byte");
  ExpectRefusedAfter([](Program& p) { p.segments.items[3].offset = 49; }, "segment 3 ends at byte");
  ExpectRefusedAfter([](Program& p) { p.segments.items[3].offset = kWrapping; }, "segment 3 ends at byte");
  ExpectRefusedAfter([](Program& p) { p.segments.items[3].size = kWrapping; }, "segment 3 ends at byte");
}

TEST(Format, M14_OrderGapsAndUnusedSegmentsAreAccepted) {
  ExpectAcceptedAfter([](Program& p) { std::swap(p.segments.items[0], p.segments.items[3]); });
  ExpectAcceptedAfter([](Program& p) { p.segments.items[1] = p.segments.items[0]; });
  ExpectAcceptedAfter([](Program& p) { p.segments.items.push_back({64, 0}); });
  ExpectAcceptedAfter([](Program& p) { p.segments.items.push_back({8, 8}); });
  std::vector<uint8_t> trailing = ProgramBytes(SmallProgram(), 80);
  ExpectAccepted(With<uint64_t>(trailing, test::kProgramDataSizePlace, 64));
}

TEST(Format, M15_SegmentThatDoesNotExistIsRefused) {
  ExpectRefusedAfter([](Program& p) { p.constant_segment->segment_index = 4; }, "uses segment 4");
  ExpectRefusedAfter([](Program& p) { p.mutable_data_segments.items[0].segment_index = 4; }, "uses segment 4");
  ExpectRefusedAfter([](Program& p) { p.named_data.items[0].segment_index = 4; }, "uses segment 4");
  ExpectRefusedAfter([](Program& p) { PlanOf(p).delegates.items[0].processed->index = 4; }, "uses segment 4");
  ExpectRefused(EditedData([](FlatTensor& d) { d.named_data.items[1].segment_index = 2; }), "uses segment 2");
  ExpectAcceptedAfter([](Program& p) { p.mutable_data_segments.items.push_back({99, test::Offsets({})}); });
}

TEST(Format, M17_ValueThatDoesNotExistIsRefused) {
  const auto refused = [](auto edit) { ExpectRefusedAfter(edit, "uses value "); };
  refused([](Program& p) { PlanOf(p).inputs = test::Ints({7}); });
  refused([](Program& p) { PlanOf(p).outputs = test::Ints({-1}); });
  refused([](Program& p) { PlanOf(p).chains.items[0].inputs = test::Ints({7}); });
  refused([](Program& p) { test::CallOf<tables::KernelCall>(p, 0).args = test::Ints({7}); });
  refused([](Program& p) { test::CallOf<tables::DelegateCall>(p, 1).args = test::Ints({-1}); });
  refused([](Program& p) { test::CallOf<tables::MoveCall>(p, 2).move_to = 7; });
  refused([](Program& p) { test::CallOf<tables::MoveCall>(p, 2).move_from = -1; });
  refused([](Program& p) { test::CallOf<tables::JumpFalseCall>(p, 3).cond_value_index = 7; });
  refused([](Program& p) { PlanOf(p).values.items[test::kList].val = tables::TensorList{{test::Ints({-1})}}; });
  refused([](Program& p) {
    PlanOf(p).values.items[test::kOptionalList].val = tables::OptionalTensorList{{test::Ints({-2})}};
  });
  refused([](Program& p) {
    PlanOf(p).values.items[test::kList].val = tables::IntList{{tables::Vector<int64_t>::Own({int64_t{1} << 32})}};
  });
}

TEST(Format, M18_OperatorOrDelegateThatDoesNotExistIsRefused) {
  ExpectRefusedAfter([](Program& p) { test::CallOf<tables::KernelCall>(p, 0).op_index = 1; }, "uses operator 1");
  ExpectRefusedAfter([](Program& p) { test::CallOf<tables::DelegateCall>(p, 1).delegate_index = 1; },
                     "uses delegate 1");
}

TEST(Format, M19_JumpPastTheEndIsRefused) {
  ExpectAcceptedAfter([](Program& p) { test::CallOf<tables::JumpFalseCall>(p, 3).destination_instruction = 4; });
  const auto refused = [](int32_t destination) {
    ExpectRefusedAfter(
        [=](Program& p) { test::CallOf<tables::JumpFalseCall>(p, 3).destination_instruction = destination; },
        "uses instruction ");
  };
  refused(5);
  refused(-1);
}

TEST(Format, M20_LayoutsThatMakeNoSenseAreRefused) {
  const auto refused = [](std::vector<int32_t> sizes, std::vector<uint8_t> dim_order, const std::string& words) {
    const auto edit = [&](auto& layout) {
      layout.sizes = test::Ints(sizes);
      layout.dim_order = test::Bytes(dim_order);
    };
    ExpectRefusedAfter([&](Program& p) { edit(TensorOf(p, test::kInput)); }, words);
    FlatTensor data = SmallData();
    edit(*data.named_data.items[0].tensor_layout);
    ExpectRefused(DataBytes(data), words);
  };
  refused({-4}, {0}, "has size -4 in dimension 0");
  refused({1 << 30, 1 << 30, 1 << 30}, {0, 1, 2}, "whose product overflows");
  refused({2, 2}, {0, 0}, "not a permutation of its 2 dimensions");
  refused({2, 2}, {0}, "not a permutation of its 2 dimensions");
  ExpectAcceptedAfter([](Program& p) { TensorOf(p, test::kInput).dim_order = {}; });
}

TEST(Format, M21_UnknownElementTypesAreAccepted) {
  const auto opened =
      OpenBytes(ProgramBytes(Edited([](Program& p) { TensorOf(p, test::kConstant).scalar_type = 99; })));
  EXPECT_EQ(MessageOf(opened), "accepted");
  EXPECT_EQ(ByteSize({99, {4}, {0}}), std::nullopt);
}

TEST(Format, M22_BufferZeroMeansNoBuffer) {
  ExpectAcceptedAfter([](Program& p) {
    TensorOf(p, test::kConstant).data_buffer_idx = 0;
    TensorOf(p, test::kConstant).sizes = test::Ints({1000});
    TensorOf(p, test::kState).data_buffer_idx = 0;
    TensorOf(p, test::kState).sizes = test::Ints({1000});
  });
}

// Inline constants, as releases before 0.2 wrote them; segment 0 is not used then.
Program InlineProgram() {
  Program program = SmallProgram();
  program.constant_segment.reset();
  tables::InlineBytes placeholder, buffer;
  buffer.value = {test::Bytes(std::vector<uint8_t>(16, 7)), 16};
  program.constant_buffer = {true, {placeholder, buffer}};
  return program;
}

TEST(Format, M23_TensorLargerThanItsBufferIsRefused) {
  ExpectRefusedAfter([](Program& p) { TensorOf(p, test::kConstant).sizes = test::Ints({5}); },
                     "needs 20 bytes from byte 0 of segment 0, which has 16 bytes");
  ExpectRefusedAfter([](Program& p) { TensorOf(p, test::kState).sizes = test::Ints({5}); },
                     "needs 20 bytes from byte 0 of segment 1, which has 16 bytes");
  ExpectRefusedAfter(
      [](Program& p) {
        p.constant_segment->offsets = test::Offsets({0, 1});
      },
      "needs 16 bytes from byte 1");
  ExpectRefusedAfter([](Program& p) { TensorOf(p, test::kConstant).data_buffer_idx = 2; }, "uses buffer 2");
  ExpectRefusedAfter([](Program& p) { TensorOf(p, test::kState).data_buffer_idx = 2; }, "uses buffer 2");
  Program inline_program = InlineProgram();
  ExpectAccepted(ProgramBytes(inline_program));
  TensorOf(inline_program, test::kConstant).sizes = test::Ints({5});
  ExpectRefused(ProgramBytes(inline_program), "needs 20 bytes, inline constant 1 has 16 bytes");
  TensorOf(inline_program, test::kConstant).data_buffer_idx = 2;
  ExpectRefused(ProgramBytes(inline_program), "uses inline constant 2");
}

TEST(Format, M24_TwoStoresOfConstantsAreRefused) {
  Program program = InlineProgram();
  program.constant_segment = tables::SubsegmentOffsets{0, test::Offsets({0})};
  ExpectRefused(ProgramBytes(program), "both a constant segment and inline constants");
}

TEST(Format, M25_BufferBehindItsSegmentIsRefused) {
  ExpectRefusedAfter(
      [](Program& p) {
        p.constant_segment->offsets = test::Offsets({0, 0, 17});
      },
      "has buffer 2 at byte 17");
  ExpectRefusedAfter(
      [](Program& p) {
        p.mutable_data_segments.items[0].offsets = test::Offsets({0, 0, kWrapping});
      },
      "has buffer 2 at byte");
  ExpectAcceptedAfter([](Program& p) { p.constant_segment->offsets = test::Offsets({0, 0, 16}); });
}

TEST(Format, M26_MutableDataThatDoesNotExistIsRefused) {
  ExpectRefusedAfter(
      [](Program& p) { TensorOf(p, test::kState).extra_tensor_info.emplace().mutable_data_segments_idx = 1; },
      "uses mutable data 1");
}

TEST(Format, M27_EntriesAndExternalTensorsNeedAKey) {
  ExpectRefusedAfter([](Program& p) { p.named_data.items[0].key = {}; }, "named data 0 has no key");
  ExpectRefused(EditedData([](FlatTensor& d) { d.named_data.items[1].key = {}; }), "named data 1 has no key");
  const auto make_external = [](Program& p) { TensorOf(p, test::kConstant).extra_tensor_info.emplace().location = 1; };
  ExpectRefusedAfter(make_external, "is external but has no key");
  // What buffer an external tensor names means nothing.
  ExpectAcceptedAfter([&](Program& p) {
    make_external(p);
    TensorOf(p, test::kConstant).extra_tensor_info->fully_qualified_name = tables::OwnText("weight");
    TensorOf(p, test::kConstant).data_buffer_idx = 1000;
  });
}

TEST(Format, M28_RepeatedKeysAreNotRewritten) {
  Program program = SmallProgram();
  program.named_data.items.push_back(program.named_data.items[0]);
  const auto opened = OpenBytes(ProgramBytes(program));
  ASSERT_TRUE(opened);
  const Status rewritable = CheckRewritable(*opened);
  ASSERT_FALSE(rewritable);
  EXPECT_EQ(rewritable.error().message, "key 'k' occurs twice");
  const auto data = OpenBytes(EditedData([](FlatTensor& d) { d.named_data.items[1].key = d.named_data.items[0].key; }));
  ASSERT_TRUE(data);
  EXPECT_FALSE(CheckRewritable(*data));
}

TEST(Format, M33_DelegatesNeedAnIdAndABlob) {
  const auto delegate = [](Program& p) -> tables::BackendDelegate& { return PlanOf(p).delegates.items[0]; };
  ExpectRefusedAfter([&](Program& p) { delegate(p).id = {}; }, "has no backend id");
  ExpectRefusedAfter([&](Program& p) { delegate(p).processed.reset(); }, "has no processed blob");
  ExpectRefusedAfter([&](Program& p) { delegate(p).processed->location = 2; }, "only 0 (inline) and 1 (segment) exist");
  ExpectRefusedAfter([&](Program& p) { delegate(p).processed = {{0, 0}}; }, "uses inline blob 0");
  ExpectAcceptedAfter([&](Program& p) {
    delegate(p).processed = {{0, 0}};
    tables::InlineBytes blob;
    blob.value = {test::Bytes({1, 2, 3}), 16};
    p.backend_delegate_data = {true, {blob}};
  });
}

TEST(Format, M35_DataFileWithoutItsHeaderIsRefused) {
  const std::vector<uint8_t> data = DataBytes(SmallData());
  ExpectRefused(With<uint32_t>(data, kExtendedHeaderOffset, 0), "has no 'FH01' header at byte 8");
  ExpectRefused(With<uint32_t>(data, test::kLengthPlace, 39), "says it has 39 bytes, at least 40 expected");
}

TEST(Format, M36_DataFileHasTheChecksOfAProgram) {
  std::vector<uint8_t> data = DataBytes(SmallData());
  ExpectRefused(With<uint64_t>(data, test::kDataTablesSizePlace, data.size()), "tables end at byte ");
  ExpectRefused(With(data, test::kDataTablesSizePlace, kWrapping), "after the end of the file");
  ExpectRefused(With<uint64_t>(data, test::kDataBasePlace, 64), "inside the tables");
  ExpectRefused(With(data, test::kDataDataSizePlace, kWrapping), "segments end at byte");
  ExpectRefused(EditedData([](FlatTensor& d) { d.segments.items[1].size = 17; }), "segment 1 ends at byte");
  ExpectRefused(EditedData([](FlatTensor& d) { d.segments.items[1].offset = kWrapping; }), "segment 1 ends at byte");
  data.pop_back();
  ExpectRefused(data, "segments end at byte");
}

// The tables of release 0.6 with one tensor of 16 bytes in a segment of 32, built by the generated code.
std::vector<uint8_t> Data06Bytes(uint64_t tensor_offset) {
  flatbuffers::FlatBufferBuilder builder;
  namespace old = schema::flat06;
  const std::vector<int32_t> sizes{4};
  const std::vector<uint8_t> dim_order{0};
  const std::vector tensors{
      old::CreateTensorMetadataDirect(builder, "w", schema::ScalarType::FLOAT, &sizes, &dim_order, 0, tensor_offset)};
  const std::vector segments{old::CreateDataSegment(builder, 0, 32)};
  const std::vector<flatbuffers::Offset<old::NamedData>> named;
  const auto root = old::CreateFlatTensorDirect(builder, 0, 16, &tensors, &segments, &named);
  builder.Pad(AlignUp(kDataHeaderLength, 16));
  builder.Finish(root, "FT01");
  PackedTables packed{nullptr, builder.GetSize()};
  packed.bytes = std::shared_ptr<uint8_t[]>(new uint8_t[packed.size]);
  std::copy_n(builder.GetBufferPointer(), packed.size, packed.bytes.get());
  return test::WithHeader(packed, test::SegmentBytes(32), kExtendedHeaderOffset + kDataHeaderLength, DataHeaderBytes);
}

TEST(Format, M40_LayoutsOfDataFilesAreToldApart) {
  const auto old = OpenBytes(Data06Bytes(16));
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_TRUE(old->header().layout_06);
  ASSERT_EQ(old->named_data().size(), 1u);
  EXPECT_EQ(old->named_data()[0].extent.offset, old->header().segment_base_offset + 16);
  const auto today = OpenBytes(DataBytes(SmallData()));
  ASSERT_TRUE(today);
  EXPECT_FALSE(today->header().layout_06);
  EXPECT_TRUE(test::OpenFile(test::DataPath("old/0.6.0_lin_ext__default_external_constant.ptd")).header().layout_06);
  EXPECT_FALSE(test::OpenFile(test::DataPath("old/1.0.1_lin_ext__default_external_constant.ptd")).header().layout_06);
}

TEST(Format, M41_Layout06TensorPastItsSegmentIsRefused) {
  ExpectRefused(Data06Bytes(17), "needs 16 bytes from byte 17 of segment 0, which has 32 bytes");
  ExpectRefused(Data06Bytes(kWrapping), "of segment 0, which has 32 bytes");
}

TEST(Format, M42_Layout06IsNotRewritten) {
  const auto old = OpenBytes(Data06Bytes(0));
  ASSERT_TRUE(old);
  const auto model = ReadDataModel(*old);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
}

TEST(Format, M43_BundleWithoutAProgramIsRefused) {
  ExpectRefused(test::BundleBytes({}), "bundle holds no program");
  ExpectRefused(test::BundleBytes(DataBytes(SmallData())), "bundle holds something that is not a program");
  ExpectRefused(test::BundleBytes(std::vector<uint8_t>(64, 'x')), "identifier is 'xxxx'", ErrorCode::kUnsupported);
}

TEST(Format, M45_NewerVersionsAreRefused) {
  Program program = SmallProgram();
  program.version = 1;
  ExpectRefused(ProgramBytes(program), "version is 1, 0 is the newest known", ErrorCode::kUnsupported);
  FlatTensor data = SmallData();
  data.version = 1;
  ExpectRefused(DataBytes(data), "version is 1, 0 is the newest known", ErrorCode::kUnsupported);
  tables::BundledProgram bundle;
  bundle.version = 3;
  bundle.program = {test::Bytes({}), 32};
  ExpectRefused(test::BytesOf(*PackBundledProgram(bundle)), "version is 3, 2 is the newest known",
                ErrorCode::kUnsupported);
}

// A program whose root table has one field more than the schema, or whose only value has a tag more.
std::vector<uint8_t> ProgramFromTheFuture(bool new_field) {
  flatbuffers::FlatBufferBuilder builder;
  const auto child = schema::CreateNull(builder).Union();
  const auto value_start = builder.StartTable();
  const auto tag = static_cast<uint8_t>(static_cast<int>(schema::KernelTypes::MAX) + (new_field ? 0 : 1));
  builder.AddElement<uint8_t>(schema::EValue::VT_VAL_TYPE, new_field ? 1 : tag, 0);
  builder.AddOffset(schema::EValue::VT_VAL, child);
  const std::vector values{flatbuffers::Offset<schema::EValue>(builder.EndTable(value_start))};
  const std::vector plans{schema::CreateExecutionPlanDirect(builder, "forward", 0, &values)};
  const auto plan_vector = builder.CreateVector(plans);
  const auto start = builder.StartTable();
  builder.AddOffset(schema::Program::VT_EXECUTION_PLAN, plan_vector);
  if (new_field) builder.AddElement<uint32_t>(schema::Program::VT_NAMED_DATA + 2, 5, 0);
  builder.Finish(flatbuffers::Offset<schema::Program>(builder.EndTable(start)), "ET12");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(Format, M46_UnknownFieldsAndTypesAreNotRewritten) {
  const auto with_field = OpenBytes(ProgramFromTheFuture(true));
  ASSERT_TRUE(with_field) << with_field.error().message;
  EXPECT_EQ(with_field->unknown_fields(), std::vector<std::string>{"table 'program' has field 8"});
  EXPECT_FALSE(ReadProgramModel(*with_field));
  const auto with_tag = OpenBytes(ProgramFromTheFuture(false));
  ASSERT_TRUE(with_tag) << with_tag.error().message;
  EXPECT_EQ(with_tag->unknown_fields(), std::vector<std::string>{"union 'val' has type 12"});
  EXPECT_FALSE(ReadProgramModel(*with_tag));
}

}  // namespace
}  // namespace pteedit::format_test
