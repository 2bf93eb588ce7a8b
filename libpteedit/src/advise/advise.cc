// Advise: plan what each rewrite would do and keep those that save something, then look for what none mends.
#include "pteedit/advise.h"

#include <algorithm>
#include <set>
#include <utility>

#include "advise/float_weights.h"
#include "advise/repeated_calls.h"
#include "advise/transposed.h"
#include "advise/unfolded_weights.h"
#include "advise/wasted_memory.h"
#include "base/text.h"
#include "edit/model.h"
#include "program/constants.h"
#include "pteedit/duplicates.h"
#include "pteedit/sizes.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Padding that a larger alignment than the exporter's own makes counts from this share of a file on: one in so many.
constexpr uint64_t kExporterAlignment = 128;
constexpr uint64_t kPaddingShare = 100;

StripOptions Nothing(unsigned threads) {
  StripOptions options;
  options.debug = options.unreferenced = false;
  options.threads = threads;
  return options;
}

// "a weight", "12 weights"
std::string Several(uint64_t count, const char* one, const char* several) {
  return count < 2 ? one : Text(count, " ", several);
}

// "a copy of other contents: constant 'a'"
std::string ListOf(const std::vector<MovedItem>& items, const char* one, const char* several) {
  const auto largest = std::max_element(items.begin(), items.end(),
                                        [](const MovedItem& a, const MovedItem& b) { return a.bytes < b.bytes; });
  const std::string count = Several(items.size(), one, several);
  if (largest == items.end() || largest->name.empty()) return count;
  return Text(count, items.size() == 1 ? ": " : ", the largest: ", largest->what, " ", Quoted(largest->name));
}

class Adviser {
 public:
  Adviser(const ProgramSet& set, unsigned threads)
      : set_(set), file_(set.file()), program_(set.program()), data_(set.data()), threads_(threads) {}

  Result<std::vector<Advice>> Advise(const DelegatesFunction& ask_delegates) {
    PTEEDIT_TRY(TryStrips());
    if (program_.kind() == FileKind::kProgram) {
      PTEEDIT_TRY(TrySplits());
      PTEEDIT_ASSIGN(const std::vector<DelegateDescription>* asked, ask_delegates());
      const std::vector<DelegateDescription>& delegates = *asked;
      AddFromConstants(delegates);
      AddUnfoldedWeights();
      AddWastedMemory();
      AddRepeatedCalls();
      PTEEDIT_TRY(AddTransposed(delegates));
    }
    PTEEDIT_TRY(AddAlignment());
    std::stable_sort(advice_.begin(), advice_.end(), [](const Advice& a, const Advice& b) {
      return std::pair(a.saves.value_or(0), a.takes) > std::pair(b.saves.value_or(0), b.takes);
    });
    return std::move(advice_);
  }

 private:
  void AddStrip(const char* id, std::string message, const StripOptions& options, uint64_t saves) {
    advice_.push_back({id, std::move(message), saves, options, saves});
  }

  void AddWithoutRemedy(const char* id, std::string message, uint64_t takes) {
    if (takes != 0) advice_.push_back({id, std::move(message), takes, {}, {}});
  }

  uint64_t SavedBy(const StripResult& stripped) const { return file_.source()->size() - stripped.file.size(); }

  // Beside two stores, what only segments inside others save.
  Status TryOverlap() {
    StripOptions options = Nothing(threads_);
    options.dedupe = true;
    PTEEDIT_ASSIGN(std::optional<StripResult> stripped, TryStrip(options));
    const uint64_t otherwise = stripped ? stripped->file.size() : file_.source()->size();
    options.overlap = true;
    stripped.reset();  // one plan at a time: each is as large as the tables
    PTEEDIT_ASSIGN(stripped, TryStrip(options));
    if (!stripped || stripped->file.size() >= otherwise) return {};
    AddStrip("overlap",
             "constants that delegates hold too, in one place; the runtime accepts that today and promises it nowhere",
             options, SavedBy(*stripped));
    return {};
  }

  // The plan, unless it saves nothing. A file that cannot be rewritten has no remedy.
  Result<std::optional<StripResult>> TryStrip(const StripOptions& options) {
    Result<StripResult> stripped = Strip(file_, options);
    if (!stripped) {
      if (stripped.error().code == ErrorCode::kIo) return std::move(stripped).error();
      return std::optional<StripResult>();
    }
    if (stripped->file.size() >= file_.source()->size()) return std::optional<StripResult>();
    return std::optional(*std::move(stripped));
  }

