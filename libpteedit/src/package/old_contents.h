// What a delta can copy: all bytes of the old files, found by content.
#ifndef PTEEDIT_SRC_PACKAGE_OLD_CONTENTS_H_
#define PTEEDIT_SRC_PACKAGE_OLD_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/digest.h"
#include "package/chunks.h"
#include "package/regions.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct OldPlace {
  size_t file = 0;  // in the order in which they were added
  uint64_t offset = 0;
};

// Bytes of a new file that an old one has, from `at` on.
struct FoundCopy {
  uint64_t at = 0;
  OldPlace from;
  uint64_t size = 0;
};

// Chunks are cut anew at each region, so that equal contents of different files meet however small they are. A chunk
// takes some 50 bytes of memory.
class OldContents {
 public:
  Status Add(std::shared_ptr<const Source> source);

  const std::shared_ptr<const Source>& file(size_t index) const { return files_[index].source; }
  size_t size() const { return files_.size(); }

  // Where the file has a region of this name.
  std::optional<Extent> FindRegion(size_t file, const std::string& name) const;

  // What of `source` with these regions can be copied: in order, without overlaps, each as long as it goes. A digest
  // finds, the bytes decide. Equal bytes that lie in several places are copied from where the copy before ends, else
  // from the first. Copies of less than kMinCopyBytes are left out, for they would save nothing.
  Result<std::vector<FoundCopy>> FindCopies(const Source& source, const std::vector<Region>& regions) const;

 private:
  struct File {
    std::shared_ptr<const Source> source;
    std::map<std::string, Extent> regions;
  };
  std::vector<File> files_;
  std::map<Xxh128Digest, OldPlace> places_;
};

// About what two entries of a manifest take.
inline constexpr uint64_t kMinCopyBytes = 512;

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_OLD_CONTENTS_H_
