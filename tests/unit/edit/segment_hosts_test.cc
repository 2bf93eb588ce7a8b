#include "edit/segment_hosts.h"

#include <gtest/gtest.h>

#include <string>

#include "pteedit/source.h"
#include "small_files.h"

namespace pteedit::segment_hosts_test {
namespace {

using Sources = std::vector<std::shared_ptr<const Source>>;

Segment SegmentOn(const std::shared_ptr<const Source>& source, Extent extent, bool inside, uint64_t alignment = 16) {
  Segment segment;
  segment.bytes.Append(source, extent);
  segment.alignment = alignment;
  segment.inside = inside;
  return segment;
}

// "1+32" for one that lies 32 bytes behind the begin of segment 1, "-" for one with a place of its own.
std::vector<std::string> HostsOf(const std::vector<Segment>& segments, uint64_t min_alignment = 16) {
  std::vector<std::string> words;
  for (const std::optional<SegmentHost>& host : FindHosts(segments, min_alignment))
    words.push_back(host ? std::to_string(host->segment) + "+" + std::to_string(host->offset) : "-");
  return words;
}
using Words = std::vector<std::string>;

const auto kFile = MakeMemorySource("file", std::vector<uint8_t>(10000));
const auto kOther = MakeMemorySource("other", std::vector<uint8_t>(10000));

TEST(FindHosts, OnlyWhatMayLieInsideDoes) {
  EXPECT_EQ(HostsOf({SegmentOn(kFile, {0, 100}, false), SegmentOn(kFile, {32, 10}, false)}), (Words{"-", "-"}));
  EXPECT_EQ(HostsOf({SegmentOn(kFile, {0, 100}, false), SegmentOn(kFile, {32, 10}, true)}), (Words{"-", "0+32"}));
  EXPECT_EQ(HostsOf({SegmentOn(kFile, {32, 10}, true), SegmentOn(kFile, {0, 100}, false)}), (Words{"1+32", "-"}));
}

TEST(FindHosts, TheHostMustHaveAllTheBytesOfThatSource) {
  const Segment host = SegmentOn(kFile, {100, 100}, false);
  EXPECT_EQ(HostsOf({host, SegmentOn(kOther, {116, 10}, true)}), (Words{"-", "-"}));
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {196, 10}, true)}), (Words{"-", "-"}));
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {90, 10}, true)}), (Words{"-", "-"}));
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {100, 100}, true)}), (Words{"-", "0+0"}));
}

TEST(FindHosts, PlacesInsideHaveTheirAlignment) {
  const Segment host = SegmentOn(kFile, {0, 1000}, false);
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {128, 10}, true, 128)}), (Words{"-", "0+128"}));
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {64, 10}, true, 128)}), (Words{"-", "-"}));
  EXPECT_EQ(HostsOf({host, SegmentOn(kFile, {128, 10}, true, 128)}, 256), (Words{"-", "-"}));
}

TEST(FindHosts, WhatLostItsHostMayHoldOthers) {
  const Segment middle = SegmentOn(kFile, {100, 100}, true), inner = SegmentOn(kFile, {132, 10}, true);
  EXPECT_EQ(HostsOf({SegmentOn(kFile, {4, 1000}, false), middle, inner}), (Words{"-", "0+96", "0+128"}));
  EXPECT_EQ(HostsOf({middle, inner}), (Words{"-", "0+32"}));
}

TEST(FindHosts, LooksIntoEachPieceOfAHost) {
  Segment host = SegmentOn(kFile, {0, 20}, false);
  host.bytes.AppendZeros(12);
  host.bytes.Append(kOther, {500, 100});
  EXPECT_EQ(HostsOf({host, SegmentOn(kOther, {516, 20}, true), SegmentOn(kFile, {0, 32}, true)}),
            (Words{"-", "0+48", "-"}));
}

TEST(FindHosts, NothingIsInsideWithoutBytes) {
  EXPECT_EQ(HostsOf({SegmentOn(kFile, {0, 100}, false), SegmentOn(kFile, {16, 0}, true)}), (Words{"-", "-"}));
}

TEST(SegmentsInside, TellWhatTheBuffersThatHoldThemNeed) {
  const std::vector<Segment> segments = {SegmentOn(kFile, {0, 1000}, false), SegmentOn(kFile, {256, 10}, true, 128),
                                         SegmentOn(kFile, {512, 10}, true, 64), SegmentOn(kFile, {640, 10}, true, 32)};
  const SegmentsInside inside(segments);
  const tables::SubsegmentOffsets part{0, test::Offsets({0, 0, 256, 256, 500, 700})};
  EXPECT_EQ(inside.AlignmentsIn(part), (std::vector<uint64_t>{0, 0, 128, 128, 64, 0}));
  EXPECT_EQ(inside.AlignmentsIn({1, test::Offsets({0, 0})}), (std::vector<uint64_t>{0, 0}));
}

}  // namespace
}  // namespace pteedit::segment_hosts_test
