// Giving data files the entry to which programs can be bound, and programs the values that bind them (binding_key.h).
#ifndef PTEEDIT_SRC_EDIT_BINDING_H_
#define PTEEDIT_SRC_EDIT_BINDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edit/model.h"
#include "edit/tables.h"
#include "pteedit/binding.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// The keys of the values that bind a method, in order. They are its last ones, and nothing refers to them.
std::vector<std::string_view> BindingsOf(tables::ExecutionPlan& plan);
void TakeOutBindings(tables::Program& program);
// Binds each method to these and nothing else.
void SetBindings(ProgramModel& model, const std::vector<std::string>& keys);

// A data file that has its binding entry and no other.
struct BoundData {
  PlannedFile file;
  std::string key;
};
enum class Places { kAnew, kKept };  // kept: segments lie as far behind their base, which moves by whole pages
Result<BoundData> PlanBoundData(PlannedFile data, uint64_t min_alignment, unsigned threads,
                                Places places = Places::kAnew);
// The same but for the key, which is one that no file has.
Result<BoundData> ForetellBoundData(PlannedFile data, uint64_t min_alignment);
// Where the entry of a changed data file is no longer right: the file with the one that is, and a note. Reads all
// contents of a file that has an entry.
Result<std::optional<BoundData>> BindAnew(const PlannedFile& data, uint64_t min_alignment, unsigned threads,
                                          RewriteReport& report);
// The size of a bound data file, where a program that reads the file may have to be bound to it; else its own.
Result<uint64_t> SizeWhenBound(const PlannedFile& data, Bind bind, uint64_t min_alignment, Places places);
Result<PlannedFile> PlanBoundProgram(const PlannedFile& program, const std::vector<std::string>& keys,
                                     uint64_t min_alignment);

// One that was there before may have no room for its entry. Fails with kInvalidArgument.
Status CheckShardSize(uint64_t bytes, const std::optional<uint64_t>& most, const std::string& name);

// Both without what binds, to be edited as if nothing did.
Result<PlannedFile> PlanUnbound(const Container& file, Places places);

Result<bool> IsToBind(Bind bind, const Container& program, const Container& data);
// Of a data file that stays as it is: the key of its entry. Where it has none that is right, nothing and a note, or
// kInvalidArgument where Bind::kAlways asks for it.
Result<std::optional<std::string>> KeyOfKept(const Container& data, Bind bind, unsigned threads, RewriteReport& report);

// Whether all of `file` is `whole` and nothing else.
bool IsCopyOf(const PlannedFile& file, const Source& whole);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_BINDING_H_
