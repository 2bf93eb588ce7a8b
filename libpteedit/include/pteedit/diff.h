// What changed from one file to another: where the bytes went, which weights have other contents, and what the programs
// say that they did not say before.
#ifndef PTEEDIT_DIFF_H_
#define PTEEDIT_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

// How the elements of two contents differ. Those of a packed type, or of one that is not known, are bytes.
struct ElementChange {
  struct Sample {
    uint64_t index = 0;  // in memory order
    double before = 0, after = 0;
  };
  // Of the differences between numbers, by amount; nothing where one is no finite number.
  struct Numbers {
    std::optional<double> largest, mean;
    std::vector<Sample> first;  // of those that differ, three at most
  };

  bool are_bytes = false;
  uint64_t elements = 0;
  uint64_t differing = 0;  // whose bits differ, or, between two types, whose values do
  Rare<Numbers> numbers;   // none of bytes
};

// A row of the size tree, or a component that has no rows. There may be as many as tables in both files.
struct SizeChange {
  // "added", "removed", "changed"; of the same bytes "moved" to another component, "renamed" inside one.
  const char* change = "";
  SharedText what;   // the component in the new file, of what was removed in the old one: "Constant Tensors"
  std::string name;  // of the row there; the component's own where it has none
  // Both in the old file, where one of them is another; else empty.
  SharedText old_what;
  Rare<std::string> old_name;
  uint64_t old_bytes = 0;  // as the size trees count them: what shares its bytes with another row may have 0
  uint64_t new_bytes = 0;
  SharedText old_type, new_type;  // of weights, where they are known: "float32[16,4]"
  Boxed<ElementChange> elements;  // where both sides have contents that can be compared element by element

  // Of changed weights, the arguments and delegates of the new file that read it, eight at most, and how many there
  // are: "forward aten::mm.out argument 1", "forward XnnpackBackend_0".
  Rare<std::vector<SharedText>> used_by;
  uint64_t uses = 0;
  uint32_t module_length = 0;  // of the beginning of `name` that is module()
  bool same_content = false;   // both sides have the same bytes
  bool is_weight = false;      // a constant, an initial state, or what a key names

  // As in the size tree, see SizeNode.
  std::string_view module() const { return std::string_view(name).substr(0, module_length); }
};

struct ComponentChange {
  std::string what;  // "Constant Tensors"
  uint64_t old_bytes = 0, new_bytes = 0;
};

// How many weights, or delegates, are matched, and how.
struct MatchCounts {
  uint64_t same = 0;   // the same bytes, under whatever name and wherever
  uint64_t alike = 0;  // delegates: other bytes, the same operators, keys and types of constants
  uint64_t changed = 0, added = 0, removed = 0;
};

struct MethodChange {
  const char* change = "";  // "added", "removed", "changed"
  std::string name;
  uint64_t old_instructions = 0, new_instructions = 0;
  uint64_t old_values = 0, new_values = 0;
  std::vector<uint64_t> old_arenas, new_arenas;  // bytes of each that is planned
  uint64_t old_planned_bytes = 0, new_planned_bytes = 0;
};

// How often an operator is called by instructions, or in the graphs of all delegates of a backend.
struct OperatorChange {
  std::string backend;  // empty for instructions
  std::string name;
  uint64_t old_calls = 0, new_calls = 0;
};

// Something that a program says, in words: empty where it does not say it.
struct MeaningChange {
  // "version", "release", "needs", "data files", "external keys", "bound to", "backend", "compile spec", "target",
  // "value" of a method without instructions, "input", "output", "planned tensors" in an arena, "planned tensor",
  // "call".
  const char* what = "";
  std::string name;  // "forward 0", "XnnpackBackend soc_model"
  std::string before, after;
  uint64_t times = 1;  // calls: how many of them
};

struct FileDiff {
  uint64_t old_bytes = 0, new_bytes = 0;    // of the files, with their data files
  std::vector<ComponentChange> components;  // in the order of the size trees; they add up to the files
  // Their growth adds up to that of the files. Removed rows stand where the old file has them among the others, the
  // largest growth first, then by name.
  std::vector<SizeChange> sizes;
  MatchCounts weights, delegates;
  std::vector<MethodChange> methods;      // by name
  std::vector<OperatorChange> operators;  // by backend and name
  std::vector<MeaningChange> meaning;     // by the order of `what` above, then by name

  bool is_same() const { return sizes.empty() && methods.empty() && operators.empty() && meaning.empty(); }
};

// Compares two files of one kind, each with the data files that belong to it. Rows are matched
// - by content, byte by byte, where both sides have the name, in the same component, anywhere;
// - by name, where that is one: not "forward.constant_3", "XnnpackBackend_0", nor a key made of a hash;
// - delegates by backend, operators and keys, then by less of that;
// - keys by their places in delegates that are matched;
// - what has no name by type and sizes: constants between the same neighbours, then in order; then by sizes alone.
// The flatbuffers' bytes count as well, so that nothing but padding can differ unseen. Calls are matched by operator
// and arguments. `decoders` are those of DescribeDelegates. Each content is read once, and once more where it has
// another on the other side. kInvalidArgument where the kinds differ, or a data file is none; kIo where a file can no
// longer be read.
PTEEDIT_API Result<FileDiff> DiffFiles(const ProgramSet& before, const ProgramSet& after, unsigned threads = 1,
                                       const std::vector<BlobDecoder>& decoders = {});

}  // namespace pteedit

#endif  // PTEEDIT_DIFF_H_
