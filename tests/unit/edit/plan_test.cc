// Laying out: what stays byte for byte, and what every new layout keeps.
#include "edit/plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "edit/unpack.h"
#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::plan_test {
namespace {

using test::BytesOf;
using test::DataPath;
using test::NumberAt;
using test::Opened;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;
using test::TableText;
using test::Words;

PlannedFile RepackedData(const Container& data) {
  DataModel model = *ReadDataModel(data);
  model.changed = true;
  return *PlanFile(model);
}

PlannedFile Repacked(const Container& program, uint64_t min_alignment = 16) {
  auto model = ReadProgramModel(program);
  EXPECT_TRUE(model) << Words(model);
  model->changed = true;
  auto file = PlanFile(*model, min_alignment);
  EXPECT_TRUE(file) << Words(file);
  return *file;
}

std::vector<std::string> ProgramFiles() {
  std::vector<std::string> files;
  for (const std::string& path : test::AllModelFiles()) {
    if (path.ends_with(".pte")) files.push_back(path);
  }
  return files;
}

// All tables, but for the places of segments.
std::string TablesText(const Container& program) {
  tables::Program unpacked = UnpackProgram(program.tables(), 16);
  for (tables::DataSegment& segment : unpacked.segments.items) segment.offset = 0;
  return TableText::Of(unpacked);
}

// 0, which is aligned to everything, without bytes.
uint64_t PlaceOf(const Extent& segment) { return segment.size == 0 ? 0 : segment.offset; }

TEST(Plan, UnchangedProgramIsTheVerySameBytes) {
  for (const std::string& path : ProgramFiles()) {
    const Container file = OpenFile(path);
    const auto planned = PlanFile(*ReadProgramModel(file));
    ASSERT_TRUE(planned);
    EXPECT_TRUE(BytesOf(*planned) == BytesOf(file)) << path;
  }
}

TEST(Plan, UnchangedProgramKeepsItsTrailingBytes) {
  std::vector<uint8_t> bytes = test::ProgramBytes(test::SmallProgram());
  bytes.push_back(7);
  EXPECT_EQ(BytesOf(*PlanFile(*ReadProgramModel(*test::OpenBytes(bytes)))), bytes);
}

TEST(Plan, RepackedProgramSaysTheSame) {
  for (const std::string& path : ProgramFiles()) {
    SCOPED_TRACE(path);
    const Container before = OpenFile(path);
    const Container after = Opened(Repacked(before));
    EXPECT_TRUE(TablesText(before) == TablesText(after));
    ASSERT_EQ(before.segments().size(), after.segments().size());
    for (size_t i = 0; i < before.segments().size(); ++i) {
      EXPECT_TRUE(BytesOf(*before.source(), before.segments()[i]) == BytesOf(*after.source(), after.segments()[i]))
          << i;
    }
  }
}

TEST(Plan, RepackingTwiceChangesNothingMore) {
  for (const std::string& path : ProgramFiles()) {
    const Container file = OpenFile(path);
    const PlannedFile once = Repacked(file);
    EXPECT_TRUE(BytesOf(Repacked(Opened(once))) == BytesOf(once)) << path;
    // In the tables; where a segment begins may then jump by an alignment.
    EXPECT_LE(Opened(once).tables().size, file.tables().size + 64) << path;
  }
}

TEST(Plan, HeaderIsThereExactlyWhenASegmentHasBytes) {
  size_t without = 0;
  for (const std::string& path : ProgramFiles()) {
    const PlannedFile planned = Repacked(OpenFile(path));
    const Container file = Opened(planned);
    uint64_t segment_bytes = 0;
    for (const Extent& segment : file.segments()) segment_bytes += segment.size;
    EXPECT_EQ(file.header().has_extended_header, segment_bytes != 0) << path;
    without += segment_bytes == 0 ? 1 : 0;
    EXPECT_TRUE(segment_bytes != 0 || file.tables().size == planned.size()) << path;
  }
  EXPECT_GT(without, 3U);
}

TEST(Plan, HeaderHas32BytesAndTheExactDataSize) {
  size_t from_24 = 0;
  for (const std::string& path : ProgramFiles()) {
    SCOPED_TRACE(path);
    const Container before = OpenFile(path);
    const PlannedFile planned = Repacked(before);
    const FileHeader header = Opened(planned).header();
    if (!header.has_extended_header) continue;
    EXPECT_EQ(header.extended_header_length, 32U);
    EXPECT_EQ(header.segment_base_offset + header.segment_data_size, planned.size());
    from_24 += before.header().extended_header_length == 24 ? 1 : 0;
  }
  EXPECT_GT(from_24, 0U);
}

TEST(Plan, SegmentsKeepTheirAlignment) {
  for (const std::string& path : ProgramFiles()) {
    const Container before = OpenFile(path);
    const std::vector<uint64_t> alignments = ShownAlignments(before);
    const Container after = Opened(Repacked(before));
    for (size_t i = 0; i < alignments.size(); ++i) {
      EXPECT_EQ(PlaceOf(after.segments()[i]) % alignments[i], 0U) << path << " segment " << i;
    }
  }
}

TEST(Plan, SegmentsFollowInOrder) {
  for (const std::string& path : ProgramFiles()) {
    const Container after = Opened(Repacked(OpenFile(path)));
    uint64_t end = 0;
    for (const Extent& segment : after.segments()) {
      EXPECT_TRUE(segment.size == 0 || segment.offset >= end) << path;
      end = std::max(end, segment.offset + segment.size);
    }
  }
}

TEST(Plan, MinimalAlignmentRaisesEveryOffset) {
  const Container after = Opened(Repacked(OpenFile(DataPath("f06/mixed.pte")), 4096));
  for (const Extent& segment : after.segments()) EXPECT_EQ(segment.offset % 4096, 0U);
}

TEST(Plan, InlineBlobsKeepTheirAlignment) {
  const std::vector<std::pair<const char*, uint64_t>> asked = {{"f14/inline_del1024_xnn.pte", 1024},
                                                               {"f14/inline_del256_xnn.pte", 256},
                                                               {"f14/inline_c64_xnn.pte", 16},
                                                               {"old/0.1_inline_delegate.pte", 16}};
  for (const auto& [name, alignment] : asked) {
    SCOPED_TRACE(name);
    const Container after = Opened(Repacked(OpenFile(DataPath(name))));
    const auto& blobs = *after.state().program_root().backend_delegate_data();
    ASSERT_GT(blobs.size(), 0U);
    for (const auto* blob : blobs) {
      EXPECT_EQ(static_cast<uint64_t>(blob->data()->data() - after.tables().data) % alignment, 0U);
    }
  }
}

TEST(Plan, InlineConstantsKeepTheirAlignment) {
  ProgramBuilder program;
  program.tables.constant_segment.reset();
  program.tables.constant_buffer = {true, {{}, {{test::Bytes(Pattern(100, 1)), 512}}, {{test::Bytes({1}), 16}}}};
  const Container after = Opened(Repacked(program.Open()));
  const auto* storage = after.state().program_root().constant_buffer()->Get(1)->storage();
  EXPECT_EQ((storage->data() - after.tables().data) % 512, 0);
}

TEST(Plan, SegmentsThatShareAnExtentStayShared) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(1000, 1)).NamedData("b", Pattern(1000, 1)).NamedData("c", Pattern(50, 2));
  std::vector<uint8_t> bytes = program.Bytes();
  // 'b' becomes the place of 'a'.
  const Container apart = program.Open();
  tables::Program tables = program.tables;
  tables.segments.present = true;
  for (const size_t i : {size_t{0}, size_t{1}, size_t{1}, size_t{3}}) {
    const Extent& place = apart.segments()[i];
    tables.segments.items.push_back({place.offset - apart.header().segment_base_offset + 16, place.size});
  }
  tables.segments.items[0] = {};
  std::vector<uint8_t> segment_bytes(16);
  segment_bytes.insert(segment_bytes.end(),
                       bytes.begin() + static_cast<std::ptrdiff_t>(apart.header().segment_base_offset), bytes.end());
  const auto shared = test::OpenBytes(
      test::WithHeader(*PackProgram(tables, kProgramHeaderLength), segment_bytes, 0, ProgramHeaderBytes));
  ASSERT_TRUE(shared) << Words(shared);
  ASSERT_EQ(shared->segments()[1], shared->segments()[2]);
  const PlannedFile planned = Repacked(*shared);
  const Container after = Opened(planned);
  EXPECT_EQ(after.segments()[1], after.segments()[2]);
  EXPECT_EQ(test::NamedBytes(after)["b"], Pattern(1000, 1));
  EXPECT_LT(planned.size(), after.tables().size + 1200);
}

