// What the last release of a family had where, in the words of this merge: by the numbers of contents that its claims
// have.
#ifndef PTEEDIT_SRC_MERGE_PREVIOUS_CONTENTS_H_
#define PTEEDIT_SRC_MERGE_PREVIOUS_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "io/content_index.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit {

class PreviousContents {
 public:
  // Of no release.
  PreviousContents() = default;
  // Only contents of `sizes`, which are those of the claims, can be in this merge. Fails with kInvalidArgument where a
  // shared file is no data file, kUnsupported where it cannot be laid out again.
  static Result<PreviousContents> List(const PreviousRelease& release, const std::set<uint64_t>& sizes);

  // What is to be compared with the claims.
  const std::vector<ContentPlace>& places() const { return places_; }
  // Takes what came of it, by place: the number of a content, or nothing where no claim has it; and the contents of the
  // sets.
  void Number(const std::vector<std::optional<size_t>>& numbers, const std::vector<std::set<size_t>>& sets);

  const std::vector<Container>& shared() const { return shared_; }
  // Of an entry of a shared file.
  std::optional<size_t> ContentOf(size_t file, size_t entry) const;
  bool WasShared(size_t content) const { return shared_contents_.count(content) != 0; }
  bool WasInVariantsOnly(size_t content) const { return own_contents_.count(content) != 0; }
  // Whether there is a variant of the release of which each of these sets has at least half, in bytes, of what not all
  // others had too: then they are that variant and its hotfixes.
  bool AreOneVariant(const std::set<size_t>& sets) const;

 private:
  size_t Add(const ContentPlace& place);
  void ListVariant(const ProgramSet& files, const std::set<uint64_t>& sizes);
  std::set<size_t> VariantsIn(const std::set<size_t>& contents) const;

  std::vector<Container> shared_;
  std::vector<std::vector<std::optional<size_t>>> entries_;  // by file and entry: of a place, then of a content
  std::vector<ContentPlace> places_;
  std::vector<std::vector<size_t>> variant_places_;  // by variant
  std::vector<std::map<size_t, uint64_t>> own_;      // by variant: contents that not all had, and their bytes
  std::vector<std::set<size_t>> variants_of_sets_;   // by set
  std::set<size_t> shared_contents_, own_contents_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_PREVIOUS_CONTENTS_H_
