// Dumps of a few bytes that stand for very many: tables, texts and lists that others share.
#include <flatbuffers/flatbuffers.h>
#include <gtest/gtest.h>

#include "profile/etdump.h"
#include "pteedit/profile/event_blocks.h"

namespace pteedit::dump_limits_test {
namespace {

using namespace etdump;
using flatbuffers::FlatBufferBuilder;
using Offset = flatbuffers::Offset<void>;

class DumpBuilder {
 public:
  template <class Fill>
  Offset Table(Fill fill) {
    const flatbuffers::uoffset_t start = builder_.StartTable();
    fill();
    return builder_.EndTable(start);
  }
  void Set(flatbuffers::voffset_t field, Offset offset) { builder_.AddOffset(field, offset); }
  template <class Number>
  void SetNumber(flatbuffers::voffset_t field, Number number) {
    builder_.AddElement<Number>(field, number);
  }
  Offset String(const std::string& text) { return builder_.CreateString(text).Union(); }
  Offset Tables(const std::vector<Offset>& tables) { return builder_.CreateVector(tables).Union(); }
  Offset Numbers(const std::vector<int64_t>& numbers) { return builder_.CreateVector(numbers).Union(); }

  Offset Timed(const std::string& name) {
    const Offset text = String(name);
    return Event(event::kProfile, [&] { Set(profile_event::kName, text); });
  }
  Offset Logged(size_t dimensions) {
    const Offset sizes = Numbers(std::vector<int64_t>(dimensions, 1));
    const Offset logged_tensor = Table([&] { Set(tensor::kSizes, sizes); });
    const Offset logged = Table([&] {
      SetNumber<int8_t>(value::kType, 5);
      Set(value::kTensor, logged_tensor);
    });
    return Event(event::kDebug, [&] { Set(debug_event::kValue, logged); });
  }

  // Of one run.
  Result<std::vector<EventBlock>> Read(const std::vector<Offset>& events) {
    const Offset list = Tables(events);
    const Offset only = Table([&] { Set(run::kEvents, list); });
    const Offset runs = Tables({only});
    const Offset root = Table([&] { Set(dump::kRuns, runs); });
    builder_.Finish(flatbuffers::Offset<flatbuffers::Table>(root.o), "ED00");
    const ByteSpan bytes{builder_.GetBufferPointer(), builder_.GetSize()};
    return ReadEventBlocks(MakeViewSource("dump", bytes));
  }

 private:
  template <class Fill>
  Offset Event(flatbuffers::voffset_t kind, Fill fill) {
    const Offset what = Table(fill);
    return Table([&] { Set(kind, what); });
  }

  FlatBufferBuilder builder_;
};

void ExpectRefused(const Result<std::vector<EventBlock>>& blocks, const std::string& why) {
  ASSERT_FALSE(blocks);
  EXPECT_NE(blocks.error().message.find(why), std::string::npos) << blocks.error().message;
}

TEST(DumpLimits, OrdinaryEventsAreRead) {
  DumpBuilder builder;
  const auto blocks = builder.Read({builder.Timed("add"), builder.Logged(3)});
  ASSERT_TRUE(blocks) << blocks.error().message;
  ASSERT_EQ((*blocks)[0].events.size(), 1U);
  EXPECT_EQ((*blocks)[0].events[0].name, "add");
  EXPECT_EQ((*blocks)[0].events[0].more->debug_data[0].tensors[0].sizes, (std::vector<int64_t>{1, 1, 1}));
}

TEST(DumpLimits, SharedTextsAreBounded) {
  DumpBuilder builder;
  const Offset event = builder.Timed(std::string(100'000, 'a'));
  ExpectRefused(builder.Read(std::vector<Offset>(1000, event)), "ETDump repeats its texts more than 16 times");
}

TEST(DumpLimits, TensorsHaveFewDimensions) {
  DumpBuilder builder;
  ExpectRefused(builder.Read({builder.Logged(65)}), "tensor has 65 dimensions, at most 64");
  DumpBuilder other;
  EXPECT_TRUE(other.Read({other.Logged(64)}));
}

TEST(DumpLimits, EventsOfOnePlaceShareFewValues) {
  DumpBuilder builder;
  std::vector<Offset> events(2000, builder.Logged(1));
  for (int i = 0; i < 700; ++i) events.push_back(builder.Timed(std::to_string(i)));
  ExpectRefused(builder.Read(events), "repeat the values it logged more than 16 times");
}

}  // namespace
}  // namespace pteedit::dump_limits_test
