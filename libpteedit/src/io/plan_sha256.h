// SHA-256 of a planned file on a thread of its own, so that whoever copies it meanwhile finds out what it is called.
#ifndef PTEEDIT_SRC_IO_PLAN_SHA256_H_
#define PTEEDIT_SRC_IO_PLAN_SHA256_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "io/digest.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

class PlanSha256 {
 public:
  // Begins. A few bytes are hashed at once, for a thread takes longer.
  explicit PlanSha256(const PlannedFile& file);
  PlanSha256(const PlanSha256&) = delete;
  PlanSha256& operator=(const PlanSha256&) = delete;
  ~PlanSha256();  // stops

  // How many bytes are hashed: at least `bytes`, which it waits for, or all where it has failed.
  uint64_t WaitFor(uint64_t bytes);
  // Waits until all are. Once. Fails as reading does.
  Result<Sha256Digest> Finish();

 private:
  Status Run();
  bool Tell(uint64_t bytes);

  const PlannedFile file_;
  Sha256 hash_;
  Status status_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t done_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;  // last, for it uses the others; none of few bytes
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_PLAN_SHA256_H_
