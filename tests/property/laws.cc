#include "laws.h"

#include <algorithm>

#include "edit/model.h"
#include "edit/plan.h"
#include "file_contents.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/sizes.h"
#include "test_files.h"

namespace pteedit::test {
namespace {

constexpr uint64_t kMaxGrowth = 64;
constexpr uint64_t kMaxCertainAlignment = 128;  // model.h: larger ones may look like chance

// Opens copies of the bytes, all with different names.
struct OpenFiles {
  std::vector<Container> program;  // one
  std::vector<Container> data;
  std::string problem;

  explicit OpenFiles(const Files& files) {
    Add(files.program, "program.pte", program);
    for (size_t i = 0; i < files.data.size(); ++i) Add(files.data[i], "data" + std::to_string(i) + ".ptd", data);
  }

 private:
  void Add(const FileBytes& bytes, const std::string& name, std::vector<Container>& list) {
    Result<Container> file = Container::Open(MakeMemorySource(name, bytes));
    if (file) {
      list.push_back(*file);
    } else {
      problem = Words(file.error());
    }
  }
};

Result<FileBytes> Repack(const FileBytes& bytes) {
  Result<Container> file = OpenBytes(bytes);
  if (!file) return file.error();
  if (file->kind() == FileKind::kProgram) {
    Result<ProgramModel> model = ReadProgramModel(*file);
    if (!model) return model.error();
    model->changed = true;
    Result<PlannedFile> plan = PlanFile(*model);
    if (!plan) return plan.error();
    return BytesOf(*plan);
  }
  Result<DataModel> model = ReadDataModel(*file);
  if (!model) return model.error();
  model->changed = true;
  Result<PlannedFile> plan = PlanFile(*model);
  if (!plan) return plan.error();
  return BytesOf(*plan);
}

uint64_t LargestAlignment(const FileBytes& bytes) {
  uint64_t largest = 16;
  const std::vector<uint64_t> all = ShownAlignments(*OpenBytes(bytes));
  for (const uint64_t alignment : all) largest = std::max(largest, alignment);
  return largest;
}

std::string Grew(const char* what, uint64_t before, uint64_t after, uint64_t most) {
  if (after <= before + most) return "";
  return std::string(what) + " grew from " + std::to_string(before) + " to " + std::to_string(after) + " bytes";
}

// What keeping the alignment that inline blobs show beyond the schema's 16 may cost: no more than that for each. All of
// the tables must be a multiple of an alignment that was asked for.
uint64_t RoundnessOfBlobs(const Places& places) {
  constexpr uint64_t kMaxAlignment = 4096;
  uint64_t sum = 0;
  for (const uint64_t place : places.inline_blobs) {
    const uint64_t both = place | places.tables_bytes | kMaxAlignment;
    const uint64_t shown = both & (~both + 1);
    if (shown > 16) sum += shown;
  }
  return sum;
}

// What lies inside a longer segment need not get a rounder place than it had.
uint64_t KeptInside(const std::vector<Extent>& segments, size_t index, uint64_t kept) {
  const Extent& one = segments[index];
  const bool inside = std::any_of(segments.begin(), segments.end(), [&](const Extent& other) {
    return other.size > one.size && other.offset <= one.offset && one.offset + one.size <= other.offset + other.size;
  });
  return inside ? std::min(kept, one.offset & (~one.offset + 1)) : kept;
}

std::string CheckPlaces(const FileBytes& before, const FileBytes& after, uint64_t least_alignment) {
  const Places old_places = ReadPlaces(before);
  const Places places = ReadPlaces(after);
  const uint64_t for_blobs = RoundnessOfBlobs(old_places);
  std::string problem = Grew("tables", old_places.tables_bytes, places.tables_bytes, kMaxGrowth + for_blobs);
  if (!problem.empty()) return problem;
  const uint64_t largest = LargestAlignment(before);
  const bool base_moves =
      places.tables_bytes > old_places.tables_bytes || for_blobs != 0 || old_places.segment_base % largest != 0;
  problem = Grew("file", before.size(), after.size(), kMaxGrowth + for_blobs + (base_moves ? 2 * largest : 0));
  if (!problem.empty()) return problem;
  const uint64_t kept = std::min(least_alignment, kMaxCertainAlignment);
  std::vector<Extent> old_segments = OpenBytes(before)->segments();
  std::erase_if(old_segments, [](const Extent& segment) { return segment.size == 0; });  // as `places` has it
  for (size_t i = 0; i < places.segments.size(); ++i) {
    const uint64_t place = places.segments[i];
    if (place % KeptInside(old_segments, i, kept) != 0)
      return "a segment lies at " + std::to_string(place) + ", no multiple of " + std::to_string(kept);
  }
  for (const uint64_t place : places.inline_blobs) {
    if (place % 16 != 0) return "an inline blob lies at " + std::to_string(place) + ", no multiple of 16";
  }
  return "";
}

template <class Read>
std::string CheckRepack(const FileBytes& bytes, uint64_t least_alignment, Read read) {
  Result<FileBytes> once = Repack(bytes);
  if (!once) return once.error().code == ErrorCode::kUnsupported ? "" : "repack: " + Words(once.error());
  std::string problem = FirstDifference(read(bytes), read(*once));
  if (!problem.empty()) return problem;
  problem = CheckPlaces(bytes, *once, least_alignment);
  if (!problem.empty()) return problem;
  Result<FileBytes> twice = Repack(*once);
  if (!twice) return "second repack: " + Words(twice.error());
  return *once == *twice ? "" : "a second repack gives other bytes";
}

std::string CheckSums(const SizeNode& node) {
  if (node.components.empty()) return "";
  uint64_t sum = 0;
  for (const SizeNode& component : node.components) {
    sum += component.size;
    const std::string problem = CheckSums(component);
    if (!problem.empty()) return problem;
  }
  if (sum == node.size) return "";
  return "'" + node.name + "' has " + std::to_string(node.size) + " bytes, its components " + std::to_string(sum);
}

// A join says which keys stay in their data files, since nothing in the program refers to them.
Lines WithoutSkipped(const Lines& lines, const RewriteReport& report) {
  Lines kept;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(kept), [&](const std::string& line) {
    return std::none_of(report.skipped.begin(), report.skipped.end(),
                        [&](const SkippedItem& item) { return line.starts_with("key '" + item.name + "' = "); });
  });
  return kept;
}

// Of what a split left: that its data files and the program are together what was there before, and that joining them
// is.
std::string CheckSplit(const Files& files, const SplitResult& split) {
  Files after{BytesOf(split.program), files.data, 16};
  for (const PlannedFile& file : split.data) after.data.push_back(BytesOf(file));
  const Lines meaning = ReadIndependently(files.program, files.data, Detail::kMeaning);
  // Content keys are ours: nothing but tensors reads them, and those say what bytes they got.
  std::string problem = FirstDifference(meaning, ReadIndependently(after.program, after.data, Detail::kMeaning));
  if (!problem.empty()) return "after the split:\n" + problem;
  const OpenFiles opened(after);
  if (!opened.problem.empty()) return opened.problem;
  Result<JoinResult> joined = JoinProgram({opened.program[0], opened.data}, {});
  if (!joined) return joined.error().code == ErrorCode::kUnsupported ? "" : "join: " + Words(joined.error());
  const Lines whole = ReadIndependently(BytesOf(joined->program), {}, Detail::kMeaning);
  problem = FirstDifference(WithoutSkipped(meaning, joined->report), whole);
  return problem.empty() ? "" : "after the join:\n" + problem;
}

}  // namespace

