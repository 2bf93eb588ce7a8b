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
#include "pteedit/packed_numbers.h"
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

  bool operator==(const Part& other) const = default;
};

// Who needs which bytes of a file: stretches, ascending and disjoint. Nobody needs what lies between them.
class Line {
 public:
  class Reader;

  void Add(Label label, uint64_t begin, uint64_t end) {
    for (const uint64_t number : {begin - end_, end - begin, uint64_t{label}}) packed_.Add(number);
    end_ = end;
    ++count_;
  }

 private:
  PackedNumbers packed_;  // of each: how far behind the end of the one before, how many bytes, whose
  uint64_t end_ = 0;
  size_t count_ = 0;
};

// One after the other.
class Line::Reader {
 public:
  explicit Reader(const Line& line) : line_(&line), left_(line.count_) { Read(); }

  bool has_ended() const { return left_ == 0; }  // then it tells nothing
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  Label label() const { return label_; }
  void Next() {
    --left_;
    Read();
  }

 private:
  void Read() {
    if (has_ended()) return;
    begin_ = end_ + line_->packed_.Read(at_);
    end_ = begin_ + line_->packed_.Read(at_);
    label_ = static_cast<Label>(line_->packed_.Read(at_));
  }

  const Line* line_;
  size_t left_;    // with the one that it tells
  size_t at_ = 0;  // in what is packed
  uint64_t begin_ = 0, end_ = 0;
  Label label_ = kNobodyLabel;
};

// Parts with the names of their labels, in any order. They may overlap, and there may be as many as tables.
class LabeledParts {
 public:
  Labels labels;

  void Add(const Part& part);
  Line LineOf(size_t file) const;

 private:
  // Less than 4 GiB.
  struct Stretch {
    uint64_t begin = 0;
    uint32_t size = 0;
    Label label = kNobodyLabel;

    uint64_t end() const { return begin + size; }
    bool operator==(const Stretch& other) const = default;
  };

  std::vector<Chunked<Stretch>> parts_;  // by file
};

// Bytes by labels on each of several lines.
using Sums = std::map<std::vector<Label>, uint64_t>;

// Adds those of a file of so many bytes.
void AddUp(const std::vector<const Line*>& lines, uint64_t size, Sums& sums);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_LABELED_LINES_H_
