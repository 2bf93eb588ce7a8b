// Reading files into models: alignments that places show, and what is refused because a rewrite would lose it.
#include "edit/model.h"

#include <gtest/gtest.h>

#include "base/checked.h"
#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::model_test {
namespace {

using test::DataFileBuilder;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;
using test::Words;
using Alignments = std::vector<uint64_t>;

// A program with nothing but segments. `place` tells their places in the file, given where the tables end; all behind.
template <class Place>
Container ProgramWithSegments(Place place) {
  uint64_t tables_end = 0;
  for (;;) {
    const std::vector<Extent> extents = place(tables_end);
    tables::Program program;
    program.segments.present = true;
    uint64_t file_size = tables_end;
    for (const Extent& extent : extents) {
      // A base behind the tables' end by 16 keeps all offsets above 0, so that the tables have one size.
      program.segments.items.push_back({std::max<uint64_t>(extent.offset - tables_end, 1), extent.size});
      file_size = std::max(file_size, extent.offset + extent.size);
    }
    std::vector<uint8_t> bytes = test::ProgramBytes(program, 0);
    const auto now = test::NumberAt<uint64_t>(bytes, test::kProgramSizePlace);
    if (now == tables_end) {
      test::PutAt(bytes, test::kProgramBasePlace, tables_end);
      bytes.resize(file_size);
      const auto opened = test::OpenBytes(std::move(bytes));
      EXPECT_TRUE(opened) << Words(opened);
      return *opened;
    }
    tables_end = now;
  }
}

// The first place behind `end` that is aligned to `alignment` and to nothing larger.
uint64_t Behind(uint64_t end, uint64_t alignment) { return AlignUp(end + 1 + alignment, 2 * alignment) - alignment; }

TEST(ShownAlignments, AreTheExportersDefaultAtMostWithoutPadding) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = AlignUp(end + 1, 128);
    const uint64_t round = AlignUp(first + 1, 4096);  // by chance: the segment before it fills the space
    return std::vector<Extent>{{first, round - first}, {round, 10}, {round + 4096, 0}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{128, 128, 128}));
}

TEST(ShownAlignments, DivideEveryOffset) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 32);
    return std::vector<Extent>{{first, 20}, {first + 32, 90}, {first + 128, 1}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{32, 32, 32}));
}

TEST(ShownAlignments, WhatLiesInsideSaysNothingOfTheOthers) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 128);
    return std::vector<Extent>{{first, 200}, {first + 32, 10}, {first + 5, 10}, {first + 256, 1}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{128, 32, 16, 128}));
}

TEST(ShownAlignments, AreAtLeast16) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 16);
    return std::vector<Extent>{{first, 20}, {first + 23, 10}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{16, 16}));
}

TEST(ShownAlignments, AreLargeWhereThereIsPadding) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 4096);
    return std::vector<Extent>{{first, 20}, {first + 4096, 10}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{4096, 4096}));
}

TEST(ShownAlignments, ArePagesOf16KOnlyWhereAllSegmentsHaveThem) {
  const auto with_second_at = [](uint64_t distance) {
    return ShownAlignments(ProgramWithSegments([distance](uint64_t end) {
      const uint64_t first = Behind(end, 32768);
      return std::vector<Extent>{{first, 20}, {first + distance, 10}, {first + distance + 10, 0}};
    }));
  };
  EXPECT_EQ(with_second_at(16384), (Alignments{16384, 16384, 16384}));
  EXPECT_EQ(with_second_at(8192), (Alignments{4096, 4096, 4096}));
}

TEST(ShownAlignments, AreASegmentsOwnAfterALongGap) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 128);
    const uint64_t own = Behind(first + 1024, 1024);
    return std::vector<Extent>{{first, 20}, {own, 100}, {own + 128, 5}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{128, 1024, 128}));
}

TEST(ShownAlignments, ArePagesWithoutPaddingToo) {
  const auto with_size = [](uint64_t size) {
    return ShownAlignments(ProgramWithSegments([size](uint64_t end) {
      const uint64_t first = Behind(end, 4096);
      return std::vector<Extent>{{first, size}, {first + 8192, 4096}, {first + 12288, 8000}};
    }));
  };
  EXPECT_EQ(with_size(8192), (Alignments{4096, 4096, 4096}));
  EXPECT_EQ(with_size(8100), (Alignments{4096, 4096, 4096}));
}

