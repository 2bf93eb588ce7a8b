// Whether the bytes of constants and keys also occur in other files or checkpoints.
#ifndef PTEEDIT_SRC_DIFF_CONTENT_MATCH_H_
#define PTEEDIT_SRC_DIFF_CONTENT_MATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "io/content_index.h"
#include "pteedit/container.h"
#include "pteedit/match.h"
#include "pteedit/result.h"

namespace pteedit {

// Bytes and what they are called.
struct NamedContent {
  ContentPlace place;
  std::vector<std::string> names;
};

inline constexpr uint64_t kMinTellingBytes = 64;  // below, equal contents say nothing

// The contents of some files, of which nothing is read until something of the same size is looked up.
class ContentMatch {
 public:
  // Constants, initial values and named data of programs, entries of data files, tensors.
  explicit ContentMatch(const MatchFiles& match);

  bool empty() const { return empty_; }
  // Of each of `wanted`, which lie in `holders`, whether the files hold it. Contents under kMinTellingBytes count only
  // where one of the names is also what the other file calls them. All are compared at once, by GroupByContent.
  Result<std::vector<bool>> Find(const std::vector<NamedContent>& wanted, const std::vector<Container>& holders,
                                 unsigned threads) const;

 private:
  Result<std::vector<bool>> FindInFiles(const std::vector<NamedContent>& wanted, unsigned threads) const;
  Status FindTensors(const std::vector<NamedContent>& wanted, const Container& holder, unsigned threads,
                     std::vector<bool>& found) const;
  void AddProgram(const Container& program);
  void AddData(const Container& data);

  bool empty_;
  std::shared_ptr<const ContentNames> tensors_;
  std::vector<NamedContent> contents_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_CONTENT_MATCH_H_