TEST(Plan, SharedExtentIsWrittenAgainWhereItsPlaceIsNotRoundEnough) {
  const auto source = MakeMemorySource("s", Pattern(100, 1));
  const auto segment_of = [&](Extent extent, uint64_t alignment) {
    Segment segment;
    segment.bytes.Append(source, extent);
    segment.alignment = alignment;
    return segment;
  };
  DataModel model;
  model.tables.named_data.present = true;
  model.segments = {segment_of({0, 20}, 16), segment_of({50, 20}, 16), segment_of({50, 20}, 4096)};
  const Container file = Opened(*PlanFile(model));
  EXPECT_NE(file.segments()[1].offset, file.segments()[2].offset);
  EXPECT_EQ(file.segments()[2].offset % 4096, 0U);
}

TEST(Plan, DataFileHasItsHeaderAndExactSize) {
  for (const std::string& path : test::AllModelFiles()) {
    const Container before = OpenFile(path);
    if (before.kind() != FileKind::kData || before.header().layout_06) continue;
    SCOPED_TRACE(path);
    const PlannedFile planned = RepackedData(before);
    const Container after = Opened(planned);
    EXPECT_EQ(after.header().extended_header_length, 40U);
    EXPECT_EQ(after.header().tables_offset, 48U);
    EXPECT_EQ(after.header().segment_base_offset + after.header().segment_data_size, planned.size());
    EXPECT_EQ(test::NamedBytes(after), test::NamedBytes(before));
    const std::vector<uint64_t> alignments = ShownAlignments(before);
    for (size_t i = 0; i < alignments.size(); ++i) {
      EXPECT_EQ(PlaceOf(after.segments()[i]) % alignments[i], 0U);
    }
    EXPECT_TRUE(BytesOf(RepackedData(after)) == BytesOf(planned));
  }
}