  // The report's items, where there are any and the words for several are given, become part of the message.
  Status TryOne(const char* id, bool StripOptions::*member, const char* one, const char* several = nullptr) {
    StripOptions options = Nothing(threads_);
    options.*member = true;
    PTEEDIT_ASSIGN(const std::optional<StripResult> stripped, TryStrip(options));
    if (!stripped) return {};
    AddStrip(id, several == nullptr ? one : ListOf(stripped->report.items, one, several), options, SavedBy(*stripped));
    return {};
  }

  Status TryStrips() {
    if (file_.kind() == FileKind::kBundle)
      PTEEDIT_TRY(TryOne("bundle", &StripOptions::unwrap, "inputs and expected outputs around the program"));
    const size_t before = advice_.size();
    PTEEDIT_TRY(TryOne("stack-traces", &StripOptions::debug, "stack traces: source paths, lines, functions"));
    PTEEDIT_TRY(
        TryOne("unreferenced", &StripOptions::unreferenced, "what nothing refers to", "things that nothing refers to"));
    PTEEDIT_TRY(TryOne("duplicates", &StripOptions::dedupe, "a copy of other contents", "copies of other contents"));
    PTEEDIT_TRY(TryOne("padding", &StripOptions::padding, "bytes between and behind what is stored"));
    PTEEDIT_TRY(TryOne("repeated-tables", &StripOptions::repack, "strings, lists and tables that are written again"));
    return advice_.size() < before + 2 ? Status() : TryAll(before);
  }

  // What several options save at once is not the sum.
  Status TryAll(size_t first) {
    StripOptions options = Nothing(threads_);
    options.debug = options.unreferenced = options.dedupe = options.padding = options.repack = true;
    PTEEDIT_ASSIGN(const std::optional<StripResult> stripped, TryStrip(options));
    const auto best = std::max_element(advice_.begin() + static_cast<std::ptrdiff_t>(first), advice_.end(),
                                       [](const Advice& a, const Advice& b) { return *a.saves < *b.saves; });
    if (!stripped || SavedBy(*stripped) <= *best->saves) return {};
    AddStrip("all-of-these", "all that can be removed at once", options, SavedBy(*stripped));
    return {};
  }

  // Constants of portable kernels and data of delegates lie in two stores, of which only a data file can hold both;
  // what a data file has that is loaded anyway, the program need not hold.
  Status TrySplits() {
    PTEEDIT_ASSIGN(const Duplicates inside, FindDuplicates({file_}, threads_));
    uint64_t twice = 0;
    for (const DuplicateGroup& group : inside.groups) {
      std::set<std::string> stores;
      for (const ContentCopy& copy : group.copies) stores.insert(copy.what);
      if (stores.count("constant") + stores.count("named-data") == 2) twice += group.bytes;
    }
    if (twice != 0) {
      PTEEDIT_TRY(TrySplit("two-stores", "constants that delegates hold too", twice, {}));
      PTEEDIT_TRY(TryOverlap());
    }
    if (data_.empty()) return {};
    return TrySplit("in-data-file", "what a data file holds too", 0, data_);
  }

  Status TrySplit(const char* id, const char* message, uint64_t takes, const std::vector<Container>& match) {
    SplitOptions options;
    options.selection.match.files = match;
    options.threads = threads_;
    const Result<SplitResult> split = SplitProgram(set_, options);
    if (!split && split.error().code == ErrorCode::kIo) return split.error();
    const uint64_t before = file_.source()->size();
    uint64_t after = split ? split->program.size() : before;
    if (split && !split->data.empty()) after += split->data.front().size();
    if (after < before) {
      advice_.push_back({id, message, before - after, options, before - after});
    } else {
      AddWithoutRemedy(id, message, takes);
    }
    return {};
  }

  // Constants take as much memory as anything here, so they are collected for these two alone.
  void AddFromConstants(const std::vector<DelegateDescription>& delegates) {
    const std::vector<Constant> constants = CollectConstants(program_);
    AddFloatWeights(FindFloatWeights(constants, delegates));
    AddInlineConstants(constants);
  }

