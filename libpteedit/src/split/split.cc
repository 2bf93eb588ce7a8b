// SplitProgram: choose, build the data file, point the program at it, take the moved bytes out, lay both out, check.
#include "pteedit/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/shared_texts.h"
#include "base/text.h"
#include "edit/binding.h"
#include "edit/data_builder.h"
#include "edit/data_files.h"
#include "edit/model.h"
#include "edit/mover.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "needs/releases.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/found_names.h"
#include "program/layout.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"
#include "split/split_binding.h"
#include "split/split_choice.h"
#include "verify/check_inputs.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

Result<std::vector<Container>> OpenData(const std::vector<PlannedFile>& files, const SplitOptions& options) {
  std::vector<Container> opened;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = ShardName(options.data_name, i, files.size());
    PTEEDIT_ASSIGN(Container shard, Container::Open(files[i].AsSource(name)));
    opened.push_back(std::move(shard));
  }
  return opened;
}

class Splitter {
 public:
  Splitter(ProgramModel model, const ProgramSet& set, const SplitOptions& options)
      : mover_(std::move(model)), set_(set), options_(options) {}

  Status Move(SplitChoice choice) {
    report_.skipped = std::move(choice.skipped);
    size_t items = choice.keys.size();
    for (const MovableConstant& movable : choice.constants) items += movable.views.size();
    report_.items.reserve(items);  // what grows by itself is there twice
    data_builder_.MakeRoom(items);
    for (MovableConstant& movable : choice.constants) PTEEDIT_TRY(MoveConstant(std::move(movable)));
    PTEEDIT_TRY(MoveKeys(choice.keys));
    if (mover_.changed()) NoteTrailingBytes(mover_.origin(), report_);
    return {};
  }

  // Of the result, what is written where.
  Result<SplitResult> Plan() && {
    SplitResult result;
    if (!data_builder_.empty()) PTEEDIT_TRY(CheckNoneIsOf06());
    PTEEDIT_ASSIGN(result.program, PlanFile(std::move(mover_).Finish(), options_.min_alignment));
    if (!data_builder_.empty()) PTEEDIT_TRY(PlanData(result.data));
    result.bases = std::move(bases_);
    result.report = std::move(report_);
    return result;
  }

 private:
  // Plans the new data file, or its shards. What moved there is reported to have gone to its shard.
  Status PlanData(std::vector<PlannedFile>& files) {
    Result<std::vector<PlannedFile>> planned =
        PlanDataFiles({}, std::move(data_builder_).Take(),
                      {options_.min_alignment, options_.max_shard_bytes, options_.bind, Places::kAnew});
    if (!planned) return std::move(planned).error().In(options_.data_name);
    files = *std::move(planned);
    if (files.size() == 1) return {};
    PTEEDIT_ASSIGN(const std::vector<Container> opened, OpenData(files, options_));
    std::map<std::string_view, SharedText> shards;  // by key
    for (const Container& shard : opened) {
      const SharedText& name = texts_(shard.name());
      for (const NamedEntry& entry : shard.named_data()) shards.emplace(entry.key, name);
    }
    for (MovedItem& item : report_.items) {
      if (item.to == options_.data_name) item.to = shards.at(item.key);
    }
    return {};
  }

  // Release 0.6 reads only its own layout, all others only today's.
  Status CheckNoneIsOf06() const {
    for (const Container& file : set_.data()) {
      if (!file.header().layout_06) continue;
      return Unsupported(
                 "data file is in the layout of release 0.6, which no release reads together with today's; join it")
          .In(file.name());
    }
    return {};
  }

  void Report(const char* what, const std::string& name, const SharedText& key, uint64_t bytes, const std::string& to) {
    report_.items.push_back({what, ShareIfEqual(name, key), key, bytes, texts_(mover_.origin().name()), texts_(to)});
  }

  // Which is gone then: what reports and tables say of it takes its room.
  Status MoveConstant(MovableConstant movable) {
    const uint64_t alignment = mover_.AlignmentOfConstant(movable.constant);
    for (const MovableConstant::View& view : movable.views) {
      TellWhyNot(*view.base, KindOf(movable.constant), movable.constant.name, view.bytes);
      if (movable.is_served()) {
        Report(KindOf(movable.constant), movable.constant.name, view.key, view.bytes, NameOfBase(*view.base));
        continue;
      }
      PTEEDIT_ASSIGN(const std::string to, PlaceView(movable, view, alignment));
      Report(KindOf(movable.constant), movable.constant.name, view.key, view.bytes, to);
    }
    for (size_t i = 0; i < movable.constant.uses.size(); ++i) {
      mover_.PointOutside(movable.constant.uses[i], movable.views[movable.view_of_use[i]].key);
    }
    return {};
  }

  // What goes into the new data file although a base holds the bytes.
  void TellWhyNot(const BaseAnswer& answer, const char* what, const std::string& name, uint64_t bytes) {
    if (!answer.reason.empty()) report_.skipped.push_back({what, name, bytes, texts_(answer.reason)});
  }

  const std::string& NameOfBase(const BaseAnswer& answer) {
    bases_.insert(*answer.file);
    return options_.bases[*answer.file].name();
  }

  // Equal contents share a segment, whatever they are called.
  uint32_t SegmentFor(size_t content, Extent extent, uint64_t alignment) {
    if (content >= by_content_.size()) by_content_.resize(content + 1, kNoSegment);
    uint32_t& segment = by_content_[content];
    if (segment == kNoSegment) segment = data_builder_.AddSegment(mover_.origin().source(), extent);
    data_builder_.Align(segment, alignment);
    return segment;
  }

