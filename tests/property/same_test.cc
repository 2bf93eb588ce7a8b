// That --same sees what matters and nothing else: a program is the same as its repack, its split, its join and, up to
// stack traces, its strip, and not the same after any change of a field or of a byte that something reads.
#include "pteedit/same.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "any_files.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "file_contents.h"
#include "generated_files.h"
#include "manifest_files.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "pteedit/strip.h"

namespace pteedit::test::same_test {
namespace {

// "" where the same.
std::string DifferenceOf(const Container& file, const std::vector<Container>& data, const Container& other,
                         const std::vector<Container>& other_data) {
  const auto found = FindDifference({file, data}, {other, other_data});
  if (!found) return found.error().code == ErrorCode::kUnsupported ? "" : Words(found.error());
  return *found ? (*found)->where + ": " + (*found)->message : "";
}

std::string SameAsRewritten(const Files& files, const SplitOptions& options) {
  const OpenedFiles opened(files);
  const Container& program = opened.program;
  std::string problem = DifferenceOf(program, opened.data, program, opened.data);
  if (!problem.empty()) return "itself: " + problem;
  if (program.kind() == FileKind::kProgram) {
    Result<ProgramModel> model = ReadProgramModel(program);
    if (!model) return "";
    model->changed = true;
    const Container repacked = *Container::Open(PlanFile(*model)->AsSource("repacked"));
    problem = DifferenceOf(program, opened.data, repacked, opened.data);
    if (!problem.empty()) return "repacked: " + problem;
  }
  const Result<SplitResult> split = SplitProgram({program, opened.data}, options);
  if (!split) return "";
  std::vector<Container> data = opened.data;
  for (const PlannedFile& file : split->data) data.push_back(*Container::Open(file.AsSource("split data")));
  const Container without = *Container::Open(split->program.AsSource("split"));
  problem = DifferenceOf(program, opened.data, without, data);
  if (!problem.empty()) return "split: " + problem;
  const Result<JoinResult> joined = JoinProgram({without, data}, {});
  if (!joined) return "";
  problem = DifferenceOf(program, opened.data, *Container::Open(joined->program.AsSource("joined")), {});
  return problem.empty() ? "" : "joined: " + problem;
}

// Stripping padding, copies and stack traces leaves a program the same but for the stack traces.
std::string SameAsStripped(const Files& files) {
  const OpenedFiles opened(files);
  StripOptions options;
  options.unreferenced = false;
  options.padding = options.dedupe = options.overlap = true;
  const Result<StripResult> stripped = Strip(opened.program, options);
  if (!stripped) return stripped.error().code == ErrorCode::kUnsupported ? "" : Words(stripped.error());
  const Container without = *Container::Open(stripped->file.AsSource("stripped"));
  const auto found = FindDifference({opened.program, opened.data}, {without, opened.data}, {/*stack_traces=*/false});
  if (found && *found) return "stripped: " + (*found)->where + ": " + (*found)->message;
  const auto with_traces = FindDifference({opened.program, opened.data}, {without, opened.data});
  if (!found || !with_traces) return "";
  const std::vector<MovedItem>& items = stripped->report.items;
  const bool had_traces =
      std::any_of(items.begin(), items.end(), [](const MovedItem& item) { return item.what == "stack-traces"; });
  return with_traces->has_value() == had_traces ? "" : "stack traces went unseen, or were missed";
}

// Calls visit() with a change for every leaf of the tables that means more than a place.
class LeafVisitor {
 public:
  using Change = std::function<void()>;
  std::vector<Change> changes;

  template <class T>
  void Table(T& table) {
    T::Fields(table, [&](int field, auto& value) {
      if (!SaysPlace(table, field)) Field(value);
    });
  }

 private:
  template <class T>
  static bool SaysPlace(const T&, int) {
    return false;
  }
  static bool SaysPlace(const tables::Tensor&, int field) { return field == 5; }
  // A name counts where both have one, but in a data file it is a key.
  static bool SaysPlace(const tables::ExtraTensorInfo& info, int field) {
    return field == 0 || field == 2 || (field == 1 && (info.location != 0 || info.fully_qualified_name.size() == 0));
  }
  static bool SaysPlace(const tables::BackendDelegate&, int field) { return field == 1; }
  static bool SaysPlace(const tables::KernelCall&, int field) { return field == 0; }  // goes by the operator's name

