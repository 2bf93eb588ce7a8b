#include "edit/buffers.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::buffers_test {
namespace {

using test::BytesOf;
using test::Offsets;
using test::Pattern;
using Indices = std::vector<uint32_t>;
using Numbers = std::vector<uint64_t>;

struct Part {
  tables::SubsegmentOffsets table;
  Segment segment;
  std::vector<uint8_t> content;

  Part(Numbers offsets, size_t size, uint64_t alignment = 16) : content(Pattern(size, 1)) {
    table.offsets = Offsets(std::move(offsets));
    segment.bytes.Append(MakeMemorySource("part", content), {0, size});
    segment.alignment = alignment;
  }
  Numbers NewOffsets() const { return {table.offsets.begin(), table.offsets.end()}; }
  // Whether `size` bytes of the old buffer at `from` are now at `to`.
  bool Moved(size_t from, size_t to, size_t size) const {
    const std::vector<uint8_t> now = BytesOf(segment.bytes);
    return to + size <= now.size() && std::equal(now.begin() + static_cast<std::ptrdiff_t>(to),
                                                 now.begin() + static_cast<std::ptrdiff_t>(to + size),
                                                 content.begin() + static_cast<std::ptrdiff_t>(from));
  }
};

BufferUse Keep(uint64_t bytes) { return {true, bytes, true}; }
BufferUse KeepUnknown() { return {true, 0, false}; }
BufferUse Drop() { return {false, 0, true}; }

TEST(TakeOutBuffers, ClosesTheGap) {
  Part part({0, 0, 16, 48, 64}, 80);
  EXPECT_EQ(TakeOutBuffers(part.table, part.segment, {{}, Keep(10), Drop(), Keep(16), Keep(16)}),
            (Indices{0, 1, 0, 2, 3}));
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 16, 32}));
  EXPECT_TRUE(part.Moved(0, 0, 10) && part.Moved(48, 16, 16) && part.Moved(64, 32, 16));
  EXPECT_EQ(part.segment.bytes.size(), 48U);
}

TEST(TakeOutBuffers, KeepsThePlaceholderAlone) {
  Part part({0, 0, 16}, 32);
  EXPECT_EQ(TakeOutBuffers(part.table, part.segment, {{}, Drop(), Drop()}), (Indices{0, 0, 0}));
  EXPECT_EQ(part.NewOffsets(), Numbers{0});
  EXPECT_EQ(part.segment.bytes.size(), 0U);
}

TEST(TakeOutBuffers, KeepsTheAlignmentThatAllHave) {
  Part part({0, 0, 64, 192}, 200, 128);
  TakeOutBuffers(part.table, part.segment, {{}, Keep(8), Keep(8), Keep(8)});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 64, 128}));
}

TEST(TakeOutBuffers, AlignsNoMoreThanTheSegment) {
  Part part({0, 0, 256, 512}, 600, 16);
  TakeOutBuffers(part.table, part.segment, {{}, Keep(8), Keep(8), Keep(8)});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 16, 32}));
}

TEST(TakeOutBuffers, GetWhatTheirElementsNeedWhereNotAllAreAligned) {
  Part part({0, 0, 3, 8, 14}, 16);
  BufferUse wide = Keep(4);
  wide.alignment = 4;
  BufferUse half = Keep(2);
  half.alignment = 2;
  TakeOutBuffers(part.table, part.segment, {{}, Drop(), Keep(1), wide, half});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 4, 8}));
  EXPECT_TRUE(part.Moved(3, 0, 1) && part.Moved(8, 4, 4) && part.Moved(14, 8, 2));
}

TEST(TakeOutBuffers, ThatOverlapStayModuloWhatOneOfThemNeeds) {
  Part part({0, 0, 5, 8}, 16);
  BufferUse wide = Keep(4);
  wide.alignment = 4;
  TakeOutBuffers(part.table, part.segment, {{}, Drop(), Keep(4), wide});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 1, 4}));
}