  // Adds an entry unless one of the files that the program already has holds the very same. Returns the file's name.
  Result<std::string> PlaceView(const MovableConstant& movable, const MovableConstant::View& view, uint64_t alignment) {
    const Extent extent{movable.constant.extent.offset, view.bytes};
    const SharedOptional<TensorLayout>& layout = layouts_(movable.LayoutOf(view));
    PTEEDIT_ASSIGN(const DataPlace* known, FindKnown(view.key, extent));
    if (known != nullptr) {
      if (known->entry->layout == layout) return set_.data()[known->file].name();
      return Malformed(Text("key ", Quoted(view.key), " has another layout than its name says"))
          .In(set_.data()[known->file].name());
    }
    if (!mover_.PointsTo(view.key))  // then it has its entry
      data_builder_.AddEntry(view.key, SegmentFor(view.content, extent, alignment), layout.get());
    return options_.data_name;
  }

  // Where a given data file has the key; null where none has. Other bytes under the key are an error.
  Result<const DataPlace*> FindKnown(std::string_view key, Extent extent) const {
    const DataPlace* found = set_.FindInData(key);
    if (found == nullptr) return found;
    const Container& file = set_.data()[found->file];
    Extent stored = found->entry->extent;
    if (found->entry->layout) stored.size = std::min(stored.size, extent.size);
    PTEEDIT_ASSIGN(const bool same, SameBytes(*mover_.origin().source(), extent, *file.source(), stored));
    if (same) return found;
    return Malformed(Text("key ", Quoted(key), " also exists in ", mover_.origin().name(), " with different contents"))
        .In(file.name());
  }

  Status MoveKeys(const std::vector<MovableKey>& keys) {
    std::vector<size_t> entries;
    for (const MovableKey& key : keys) {
      const NamedEntry& entry = mover_.origin().named_data()[key.entry];
      const std::string name = ShownName(mover_.origin(), entry.key);
      entries.push_back(key.entry);
      if (key.base.entry != nullptr) {
        Report("named-data", name, std::string(entry.key), entry.extent.size, NameOfBase(key.base));
        continue;
      }
      TellWhyNot(key.base, "named-data", name, entry.extent.size);
      PTEEDIT_ASSIGN(const DataPlace* known, FindKnown(entry.key, entry.extent));
      if (known == nullptr) {
        const uint32_t segment = SegmentFor(key.content, entry.extent, mover_.AlignmentOfEntry(key.entry));
        data_builder_.AddEntry(entry.key, segment, nullptr);
      }
      const std::string& to = known == nullptr ? options_.data_name : set_.data()[known->file].name();
      Report("named-data", name, std::string(entry.key), entry.extent.size, to);
    }
    mover_.TakeOutKeys(entries);
    return {};
  }

  Mover mover_;
  const ProgramSet& set_;
  const SplitOptions& options_;
  DataBuilder data_builder_;
  static constexpr uint32_t kNoSegment = ~uint32_t{0};
  std::vector<uint32_t> by_content_;  // its segment
  std::set<size_t> bases_;            // that serve something
  SharedTexts texts_;                 // of the report
  SharedLayouts layouts_;
  RewriteReport report_;
};

Result<SplitResult> PlanSplit(const ProgramSet& set, const SplitOptions& options) {
  PTEEDIT_ASSIGN(SplitChoice choice, ChooseForSplit(set, options));
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(set.program()));
  Splitter splitter(std::move(model), set, options);
  const bool foretold = choice.foretold;
  PTEEDIT_TRY(splitter.Move(std::move(choice)));
  PTEEDIT_ASSIGN(SplitResult result, std::move(splitter).Plan());
  result.foretold = foretold;
  return result;
}

Result<std::vector<Container>> LoadedWith(const ProgramSet& set, const SplitOptions& options,
                                          const SplitResult& result) {
  std::vector<Container> together = set.data();
  for (const size_t base : result.bases) {
    const Container& file = options.bases[base];
    const bool is_known = std::any_of(together.begin(), together.end(),
                                      [&](const Container& data) { return data.source() == file.source(); });
    if (!is_known) together.push_back(file);
  }
  PTEEDIT_ASSIGN(const std::vector<Container> opened, OpenData(result.data, options));
  together.insert(together.end(), opened.begin(), opened.end());
  return together;
}

// Opens the plans as anybody would and verifies them.
Status Check(const ProgramSet& set, const SplitOptions& options, SplitResult& result) {
  PTEEDIT_ASSIGN(const Container opened, Container::Open(result.program.AsSource(set.name())));
  PTEEDIT_ASSIGN(std::vector<Container> together, LoadedWith(set, options, result));
  const ProgramSet after(opened, std::move(together));
  PTEEDIT_TRY(CheckRewrite(set, after));
  PTEEDIT_TRY(ReportRuntime(after, result.report));
  result.report.data_files = after.data().size();
  return {};
}

}  // namespace

Result<SplitResult> SplitProgram(const ProgramSet& set, const SplitOptions& options) {
  PTEEDIT_TRY(CheckIsProgram(set.file()));
  if (set.file().kind() == FileKind::kBundle) {
    PTEEDIT_ASSIGN(SplitResult result, SplitProgram(set.Inside(), options));
    const bool changed = !IsCopyOf(result.program, *set.program().source());
    PTEEDIT_ASSIGN(result.program, PlanAround(set.file(), result.program, changed));
    return result;
  }
  PTEEDIT_TRY(CheckInputs(set));
  PTEEDIT_ASSIGN(SplitResult result, PlanSplit(set, options));
  PTEEDIT_TRY(BindSplit(set, options, result));
  PTEEDIT_TRY(Check(set, options, result));
  return result;
}

}  // namespace pteedit
