// Whether the bytes of a constant or key also occur in other files.
#ifndef PTEEDIT_SRC_CONTENT_MATCH_H_
#define PTEEDIT_SRC_CONTENT_MATCH_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "digest.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

// The contents of some files, by size; hashed only when something of the same size is looked up. XXH3 finds, bytes
// decide.
class ContentMatch {
 public:
  // Constants, initial values and named data of programs, entries of data files.
  explicit ContentMatch(const std::vector<Container>& files);

  bool empty() const { return empty_; }
  // Contents under 64 bytes count only where one of `names` is also what the other file calls them.
  Result<bool> Contains(const Source& source, Extent extent, const std::vector<std::string>& names);

 private:
  struct Content {
    std::shared_ptr<const Source> source;
    Extent extent;
    std::vector<std::string> names;
    std::optional<Xxh128Digest> digest;
  };
  void AddProgram(const Container& program);
  void AddData(const Container& data);

  bool empty_;
  std::map<uint64_t, std::vector<Content>> by_size_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_CONTENT_MATCH_H_
