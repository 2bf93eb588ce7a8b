// SHA-256 of bytes as they come, on a thread of its own, so that whoever hands them over goes on reading and writing.
#ifndef PTEEDIT_SRC_IO_BACKGROUND_SHA256_H_
#define PTEEDIT_SRC_IO_BACKGROUND_SHA256_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "io/digest.h"
#include "pteedit/bytes.h"

namespace pteedit {

// Copies what it is given: up to kMostWaiting pieces, each of kStreamPieceBytes or so, wait to be hashed.
class BackgroundSha256 {
 public:
  // Of a few bytes it is as Sha256, for a thread takes longer.
  explicit BackgroundSha256(uint64_t bytes);
  BackgroundSha256(const BackgroundSha256&) = delete;
  BackgroundSha256& operator=(const BackgroundSha256&) = delete;
  ~BackgroundSha256() { End(); }

  void Update(ByteSpan bytes);
  // Once, after all bytes.
  Sha256Digest Finish();

 private:
  static constexpr size_t kMostWaiting = 4;

  void Run();
  void End();

  Sha256 hash_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<uint8_t>> waiting_;  // the first is being hashed
  std::vector<std::vector<uint8_t>> used_;    // memory for the next ones
  bool is_ended_ = false;
  std::thread thread_;  // last, for it uses the others; none of few bytes
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_BACKGROUND_SHA256_H_
