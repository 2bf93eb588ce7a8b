// What verifies without errors does so after any operations, and every tensor, blob and key holds what it held: by a
// reader that shares no line with the library. Each option byte is an operation, see Apply.
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fuzz_input.h"
#include "pteedit/copy.h"
#include "pteedit/describe.h"
#include "pteedit/merge.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"
#include "what_runs.h"

using namespace pteedit;

namespace {

using fuzz::Promise;
using test::FileBytes;
using test::Lines;

struct Files {
  FileBytes program;
  std::vector<FileBytes> data;
};

struct Told {
  Lines runs;
  std::map<std::string, std::string> keys;  // but those that only tensors read, which `runs` tells
};

FileBytes BytesOf(const Source& source) {
  FileBytes bytes(static_cast<size_t>(source.size()));
  fuzz::PromiseResult(source.Read(0, {bytes.data(), bytes.size()}), "planned files can be read:");
  return bytes;
}
FileBytes BytesOf(const PlannedFile& file) { return BytesOf(*file.AsSource("planned")); }

// "key 'k' = layout 3 bytes #ab", of which the layout may lack; nothing where it is no such line.
std::optional<std::pair<std::string, std::string>> KeyIn(const std::string& line) {
  const size_t equals = line.rfind("' = "), bytes = line.rfind(" bytes #");
  if (!line.starts_with("key '") || equals == std::string::npos || bytes == std::string::npos) return std::nullopt;
  return std::pair(line.substr(5, equals - 5), line.substr(line.rfind(' ', bytes - 1)));
}

Told Tell(const Files& files) {
  const Lines lines = test::ReadIndependently(files.program, files.data, test::Detail::kMeaning);
  Told told{test::WhatRuns(lines), {}};
  for (const std::string& line : lines) {
    if (const auto key = KeyIn(line)) told.keys.insert(*key);
  }
  return told;
}

// Also keys that only tensors read.
std::map<std::string, std::string> AllKeys(const Files& files) {
  std::map<std::string, std::string> keys = Tell(files).keys;
  for (const FileBytes& data : files.data) {
    for (const std::string& line : test::ReadDataIndependently(data)) {
      if (const auto key = KeyIn(line)) keys.insert(*key);
    }
  }
  return keys;
}

std::string ErrorsOf(const Files& files) {
  std::vector<std::shared_ptr<const Source>> data;
  data.reserve(files.data.size());
  for (const FileBytes& bytes : files.data)
    data.push_back(MakeMemorySource("data" + std::to_string(data.size()) + ".ptd", bytes));
  const auto found = Verify(MakeMemorySource("program.pte", files.program), data);
  if (!found) return found.error().message;
  for (const FileFindings& file : *found) {
    for (const Finding& finding : file.findings)
      if (finding.severity == Severity::kError) return file.file + ": " + finding.where + ": " + finding.message;
  }
  return "";
}

ProgramSet Opened(const Files& files) {
  std::vector<Container> data;
  data.reserve(files.data.size());
  for (const FileBytes& bytes : files.data)
    data.push_back(*Container::Open(MakeMemorySource("data" + std::to_string(data.size()) + ".ptd", bytes)));
  return {*Container::Open(MakeMemorySource("program.pte", files.program)), std::move(data)};
}

// What is clean is refused only because it cannot be rewritten without loss, or by a limit.
template <class T>
bool IsDone(const Result<T>& result, const char* what) {
  if (result) return true;
  Promise(result.error().code == ErrorCode::kUnsupported || fuzz::IsLimit(result.error()), what,
          result.error().message);
  return false;
}

class Trip {
 public:
  // All clean; the first set is the one to follow, the others it is merged with.
  explicit Trip(std::vector<Files> sets) : now_(sets.front()), expected_(Tell(now_)), sets_(std::move(sets)) {}

  // The lowest three bits say what to do, the others how.
  void Apply(uint8_t byte) {
    const auto how = static_cast<unsigned>(byte >> 3);
    switch (byte & 7) {
      case 1:
        return Split(how);
      case 2:
        return Join();
      case 3:
        return StripProgram(how);
      case 4:
        return StripData(how);
      case 5:
        return Edit(how);
      case 6:
        return Merge({now_, now_}, how);
      case 7:
        sets_.front() = now_;
        return Merge(sets_, how);
      default:
        return;
    }
  }

