// A data file of a merge, filled claim by claim: what is in it follows from contents, keys, layouts and alignments
// alone.
#ifndef PTEEDIT_SRC_MERGE_KEYED_DATA_H_
#define PTEEDIT_SRC_MERGE_KEYED_DATA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

class KeyedData {
 public:
  // Both must outlive this. Equal contents get one segment.
  void Add(const Destination& destination, const Claim& claim);

  // The file, or nothing where there are no entries. One of `known` that holds these very entries and no others, at
  // places round enough, is taken as it is, so that who has it already need not fetch it again: the smallest, where
  // there are several. Otherwise entries lie in order of keys, and segments in order of size, the largest first: what
  // is added later is seldom large, and what is before it stays at its place behind the tables.
  Result<std::optional<PlannedFile>> Plan(const std::vector<Container>& known, uint64_t min_alignment) const;

 private:
  struct Entry {
    size_t content = 0;
    const std::optional<TensorLayout>* layout = nullptr;
    std::set<const Source*> sources;  // of the data files that have it under this key
  };
  struct Content {
    const Claim* first = nullptr;
    uint64_t alignment = 0;       // the most that a copy has by no accident
    uint64_t page_alignment = 0;  // what all copies have
    uint64_t AlignmentAtLeast(uint64_t least) const;
  };

  const Container* FindWhole(const std::vector<Container>& known, uint64_t min_alignment) const;
  bool IsWhole(const Container& file, uint64_t min_alignment) const;
  std::vector<size_t> InOrder(uint64_t common) const;
  Result<PlannedFile> Build(uint64_t min_alignment) const;

  std::map<std::string, Entry> entries_;
  std::map<size_t, Content> contents_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_KEYED_DATA_H_