OpenedFiles::OpenedFiles(const Files& files) : program(OpenedBytes(files.program, "program")) {
  for (const FileBytes& bytes : files.data) data.push_back(OpenedBytes(bytes, "data " + std::to_string(data.size())));
}

std::string RewriteOfNothingIsIdentical(const Files& files) {
  const OpenFiles opened(files);
  if (!opened.problem.empty()) return opened.problem;
  if (opened.program[0].kind() != FileKind::kProgram) return "";
  Result<ProgramModel> model = ReadProgramModel(opened.program[0]);
  if (!model) return model.error().code == ErrorCode::kUnsupported ? "" : Words(model.error());
  Result<PlannedFile> plan = PlanFile(*model);
  if (!plan) return Words(plan.error());
  return BytesOf(*plan) == files.program ? "" : "a rewrite that changes nothing gives other bytes";
}

std::string RepackKeepsEverything(const Files& files) {
  return CheckRepack(files.program, files.least_alignment,
                     [](const FileBytes& bytes) { return ReadIndependently(bytes, {}, Detail::kTables); });
}

std::string RepackNeverGrows(const Files& files) {
  std::vector<FileBytes> all = files.data;
  all.push_back(files.program);
  for (const FileBytes& file : all) {
    Result<FileBytes> repacked = Repack(file);
    if (!repacked) return repacked.error().code == ErrorCode::kUnsupported ? "" : "repack: " + Words(repacked.error());
    std::string problem = Grew("file", file.size(), repacked->size(), kMaxGrowth);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string RepackKeepsDataFiles(const Files& files) {
  for (const FileBytes& data : files.data) {
    std::string problem = CheckRepack(data, 16, ReadDataIndependently);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string SplitAndJoinKeepTheMeaning(const Files& files, const SplitOptions& options) {
  const OpenFiles opened(files);
  if (!opened.problem.empty()) return opened.problem;
  Result<SplitResult> split = SplitProgram({opened.program[0], opened.data}, options);
  // A data file that the program has already may have nothing to bind to.
  const bool cannot_bind = options.bind == Bind::kAlways && !split && split.error().code == ErrorCode::kInvalidArgument;
  if (cannot_bind) return "";
  if (!split) return split.error().code == ErrorCode::kUnsupported ? "" : "split: " + Words(split.error());
  std::string problem = CheckSplit(files, *split);
  if (!problem.empty() || split->report.items.empty()) return problem;
  std::vector<Container> data = opened.data;
  for (const PlannedFile& file : split->data) data.push_back(*Container::Open(file.AsSource("data")));
  Result<SplitResult> again = SplitProgram({*Container::Open(split->program.AsSource("again")), data}, options);
  if (!again) return "second split: " + Words(again.error());
  if (!again->report.items.empty()) return "a second split moves " + again->report.items[0].name.str();
  return BytesOf(again->program) == BytesOf(split->program) ? "" : "a second split gives other bytes";
}

std::string SizesAddUp(const Files& files) {
  const OpenFiles opened(files);
  if (!opened.problem.empty()) return opened.problem;
  std::vector<Container> all = opened.data;
  all.push_back(opened.program[0]);
  for (const Container& file : all) {
    const Result<SizeNode> sizes = MeasureSizes(file, {.look_inside = true});
    if (!sizes) return Words(sizes.error());
    if (sizes->size != file.source()->size()) return "the size tree does not have the size of the file";
    std::string problem = CheckSums(*sizes);
    if (!problem.empty()) return problem;
  }
  return "";
}

std::string PlanEqualsFile(const Files& files, const std::string& folder) {
  const OpenFiles opened(files);
  if (!opened.problem.empty()) return opened.problem;
  const Result<SplitResult> split = SplitProgram({opened.program[0], opened.data}, {});
  if (!split) return split.error().code == ErrorCode::kUnsupported ? "" : Words(split.error());
  std::vector<Output> outputs;
  if (!split->data.empty()) outputs.push_back({folder + "/out.ptd", split->data.front()});
  outputs.push_back({folder + "/out.pte", split->program});
  WriteOptions options;
  options.replace = true;
  const auto written = WriteFiles(outputs, {}, options);
  if (!written) return Words(written.error());
  for (const Output& output : outputs) {
    if (ReadBytes(output.path) != BytesOf(output.file)) return output.path + " is not what was planned";
  }
  return "";
}

void UseDamaged(const FileBytes& file, const std::vector<FileBytes>& data) {
  const Result<Container> opened = OpenBytes(file);
  if (!opened) return;
  Describe(*opened);
  EXPECT_TRUE(DescribeDelegates(*opened));
  EXPECT_TRUE(MeasureSizes(*opened, {.look_inside = true}));
  if (opened->kind() == FileKind::kData) return;
  const OpenFiles others({file, data, 16});
  SplitOptions options;
  options.selection.mutables = true;
  if (const auto split = SplitProgram({*opened, others.data}, options)) BytesOf(split->program);
  if (const auto joined = JoinProgram({*opened, others.data}, {})) BytesOf(joined->program);
}

}  // namespace pteedit::test