 private:
  void Split(unsigned how) {
    SplitOptions options;
    options.selection.mutables = (how & 1) != 0;
    options.selection.min_bytes = (how & 2) != 0 ? 64 : 0;
    if ((how & 4) != 0) options.max_shard_bytes = 4096;
    if ((how & 8) != 0) options.max_external_tensors = 2;
    if ((how & 16) != 0) options.min_alignment = 256;
    const Result<SplitResult> split = SplitProgram(Opened(now_), options);
    const bool is_small_shard = !split && split.error().code == ErrorCode::kInvalidArgument && options.max_shard_bytes;
    if (is_small_shard || !IsDone(split, "what is clean can be split:")) return;
    now_.program = BytesOf(split->program);
    for (const PlannedFile& file : split->data) now_.data.push_back(BytesOf(file));
    Check("split");
  }

  // What only others refer to stays in the data files.
  void Join() {
    const Result<JoinResult> joined = JoinProgram(Opened(now_), {});
    if (!IsDone(joined, "what is clean can be joined:")) return;
    for (const SkippedItem& item : joined->report.skipped) expected_.keys.erase(item.name);
    for (const MovedItem& item : joined->report.items) {
      if (item.what != "named-data") expected_.keys.erase(item.key);
    }
    now_ = {BytesOf(joined->program), {}};
    Check("join");
  }

  static StripOptions StripOptionsFrom(unsigned how) {
    StripOptions options;
    options.debug = (how & 1) != 0;
    options.unreferenced = (how & 2) != 0;
    options.padding = (how & 4) != 0;
    options.dedupe = (how & 8) != 0;
    options.overlap = options.dedupe && (how & 16) != 0;
    options.repack = how == 0 || how == 16;
    return options;
  }

  void StripProgram(unsigned how) {
    const StripOptions options = StripOptionsFrom(how);
    const Result<StripResult> stripped = Strip(Opened(now_).file(), options);
    if (!IsDone(stripped, "what is clean can be stripped:")) return;
    for (const MovedItem& item : stripped->report.items) {
      if (options.unreferenced && item.what == "named-data") expected_.keys.erase(item.key);
    }
    now_.program = BytesOf(stripped->file);
    Check("strip");
  }

  void StripData(unsigned how) {
    for (FileBytes& data : now_.data) {
      const Result<StripResult> stripped =
          Strip(*Container::Open(MakeMemorySource("data.ptd", data)), StripOptionsFrom(how));
      if (!IsDone(stripped, "what is clean can be stripped:")) continue;
      data = BytesOf(stripped->file);
    }
    Check("strip of data files");
  }

  bool Copied(const CopyOptions& options, const char* what) {
    const Result<CopyResult> copy = Copy(Opened(now_).file(), options);
    if (!IsDone(copy, what)) return false;
    now_.program = BytesOf(copy->file);
    return true;
  }

  // Something that is new, and without it; or what old files lack.
  void Edit(unsigned how) {
    if ((how & 1) != 0) {
      CopyOptions upgrade;
      upgrade.upgrade = true;
      Copied(upgrade, "what is clean can be upgraded:");
    }
    if ((how & 2) != 0) AddAndRemove(how);
    if ((how & 4) != 0) RenameAndBack();
    Check("edit");
  }

  void AddAndRemove(unsigned how) {
    if (AllKeys(now_).count("fuzz.key") != 0) return;
    CopyOptions add, remove;
    add.add_data = {{"fuzz.key", MakeMemorySource("added", FileBytes(how, uint8_t{7})), false}};
    remove.remove_keys = {"fuzz.key"};
    if (Copied(add, "data can be added to what is clean:")) Copied(remove, "what was added can be removed:");
  }

  void RenameAndBack() {
    const ProgramSet set = Opened(now_);
    CopyOptions there, back;
    std::map<std::string, int> names;
    for (const MethodDescription& method : Describe(set.program()).methods) {
      if (++names[method.name] > 1) return;
      there.rename_methods.emplace_back(method.name, "fuzz:" + method.name);
      back.rename_methods.emplace_back("fuzz:" + method.name, method.name);
    }
    for (const auto& [name, count] : names) {
      if (name.starts_with("fuzz:")) return;
    }
    if (Copied(there, "methods of what is clean can be renamed:")) Copied(back, "what was renamed can be named again:");
  }

