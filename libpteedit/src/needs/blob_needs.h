// Which releases have the backend of a delegate and read what is in its blob.
#ifndef PTEEDIT_SRC_NEEDS_BLOB_NEEDS_H_
#define PTEEDIT_SRC_NEEDS_BLOB_NEEDS_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/result.h"

namespace pteedit {

// Looks into each blob once, however many delegates share it. The program must outlive it.
class BlobNeeds {
 public:
  explicit BlobNeeds(const Container& program) : program_(program) {}

  // What not every release has. A blob that cannot be looked into needs its backend. Fails only where the file can no
  // longer be read.
  Result<std::vector<RuntimeNeed>> Of(const schema::BackendDelegate& delegate);

 private:
  const Container& program_;
  std::map<std::tuple<std::string_view, uint64_t, uint64_t>, std::vector<RuntimeNeed>> known_;  // backend, place
};

// The backend as a need; without a release where none comes with its runtime.
RuntimeNeed BackendNeed(std::string_view backend);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_BLOB_NEEDS_H_