  void AddFloatWeights(const FloatWeights& weights) {
    if (weights.quantized_bytes == 0 || weights.count == 0) return;
    AddWithoutRemedy("float32",
                     Text(Several(weights.count, "a float32 weight", "float32 weights"), " beside ",
                          HumanSize(weights.quantized_bytes), " of quantized ones, the largest: ", weights.largest,
                          "; only the exporter can quantize"),
                     weights.bytes);
  }

  void AddUnfoldedWeights() {
    const UnfoldedWeights weights = FindUnfoldedWeights(program_);
    AddWithoutRemedy("unfolded",
                     Text(Several(weights.count, "a float weight", "float weights"),
                          " that the program quantizes each time it runs, the largest: ", Quoted(weights.largest),
                          "; only the exporter can fold them, convert_pt2e does with fold_quantize"),
                     weights.bytes);
  }

  void AddWastedMemory() {
    for (const WastedMemory& memory : FindWastedMemory(program_)) {
      AddWithoutRemedy("planned-memory",
                       Text("memory planned for method ", Quoted(memory.method), ", whose tensors need ",
                            HumanSize(memory.needed_bytes),
                            " at once; only exporting again with a plan in which they share it mends that"),
                       memory.planned_bytes);
    }
  }

  void AddRepeatedCalls() {
    const RepeatedCalls calls = FindRepeatedCalls(program_);
    AddWithoutRemedy("computed-again",
                     Text(Several(calls.count, "a result", "results"),
                          " in memory that a kernel before has computed already, the largest: ", calls.makes, " of ",
                          Quoted(calls.largest), "; only the model can keep it, such as a mask for all layers"),
                     calls.bytes);
  }

  Status AddTransposed(const std::vector<DelegateDescription>& delegates) {
    PTEEDIT_ASSIGN(const std::vector<TransposedPair> pairs, FindTransposed(program_, delegates));
    if (pairs.empty()) return {};
    const TransposedPair& largest =
        *std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    uint64_t bytes = 0;
    for (const TransposedPair& pair : pairs) bytes += pair.bytes;
    AddWithoutRemedy("transposed",
                     Text(Several(pairs.size(), "a weight", "weights"),
                          " stored again with rows and columns exchanged, the largest: ", Quoted(largest.second),
                          " of ", Quoted(largest.first), "; only the model can share it"),
                     bytes);
    return {};
  }

  void AddInlineConstants(const std::vector<Constant>& constants) {
    uint64_t bytes = 0;
    for (const Constant& constant : constants) bytes += constant.store == Store::kInline ? constant.extent.size : 0;
    if (bytes == 0) return;
    CopyOptions upgrade;
    upgrade.upgrade = true;
    advice_.push_back(
        {"inline-constants", "constants inside the tables, which newer runtimes refuse", bytes, upgrade, {}});
  }

  Status AddAlignment() {
    uint64_t padding = 0, alignment = 0;
    const std::vector<uint64_t> alignments = ShownAlignments(program_);
    for (size_t i = 0; i < alignments.size(); ++i) {
      if (program_.segments()[i].size == 0) continue;
      alignment = alignment == 0 ? alignments[i] : std::min(alignment, alignments[i]);
    }
    if (alignment <= kExporterAlignment) return {};
    PTEEDIT_ASSIGN(const SizeNode sizes, MeasureSizes(program_, {.pieces = SizePieces::kNone}));
    for (const SizeNode& row : sizes.components) padding += row.name == "Padding" ? row.size : 0;
    for (const Advice& advice : advice_) padding -= advice.id == std::string("padding") ? *advice.saves : 0;
    if (padding < sizes.size / kPaddingShare) return {};
    AddWithoutRemedy(
        "alignment",
        Text("padding because segments are aligned to ", alignment, "; only exporting again with less mends it"),
        padding);
    return {};
  }

  const ProgramSet& set_;
  const Container& file_;
  const Container& program_;
  const std::vector<Container>& data_;
  const unsigned threads_;
  std::vector<Advice> advice_;
};

}  // namespace

Result<std::vector<Advice>> Advise(const ProgramSet& set, const DelegatesFunction& delegates, unsigned threads) {
  return Adviser(set, threads).Advise(delegates);
}

}  // namespace pteedit
