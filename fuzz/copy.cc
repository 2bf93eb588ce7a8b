// ptecopy: an edit of what there is, and the edit back. A second file may be a program
// that gives a method, or a checkpoint with other weights.
#include "pteedit/copy.h"

#include <string>
#include <utility>
#include <vector>

#include "file_promises.h"
#include "fuzz_input.h"
#include "options.h"
#include "pteedit/describe.h"
#include "pteedit/same.h"

using namespace pteedit;

namespace {

// Of the first tensor that has bytes, as many others.
std::vector<NewContent> NewContents(const Container& file) {
  constexpr uint64_t kMaxBytes = 1 << 20;
  for (const TensorDescription& tensor : Describe(file).tensors) {
    const uint64_t size = tensor.extent ? tensor.bytes.value_or(0) : 0;
    if (tensor.name.empty() || size == 0 || size > kMaxBytes) continue;
    return {{tensor.name, MakeMemorySource("new", std::vector<uint8_t>(static_cast<size_t>(size), uint8_t{1}))}};
  }
  return {};
}

CopyOptions EditsOf(const Container& file, const std::vector<AddedMethods>& added, const fuzz::OptionBytes& bytes) {
  CopyOptions edits;
  const std::vector<MethodDescription> methods = Describe(file).methods;
  if ((bytes[0] & 1) != 0 && !methods.empty()) edits.keep_methods = {methods[bytes[1] % methods.size()].name};
  if ((bytes[0] & 2) != 0 && !methods.empty()) edits.rename_methods = {{methods.back().name, "renamed"}};
  if ((bytes[0] & 4) != 0) edits.set_methods = {{"fact", {int64_t{1}, true, std::string("x")}, true}};
  if ((bytes[0] & 8) != 0) edits.add_data = {{"metadata.fact", MakeMemorySource("fact", {1, 2, 3}), true}};
  if ((bytes[0] & 16) != 0) edits.remove_data = [&](const std::string& key) { return key.size() % 4 == bytes[2] % 4; };
  edits.upgrade = (bytes[0] & 32) != 0;
  if ((bytes[0] & 128) != 0) edits.splat = bytes[1] % 2 == 0 ? Splat{} : Splat{bytes[1]};
  if ((bytes[0] & 64) != 0) edits.add_methods = added;
  if ((bytes[2] & 64) != 0) edits.replace = NewContents(file);
  edits.min_alignment = fuzz::AlignmentFrom(bytes[3]);
  return edits;
}

// The first method of the second file, where it is a program.
std::vector<AddedMethods> AddedBy(const fuzz::FuzzInput& input) {
  if (input.files.size() < 2) return {};
  Result<Container> other = fuzz::Open(input.files[1], "other");
  if (!other || other->kind() != FileKind::kProgram) return {};
  const std::vector<MethodDescription> methods = Describe(*other).methods;
  if (methods.empty()) return {};
  return {{*std::move(other), methods.front().name, "added"}};
}

// A key that gets another name, also in blobs, and its own back. Where it tells a content, the other tells it too.
void CheckRenamedKey(const Container& file, size_t number) {
  if (file.named_data().empty()) return;
  constexpr size_t kHash = 64;
  const std::string key(file.named_data()[number % file.named_data().size()].key);
  if (key.find('\0') != key.npos) return;  // an error by itself, which no rewrite may add
  CopyOptions there, back;
  there.rename_keys = {{key, key.size() < kHash ? "renamed" : "p_renamed_" + key.substr(key.size() - kHash)}};
  back.rename_keys = {{there.rename_keys[0].second, key}};
  const Result<CopyResult> renamed = Copy(file, there);
  if (!renamed) return;
  const Result<CopyResult> again = Copy(fuzz::Reopen(renamed->file, "renamed"), back);
  fuzz::PromiseResult(again, "a renamed key can have its name back:");
  const auto difference = FindDifference(fuzz::Reopen(again->file, "again"), file);
  fuzz::Promise(!difference || !*difference, "with its name back it is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> file = fuzz::Open(input.files[0], "in");
  if (!file) return 0;
  CheckRenamedKey(*file, input.options[1]);
  CopyOptions edits = EditsOf(*file, AddedBy(input), input.options);
  const bool is_refit = (input.options[2] & 32) != 0 && input.files.size() > 1;
  if (is_refit) edits.refit = {MakeViewSource("new.safetensors", input.files[1])};
  const Result<CopyResult> copy = Copy(*file, edits);
  if (!copy) return 0;
  const Container edited = fuzz::Reopen(copy->file, "edited");
  if (edits.upgrade) {
    CopyOptions again;
    again.upgrade = true;
    const Result<CopyResult> upgraded = Copy(edited, again);
    fuzz::PromiseResult(upgraded, "what was upgraded can be copied:");
    fuzz::Promise(!upgraded->changed, "a second upgrade changes nothing");
  }
  if (edits.add_data.empty()) return 0;
  CopyOptions back;
  back.remove_keys = {"metadata.fact"};
  const Result<CopyResult> without = Copy(edited, back);
  if (edited.kind() == FileKind::kData && edited.named_data().size() == 1) {
    fuzz::Promise(!without, "a data file keeps its last key");
  } else {
    fuzz::PromiseResult(without, "what was added can be removed:");
  }
  return 0;
}