TEST(ShownAlignments, OfOneSegmentBehindTheTablesArePages) {
  for (const uint64_t distance : {4U, 100U, 128U, 4000U}) {
    Container file = ProgramWithSegments([distance](uint64_t end) {
      // The tables end where they do, so what lies before the page is a segment.
      const uint64_t page = AlignUp(end + 4096, 4096);
      return std::vector<Extent>{{page - 4096, 4096 - distance}, {page, 20}};
    });
    EXPECT_EQ(ShownAlignments(file), (Alignments{4096, 4096})) << distance;
  }
}

TEST(ShownAlignments, AreNoPageAfterAGapThatLessExplains) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t page = Behind(end + 4096, 4096);
    return std::vector<Extent>{{page - 384, 184}, {page, 100}, {page + 128, 5}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{128, 256, 128}));
}

TEST(EvidentAlignment, IsWhatAGapProves) {
  EXPECT_EQ(EvidentAlignment({{4096, 100}}, 3000, 16, 4096), 4096U);
  EXPECT_EQ(EvidentAlignment({{4096, 100}}, 4000, 16, 4096), 128U);
  EXPECT_EQ(EvidentAlignment({{4096, 100}}, 4090, 16, 4096), 16U);
  EXPECT_EQ(EvidentAlignment({{4096, 100}}, 4090, 128, 4096), 128U);
}

TEST(EvidentAlignment, IsWhatCanBeNoAccident) {
  EXPECT_EQ(EvidentAlignment({{4096, 4090}, {8192, 10}}, 4090, 16, 4096), 4096U);
  EXPECT_EQ(EvidentAlignment({{4096, 4096}, {8192, 10}}, 4090, 16, 4096), 16U) << "the second follows from the first";
}

TEST(EvidentAlignments, OfProgramsHaveTheExportersDefault) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t page = AlignUp(end + 4096, 4096);
    return std::vector<Extent>{{page - 128, 124}, {page, 10}};
  });
  EXPECT_EQ(EvidentAlignments(file), (Alignments{128, 128}));
}

TEST(ShownAlignments, OfSegmentsOutOfOrderGoByTheirPlaces) {
  const Container file = ProgramWithSegments([](uint64_t end) {
    const uint64_t first = Behind(end, 128);
    const uint64_t own = Behind(first + 1024, 1024);
    return std::vector<Extent>{{own, 100}, {first, 20}};
  });
  EXPECT_EQ(ShownAlignments(file), (Alignments{1024, 128}));
}

TEST(ShownAlignments, OfSegmentsWithoutBytesAreTheCommonOne) {
  EXPECT_EQ(ShownAlignments(OpenFile(test::DataPath("f01_add.pte"))).front(), 128U);
  EXPECT_TRUE(ShownAlignments(ProgramBuilder().Open()).size() == 1);
}

TEST(ShownAlignments, OfRealFilesAreNeverLessThanAskedFor) {
  const std::vector<std::pair<const char*, uint64_t>> asked = {
      {"f14/seg16_xnn.pte", 16},          {"f14/seg64_xnn.pte", 64},     {"f14/seg4096_xnn.pte", 4096},
      {"f14/seg16k_portable.pte", 16384}, {"f14/seg16k_xnn.pte", 16384}, {"f06/mixed.pte", 128}};
  for (const auto& [name, alignment] : asked) {
    const Container file = OpenFile(test::DataPath(name));
    const Alignments shown = ShownAlignments(file);
    for (size_t i = 0; i < shown.size(); ++i) {
      EXPECT_GE(shown[i], alignment) << name << " segment " << i;
      EXPECT_EQ(file.segments()[i].size == 0 ? 0 : file.segments()[i].offset % shown[i], 0U)
          << name << " segment " << i;
    }
  }
}

TEST(ShownAlignments, OfNamedDataWithAnOwnAlignmentAreKept) {
  // The exporter was asked for 64 and 256 for keys that share a segment, and for 1.
  const Container file = OpenFile(test::DataPath("f17/opaque.pte"));
  const Alignments shown = ShownAlignments(file);
  EXPECT_GE(shown[file.named_data()[0].segment_index], 128U);
}