  template <class Number>
  static Number Other(Number value) {
    if constexpr (std::is_floating_point_v<Number>) return value == 1 ? 2 : 1;  // 1e300 + 1 would be the same
    return static_cast<Number>(static_cast<uint64_t>(value) + 1);               // wraps
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void Field(Number& value) {
    changes.push_back([&value] { value = Other(value); });
  }
  template <class T>
  void Field(tables::Vector<T>& value) {
    changes.push_back([&value] {
      std::vector<T> values(std::max<size_t>(value.size(), 1), T{1});
      std::copy(value.begin(), value.end(), values.begin());
      if (value.size() != 0) values.back() = Other(values.back());
      value = tables::Vector<T>::Own(std::move(values));
    });
  }
  void Field(tables::Blob& value) { Field(value.bytes); }
  template <tables::Optional Child>
  void Field(Child& value) {
    if (value) Table(*value);
  }
  template <class T>
  void Field(tables::Children<T>& value) {
    for (T& item : value.items) Table(item);
    if (!value.items.empty()) changes.push_back([&value] { value.items.pop_back(); });
  }
  template <class... Members>
  void Field(std::variant<Members...>& value) {
    std::visit(
        [&](auto& member) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(member)>, std::monostate>) Table(member);
        },
        value);
  }
};

// Number `choice` of all changes of the methods.
std::string ChangedFieldIsFound(const Files& files, size_t choice) {
  const OpenedFiles opened(files);
  if (opened.program.kind() != FileKind::kProgram) return "";
  Result<ProgramModel> model = ReadProgramModel(opened.program);
  if (!model) return "";
  LeafVisitor leaves;
  for (tables::ExecutionPlan& plan : model->tables.execution_plan.items) leaves.Table(plan);
  if (leaves.changes.empty()) return "";
  leaves.changes[choice % leaves.changes.size()]();
  model->changed = true;
  const Result<PlannedFile> plan = PlanFile(*model);
  if (!plan) return "";
  const Result<Container> changed = Container::Open(plan->AsSource("changed"));
  if (!changed) return "";  // the change broke the file
  const auto found = FindDifference({opened.program, opened.data}, {*changed, opened.data});
  if (!found || *found) return "";
  return "change " + std::to_string(choice % leaves.changes.size()) + " of " + std::to_string(leaves.changes.size()) +
         " is not seen";
}

// Byte number `choice` of all that something reads in the program.
std::string ChangedByteIsFound(const Files& files, size_t choice) {
  const OpenedFiles opened(files);
  if (opened.program.kind() != FileKind::kProgram) return "";
  std::vector<Extent> read;
  for (const Constant& constant : CollectConstants(opened.program)) read.push_back(constant.extent);
  for (const NamedEntry& entry : opened.program.named_data()) read.push_back(entry.extent);
  for (const schema::ExecutionPlan* plan : OrEmpty(opened.program.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      read.push_back(BlobExtent(opened.program, *delegate));
    }
  }
  std::erase_if(read, [](const Extent& extent) { return extent.size == 0; });
  if (read.empty()) return "";
  const Extent& extent = read[choice % read.size()];
  const size_t place = extent.offset + choice / read.size() % extent.size;
  Files changed = files;
  changed.program[place] = static_cast<uint8_t>(changed.program[place] + 1);
  const OpenedFiles after(changed);
  const auto found = FindDifference({opened.program, opened.data}, {after.program, after.data});
  if (!found || *found) return "";
  return "changed byte " + std::to_string(place) + " is not seen";
}

TEST(Same, RealFileIsTheSameRewritten) {
  for (const bool mutables : {false, true}) {
    SplitOptions options;
    options.selection.mutables = mutables;
    for (const NamedFiles& one : ManifestFiles()) EXPECT_EQ(SameAsRewritten(one.files, options), "") << one.name;
  }
}

TEST(Same, RealFileIsTheSameStripped) {
  for (const NamedFiles& one : ManifestFiles()) EXPECT_EQ(SameAsStripped(one.files), "") << one.name;
}

TEST(Same, ChangeOfARealFileIsFound) {
  size_t choice = 1;
  for (const NamedFiles& one : ManifestFiles()) {
    for (int i = 0; i < 10; ++i) {
      choice = choice * 6364136223846793005U + 1442695040888963407U;
      EXPECT_EQ(ChangedFieldIsFound(one.files, choice >> 20), "") << one.name;
      EXPECT_EQ(ChangedByteIsFound(one.files, choice >> 20), "") << one.name;
    }
  }
}

Files AnySmallFiles() {
  const auto tape =
      *rc::gen::withSize([](int size) { return rc::gen::resize(size * 4, rc::gen::arbitrary<Tape>()); }).as("tape");
  return FilesFrom(tape);
}

RC_GTEST_PROP(Same, GeneratedFileIsTheSameRewritten, ()) {
  SplitOptions options;
  options.selection.mutables = *rc::gen::arbitrary<bool>();
  Holds(SameAsRewritten(AnySmallFiles(), options));
}
RC_GTEST_PROP(Same, GeneratedFileIsTheSameStripped, ()) { Holds(SameAsStripped(AnySmallFiles())); }
RC_GTEST_PROP(Same, ChangeOfAGeneratedFileIsFound, ()) {
  const Files files = AnySmallFiles();
  const size_t choice = *rc::gen::inRange<size_t>(0, 1 << 20);
  Holds(ChangedFieldIsFound(files, choice));
  Holds(ChangedByteIsFound(files, choice));
}

}  // namespace
}  // namespace pteedit::test::same_test
