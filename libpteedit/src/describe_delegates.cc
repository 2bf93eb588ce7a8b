#include <algorithm>
#include <map>

#include "constants.h"
#include "container_state.h"
#include "key_search.h"
#include "pteedit/describe.h"
#include "try.h"

namespace pteedit {
namespace {

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
}

DelegateDescription::CompileSpec DescribeCompileSpec(const schema::CompileSpec& spec) {
  const auto& value = OrEmpty(spec.value());
  const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  return {std::string(ViewOf(spec.key())), value.size(), IsPrintable(text) ? std::string(text) : std::string()};
}

// Everything that stands in the tables.
DelegateDescription DescribeOne(const Container& program, const schema::BackendDelegate& delegate) {
  DelegateDescription row;
  row.backend = ViewOf(delegate.id());
  row.is_inline = delegate.processed()->location() == schema::DataLocation::INLINE;
  row.index = delegate.processed()->index();
  row.blob = BlobExtent(program, delegate);
  for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs())) {
    row.compile_specs.push_back(DescribeCompileSpec(*spec));
  }
  return row;
}

void NoteSharedBlobs(std::vector<DelegateDescription>& rows) {
  std::map<std::pair<uint64_t, uint64_t>, size_t> first;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].blob.size == 0) continue;
    const auto [place, is_new] = first.emplace(std::pair(rows[i].blob.offset, rows[i].blob.size), i);
    if (!is_new) rows[i].shared_with = rows[place->second].name;
  }
}

}  // namespace

Result<std::vector<DelegateDescription>> DescribeDelegates(const Container& file) {
  std::vector<DelegateDescription> rows;
  if (file.kind() == FileKind::kData) return rows;
  const Container& program = file.kind() == FileKind::kBundle ? *file.program() : file;
  std::vector<std::string_view> keys;
  for (const NamedEntry& entry : program.named_data()) keys.push_back(entry.key);
  PTEEDIT_ASSIGN(const auto keys_of, KeysOfDelegates(program, keys));
  const schema::Program& root = program.state().program_root();
  std::vector<std::vector<std::string>> names = DelegateNames(root);
  size_t plan_index = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    for (flatbuffers::uoffset_t i = 0; i < OrEmpty(plan->delegates()).size(); ++i) {
      DelegateDescription row = DescribeOne(program, *plan->delegates()->Get(i));
      row.name = std::move(names[plan_index][i]);
      row.method = ViewOf(plan->name());
      for (const size_t key : keys_of[plan_index][i]) row.keys.emplace_back(keys[key]);
      rows.push_back(std::move(row));
    }
    ++plan_index;
  }
  NoteSharedBlobs(rows);
  for (DelegateDescription& row : rows) row.blob.offset += file.program_extent().offset;
  return rows;
}

}  // namespace pteedit
