#include "io/plan_sha256.h"

#include <memory>
#include <utility>

#include "io/streaming.h"
#include "pteedit/source.h"
#include "pteedit/try.h"

namespace pteedit {

PlanSha256::PlanSha256(const PlannedFile& file) : file_(file) {
  if (file_.size() > kStreamPieceBytes) {
    thread_ = std::thread([this] { status_ = Run(); });
  } else {
    status_ = Run();
  }
}

PlanSha256::~PlanSha256() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

uint64_t PlanSha256::WaitFor(uint64_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= bytes; });
  return done_;
}

Result<Sha256Digest> PlanSha256::Finish() {
  if (thread_.joinable()) thread_.join();
  PTEEDIT_TRY(std::move(status_));
  return hash_.Finish();
}

Status PlanSha256::Run() {
  const std::shared_ptr<const Source> source = file_.AsSource("planned");
  uint64_t done = 0;
  Status status = ForEachPiece(*source, {0, file_.size()}, [&](ByteSpan piece) {
    hash_.Update(piece);
    done += piece.size;
    return Tell(done) ? Status() : Status(IoError("stopped"));
  });
  Tell(file_.size());
  return status;
}

// Whether to go on.
bool PlanSha256::Tell(uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    done_ = bytes;
    if (is_stopped_) return false;
  }
  changed_.notify_all();
  return true;
}

}  // namespace pteedit
