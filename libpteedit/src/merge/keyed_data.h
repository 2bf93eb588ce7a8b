// A data file of a merge, filled claim by claim: what is in it follows from contents, keys, layouts and alignments
// alone.
#ifndef PTEEDIT_SRC_MERGE_KEYED_DATA_H_
#define PTEEDIT_SRC_MERGE_KEYED_DATA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/data_builder.h"
#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "merge/previous_contents.h"
#include "pteedit/binding.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct DataFilesOptions {
  std::vector<Container> known;
  uint64_t min_alignment = 16;
  std::optional<uint64_t> max_bytes = {};      // of a file once it is bound
  Bind bind = Bind::kNever;                    // as it will be
  const PreviousContents* previous = nullptr;  // whose shared files these are to be
};

// Of the contents of keys, as far as merges of the same files found out.
using KeyAlignments = std::map<std::string, uint64_t, std::less<>>;

struct DataFiles {
  std::vector<PlannedFile> files;
  KeptPlaces kept;  // with a previous release
};

class KeyedData {
 public:
  // Both must outlive this. Equal contents get one segment. Where it is known which alignment a claim has by no
  // accident, its place says nothing.
  void Add(const Destination& destination, const Claim& claim, std::optional<uint64_t> known_alignment = {});

  // Gives contents no less than what their keys had, and lists what they have now.
  void KeepAlignments(KeyAlignments& alignments);

  // The files, or none where there are no entries. One of the known that holds these very entries and no others, at
  // places round enough, is taken as it is, so that who has it already need not fetch it again: the smallest, where
  // there are several. Otherwise entries lie in order of keys, and segments in order of size, the largest first: what
  // is added later is seldom large, and what is before it stays at its place behind the tables.
  // With a previous release, its entries come first, in their order, and contents that it has stay where it has them.
  Result<DataFiles> Plan(const DataFilesOptions& options) const;

 private:
  struct Entry {
    size_t content = 0;
    SharedOptional<TensorLayout> layout;
    std::vector<const Source*> sources;  // of the data files that have it under this key
  };
  struct Content {
    const Claim* first = nullptr;
    uint64_t alignment = 0;       // the most that a copy has by no accident
    uint64_t page_alignment = 0;  // what all copies have
    uint64_t AlignmentAtLeast(uint64_t least) const;
  };

  // One of the previous files, with what is still in it.
  struct BegunFile {
    DataBuilder builder;
    const Container* origin = nullptr;
    bool unchanged = false;
  };
  struct Begun {
    std::vector<BegunFile> files;
    std::set<std::string_view> keys;
    std::map<size_t, std::pair<size_t, uint32_t>> contents;  // and their file and segment there
    KeptPlaces kept;
  };
  // A content and where it was behind the segment base.
  struct KeptContent {
    uint64_t place = 0, bytes = 0;
    size_t content = 0;
    bool inside = false;  // in the bytes of the one that is kept before it
  };

  Result<const Container*> FindWhole(const DataFilesOptions& options) const;
  bool IsWhole(const Container& file, uint64_t min_alignment) const;
  std::vector<size_t> InOrder(uint64_t common) const;
  Begun Begin(const DataFilesOptions& options) const;
  void BeginFile(size_t file, const DataFilesOptions& options, Begun& begun) const;
  bool IsPartOf(const KeptContent& content, const KeptContent& whole) const;
  enum class Base { kStays, kMoves };  // kStays: or moves by whole pages
  std::vector<KeptContent> ContentsToKeep(size_t file, const DataFilesOptions& options, const Begun& begun,
                                          Base base) const;
  Base BaseWith(const std::vector<KeptContent>& kept, size_t file, const DataFilesOptions& options,
                const Begun& begun) const;
  size_t LeastUnused() const { return contents_.empty() ? 0 : contents_.rbegin()->first + 1; }  // number of a content
  uint64_t CommonAlignment(const DataFilesOptions& options) const;
  Result<std::vector<PlannedFile>> Build(const DataFilesOptions& options, Begun begun) const;

  std::map<std::string_view, Entry> entries_;
  std::map<size_t, Content> contents_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_KEYED_DATA_H_