  // The first of the sets is what there is.
  void Merge(const std::vector<Files>& before, unsigned how) {
    std::vector<MergeSet> sets;
    for (const Files& files : before) {
      const bool is_twin = !sets.empty() && files.program == before[0].program && files.data == before[0].data;
      sets.push_back({is_twin ? sets[0].files : Opened(files), "program", "own"});
    }
    MergeOptions options;
    if ((how & 1) != 0) options.min_bytes = 0;
    if ((how & 2) != 0) options.variant_data = VariantData::kDataFile;
    if ((how & 4) != 0) options.max_external_tensors = 2;
    if ((how & 8) != 0) options.min_alignment = 256;
    const Result<MergeResult> merged = MergePrograms(sets, options);
    if (!IsDone(merged, "what is clean can be merged:")) return;
    for (size_t i = 0; i < before.size(); ++i) {
      Told expected = Tell({before[i].program, UsedData(sets[i].files, *merged)});
      const Files after = Merged(*merged, i);
      CheckKept(expected, after, "merge, program " + std::to_string(i));
      if (i != 0) continue;
      now_ = after;
      expected_ = std::move(expected);
    }
  }

  // A data file of which no program refers to a key is no part of them.
  static std::vector<FileBytes> UsedData(const ProgramSet& set, const MergeResult& merged) {
    std::vector<FileBytes> used;
    for (const Container& data : set.data()) {
      const auto is_it = [&](const Container& unused) { return unused.source() == data.source(); };
      if (std::none_of(merged.unused_data.begin(), merged.unused_data.end(), is_it))
        used.push_back(BytesOf(*data.source()));
    }
    return used;
  }

  static Files Merged(const MergeResult& merged, size_t index) {
    const MergedProgram& program = merged.programs[index];
    Files files{BytesOf(program.program), {}};
    for (const size_t shared : program.shared) files.data.push_back(BytesOf(merged.shared[shared]));
    if (program.data) files.data.push_back(BytesOf(*program.data));
    return files;
  }

  void Check(const char* what) const { CheckKept(expected_, now_, what); }

  static void CheckKept(const Told& expected, const Files& files, const std::string& what) {
    Promise(ErrorsOf(files).empty(), "what is clean stays clean:", what + ": " + ErrorsOf(files));
    const std::string runs = test::FirstDifference(expected.runs, Tell(files).runs);
    Promise(runs.empty(), "what runs stays:", what + ": " + runs);
    const std::map<std::string, std::string> keys = AllKeys(files);
    for (const auto& [key, bytes] : expected.keys) {
      const auto found = keys.find(key);
      const bool is_kept = found != keys.end() && found->second == bytes;
      Promise(is_kept, "keys keep what they hold:", is_kept ? "" : std::string(key).append(", ").append(what));
    }
  }

  Files now_;
  Told expected_;
  std::vector<Files> sets_;
};

// The first program with all data files; each further one is a set with them too.
std::vector<Files> FilesOf(const fuzz::FuzzInput& input) {
  std::vector<FileBytes> data;
  std::vector<Files> files;
  for (const ByteSpan bytes : input.files) {
    const Result<Container> file = fuzz::Open(bytes, "file");
    if (file && file->kind() == FileKind::kData) data.emplace_back(bytes.data, bytes.data + bytes.size);
  }
  for (const ByteSpan bytes : input.files) {
    const Result<Container> file = fuzz::Open(bytes, "file");
    if (file && file->kind() != FileKind::kData) files.push_back({{bytes.data, bytes.data + bytes.size}, data});
  }
  return files;
}

bool IsClean(const Files& files) {
  if (!ErrorsOf(files).empty()) return false;
  try {
    Tell(files);
  } catch (const std::exception&) {
    return false;  // what the other reader does not know
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  std::vector<Files> sets = FilesOf(input);
  if (sets.empty() || !IsClean(sets.front())) return 0;
  std::erase_if(sets, [](const Files& files) { return !IsClean(files); });
  Trip trip(std::move(sets));
  for (const uint8_t operation : input.options) trip.Apply(operation);
  return 0;
}
