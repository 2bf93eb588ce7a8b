// SHA-256 of a source on a thread of its own: of one that is copied meanwhile, or of what is being written itself.
#ifndef PTEEDIT_SRC_IO_SOURCE_SHA256_H_
#define PTEEDIT_SRC_IO_SOURCE_SHA256_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "io/digest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

class SourceSha256 {
 public:
  // Begins, as far as the first `available` bytes reach. A few bytes are hashed at once, for a thread takes longer.
  SourceSha256(std::shared_ptr<const Source> source, uint64_t available);
  explicit SourceSha256(const std::shared_ptr<const Source>& source) : SourceSha256(source, source->size()) {}
  SourceSha256(const SourceSha256&) = delete;
  SourceSha256& operator=(const SourceSha256&) = delete;
  ~SourceSha256();  // stops

  // So many bytes can be read now.
  void Allow(uint64_t available);
  // How many bytes are hashed: at least `bytes`, which are available and for which it waits, or all where it has
  // failed.
  uint64_t WaitFor(uint64_t bytes);
  // Waits until all are, which are available. Once. Fails as reading does.
  Result<Sha256Digest> Finish();

 private:
  Status Run();
  uint64_t Await(uint64_t hashed);

  const std::shared_ptr<const Source> source_;
  Sha256 hash_;
  Status status_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t available_ = 0, done_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;  // last, for it uses the others; none of few bytes
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_SOURCE_SHA256_H_