TEST(ReadProgramModel, HasTheFilesSegments) {
  const Container file = OpenFile(test::DataPath("f06/mixed.pte"));
  const auto model = ReadProgramModel(file);
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->changed);
  ASSERT_EQ(model->segments.size(), file.segments().size());
  for (size_t i = 0; i < model->segments.size(); ++i) {
    EXPECT_EQ(test::BytesOf(model->segments[i].bytes), test::BytesOf(*file.source(), file.segments()[i]));
  }
}

TEST(CheckRewritable, RefusesSegmentsThatOverlapInPart) {
  const Container file = ProgramWithSegments([](uint64_t) {
    return std::vector<Extent>{{4096, 10}, {4200, 50}, {4096, 105}};
  });
  const Status status = CheckRewritable(file);
  EXPECT_EQ(Words(status),
            "test.pte: segments 1 and 2 overlap in part at byte 0x1068; such files can be looked at but not rewritten");
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Words(ReadProgramModel(file)), Words(status));
}

TEST(CheckRewritable, RefusesSegmentsInsideOneThatOverlapInPart) {
  const Container file = ProgramWithSegments([](uint64_t) {
    return std::vector<Extent>{{4096, 100}, {4106, 10}, {4115, 10}};
  });
  EXPECT_EQ(Words(CheckRewritable(file)),
            "test.pte: segments 1 and 2 overlap in part at byte 0x1013; such files can be looked at but not rewritten");
}

TEST(CheckRewritable, AcceptsSegmentsInsideOthers) {
  const Container file = ProgramWithSegments([](uint64_t) {
    return std::vector<Extent>{{4106, 5}, {4096, 100}, {4100, 20}, {4096, 4}, {4195, 1}, {4300, 1}};
  });
  EXPECT_TRUE(CheckRewritable(file));
  const auto model = ReadProgramModel(file);
  ASSERT_TRUE(model);
  std::vector<bool> inside;
  for (const Segment& segment : model->segments) inside.push_back(segment.inside);
  EXPECT_EQ(inside, (std::vector<bool>{true, false, true, true, true, false}));
}

TEST(CheckRewritable, EqualSegmentsAreNotInsideEachOther) {
  const auto model = ReadProgramModel(ProgramWithSegments([](uint64_t) {
    return std::vector<Extent>{{4096, 100}, {4096, 100}};
  }));
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->segments[0].inside);
  EXPECT_FALSE(model->segments[1].inside);
}

TEST(CheckRewritable, AcceptsEqualAndEmptySegments) {
  const Container file = ProgramWithSegments([](uint64_t) {
    return std::vector<Extent>{{4096, 100}, {4096, 100}, {4100, 0}, {4196, 5}, {4096, 0}, {4096, 100}};
  });
  EXPECT_TRUE(CheckRewritable(file));
}

TEST(CheckRewritable, RefusesKeysThatOccurTwice) {
  EXPECT_EQ(Words(CheckRewritable(ProgramBuilder().NamedData("k", {1}).NamedData("k", {1}).Open("a.pte"))),
            "a.pte: key 'k' occurs twice");
  const Status status = CheckRewritable(DataFileBuilder().Key("k", {1}).Key("k", {1}).Open("a.ptd"));
  EXPECT_EQ(Words(status), "a.ptd: key 'k' occurs twice");
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
}

TEST(ReadDataModel, HasKeysAndSegments) {
  const Container file = OpenFile(test::DataPath("f12/zoo__default_external_constant.ptd"));
  const auto model = ReadDataModel(file);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->tables.named_data.items.size(), file.named_data().size());
  EXPECT_EQ(model->segments.size(), file.segments().size());
}

TEST(ReadDataModel, RefusesTheLayoutOf06) {
  const std::string path = test::DataPath("old/0.6.0_lin_ext__default_external_constant.ptd");
  const auto model = ReadDataModel(OpenFile(path));
  EXPECT_EQ(Words(model), path + ": data file is in the layout of release 0.6, which can be read but not rewritten");
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pteedit::model_test