TEST(Plan, DataFileWithoutBytesReachesItsBase) {
  DataModel model;
  model.tables.named_data = {true,
                             {{tables::OwnText("empty"), 0, tables::Layout{6, test::Ints({0}), test::Bytes({0})}}}};
  model.segments.emplace_back();
  const PlannedFile planned = *PlanFile(model);
  EXPECT_EQ(Opened(planned).header().segment_base_offset, planned.size());
}

TEST(Plan, BundleAlignsItsProgramTo32) {
  for (const char* name : {"f11_bundled_portable.bpte", "f11_bundled_xnn.bpte"}) {
    SCOPED_TRACE(name);
    const Container before = OpenFile(DataPath(name));
    const PlannedFile program = Repacked(*before.program());
    const auto planned = PlanBundle(before, program);
    ASSERT_TRUE(planned) << Words(planned);
    const Container after = Opened(*planned);
    ASSERT_NE(after.program(), nullptr);
    EXPECT_EQ(after.program_extent().offset % 32, 0U);
    EXPECT_EQ(BytesOf(*after.program()), BytesOf(program));
    EXPECT_TRUE(test::TestCasesText(after) == test::TestCasesText(before));
  }
}

TEST(Plan, BundleWithoutTestCasesAlignsItsProgramToo) {
  const Container before = *test::OpenBytes(test::BundleBytes(ProgramBuilder().NamedData("k", {1, 2, 3}).Bytes()));
  const Container after = Opened(*PlanBundle(before, PlanCopy(*before.program())));
  EXPECT_EQ(after.program_extent().offset % 32, 0U);
  EXPECT_EQ(BytesOf(*after.program()), BytesOf(*before.program()));
}

TEST(Plan, BundlesDoNotGrowFromRewriteToRewrite) {
  for (const char* name : {"f11_bundled_portable.bpte", "f11_bundled_xnn.bpte"}) {
    const Container before = OpenFile(DataPath(name));
    PlannedFile once = *PlanBundle(before, PlanCopy(*before.program()));
    EXPECT_LE(once.size(), before.source()->size() + 64) << name;
    const Container again = Opened(once);
    EXPECT_TRUE(BytesOf(*PlanBundle(again, PlanCopy(*again.program()))) == BytesOf(once)) << name;
  }
}

TEST(Plan, BundleHasAtMost2GiB) {
  const Container bundle = OpenFile(DataPath("f11_bundled_portable.bpte"));
  PlannedFile huge;
  huge.AppendZeros((uint64_t{1} << 31) - 1);
  const auto planned = PlanBundle(bundle, huge);
  const auto words = Words(planned);
  EXPECT_TRUE(words.starts_with("bundle would have ")) << words;
  EXPECT_TRUE(words.ends_with(" + 2147483647 bytes, a flatbuffer has at most 2147483647")) << words;
  EXPECT_EQ(planned.error().code, ErrorCode::kUnsupported);
}

TEST(Plan, TellsPlacesOfSegmentsAsWhoeverOpensItFindsThem) {
  for (const std::string& path : ProgramFiles()) {
    const auto model = ReadProgramModel(OpenFile(path));
    ASSERT_TRUE(model) << path << Words(model);
    for (const uint64_t alignment : {uint64_t{16}, uint64_t{4096}}) {
      std::vector<Extent> places;
      const auto planned = PlanAnew(*model, alignment, &places);
      ASSERT_TRUE(planned) << path << Words(planned);
      EXPECT_EQ(places, Opened(*planned).segments()) << path << " at " << alignment;
    }
  }
}

}  // namespace
}  // namespace pteedit::plan_test