TEST(TakeOutBuffers, OfUnknownSizeReachToTheNextOne) {
  Part part({0, 0, 16, 48}, 100);
  TakeOutBuffers(part.table, part.segment, {{}, Drop(), KeepUnknown(), KeepUnknown()});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 32}));
  EXPECT_TRUE(part.Moved(16, 0, 32) && part.Moved(48, 32, 52));
  EXPECT_EQ(part.segment.bytes.size(), 84U);
}

TEST(TakeOutBuffers, OfUnknownSizeReachAtLeastAsFarAsIsKnown) {
  Part part({0, 0, 16}, 100);
  TakeOutBuffers(part.table, part.segment, {{}, BufferUse{true, 40, false}, Drop()});
  EXPECT_EQ(part.segment.bytes.size(), 40U);
}

TEST(TakeOutBuffers, ThatOverlapKeepTheirDistances) {
  Part part({0, 0, 32, 40, 80}, 100);
  EXPECT_EQ(TakeOutBuffers(part.table, part.segment, {{}, Drop(), Keep(24), Keep(24), Keep(10)}),
            (Indices{0, 0, 1, 2, 3}));
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 8, 32}));
  EXPECT_TRUE(part.Moved(32, 0, 24) && part.Moved(40, 8, 24) && part.Moved(80, 32, 10));
}

TEST(TakeOutBuffers, OfOnePlaceStayOfOnePlace) {
  Part part({0, 32, 32, 0}, 64);
  TakeOutBuffers(part.table, part.segment, {{}, Keep(16), Keep(32), Drop()});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 0}));
  EXPECT_EQ(part.segment.bytes.size(), 32U);
}

TEST(TakeOutBuffers, InAnyOrderAreTakenByPlace) {
  Part part({0, 64, 0, 32}, 96);
  EXPECT_EQ(TakeOutBuffers(part.table, part.segment, {{}, Keep(32), Keep(32), Drop()}), (Indices{0, 1, 2, 0}));
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 32, 0}));
  EXPECT_TRUE(part.Moved(64, 32, 32) && part.Moved(0, 0, 32));
}

TEST(TakeOutBuffers, WithoutBytesStay) {
  Part part({0, 0, 16, 16, 32}, 32);
  EXPECT_EQ(TakeOutBuffers(part.table, part.segment, {{}, Drop(), Keep(0), Keep(16), Keep(0)}),
            (Indices{0, 0, 1, 2, 3}));
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 0, 16}));
  EXPECT_EQ(part.segment.bytes.size(), 16U);
}

NewBuffer BufferOf(const std::vector<uint8_t>& bytes, uint64_t alignment) {
  NewBuffer buffer;
  buffer.bytes.Append(MakeMemorySource("new", bytes), {0, bytes.size()});
  buffer.alignment = alignment;
  return buffer;
}

TEST(AppendBuffers, GiveANewPartItsPlaceholder) {
  tables::SubsegmentOffsets table;
  Segment segment;
  EXPECT_EQ(AppendBuffers(table, segment, {BufferOf(Pattern(10, 2), 16), BufferOf(Pattern(5, 3), 64)}),
            (Indices{1, 2}));
  EXPECT_EQ(Numbers(table.offsets.begin(), table.offsets.end()), (Numbers{0, 0, 64}));
  EXPECT_EQ(segment.bytes.size(), 69U);
  EXPECT_EQ(segment.alignment, 64U);
}

TEST(AppendBuffers, FollowWhatIsThere) {
  Part part({0, 0}, 10, 128);
  EXPECT_EQ(AppendBuffers(part.table, part.segment, {BufferOf(Pattern(5, 2), 16)}), (Indices{2}));
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 16}));
  EXPECT_EQ(part.segment.alignment, 128U);
  EXPECT_TRUE(part.Moved(0, 0, 10));
}

TEST(AppendBuffers, WithoutBytesTakeNoRoom) {
  Part part({0, 0}, 10);
  AppendBuffers(part.table, part.segment, {BufferOf({}, 4096)});
  EXPECT_EQ(part.NewOffsets(), (Numbers{0, 0, 10}));
  EXPECT_EQ(part.segment.bytes.size(), 10U);
}

}  // namespace
}  // namespace pteedit::buffers_test
