// Who needs which bytes of files.
#ifndef PTEEDIT_SRC_INSPECT_LABELED_LINES_H_
#define PTEEDIT_SRC_INSPECT_LABELED_LINES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/chunked.h"
#include "base/kept_texts.h"
#include "base/text_map.h"
#include "pteedit/bytes.h"
#include "pteedit/size_groups.h"

namespace pteedit {

// Names by number. The first two are those of nobody and of several.
using Label = uint32_t;
inline constexpr Label kNobodyLabel = 0, kSeveralLabel = 1;

class Labels {
 public:
  Labels() {
    Of(kNobody);
    Of(kSeveral);
  }

  Label Of(std::string_view name) {
    if (const Label* const known = numbers_.Find(name); known != nullptr) return *known;
    names_.push_back(numbers_.Add(name, static_cast<Label>(names_.size())));
    return static_cast<Label>(names_.size() - 1);
  }

  std::vector<std::string> Names() const { return {names_.begin(), names_.end()}; }

 private:
  std::unique_ptr<KeptTexts> texts_ = std::make_unique<KeptTexts>();
  TextMap<Label> numbers_{*texts_};
  std::vector<std::string_view> names_;  // by number
};

// A part of a file that somebody needs.
struct Part {
  uint32_t file = 0;  // 0 is the set's own, then its data files
  Label label = kNobodyLabel;
  Extent extent;
};

// Bytes that somebody needs, less than 4 GiB of them.
struct Stretch {
  uint64_t begin = 0;
  uint32_t size = 0;
  Label label = kNobodyLabel;

  uint64_t end() const { return begin + size; }
  bool operator==(const Stretch& other) const = default;
};
using Line = Chunked<Stretch>;  // of a file, ascending and disjoint: nobody needs what lies between them

// Parts with the names of their labels, in any order. They may overlap, and there may be as many as tables.
class LabeledParts {
 public:
  Labels labels;

  void Add(const Part& part);
  Line LineOf(size_t file) const;

 private:
  std::vector<Chunked<Stretch>> parts_;  // by file
};

// Bytes by labels on each of several lines.
using Sums = std::map<std::vector<Label>, uint64_t>;

// Adds those of a file of so many bytes.
void AddUp(const std::vector<const Line*>& lines, uint64_t size, Sums& sums);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_LABELED_LINES_H_
