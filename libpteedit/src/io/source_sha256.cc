#include "io/source_sha256.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {

SourceSha256::SourceSha256(std::shared_ptr<const Source> source, uint64_t available) : source_(std::move(source)) {
  if (source_->size() > kStreamPieceBytes) thread_ = std::thread([this] { status_ = Run(); });
  Allow(available);
}

SourceSha256::~SourceSha256() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SourceSha256::Allow(uint64_t available) {
  {
    const std::lock_guard lock(mutex_);
    available_ = available;
  }
  changed_.notify_all();
  if (!thread_.joinable() && available == source_->size() && done_ != available) status_ = Run();
}

uint64_t SourceSha256::WaitFor(uint64_t bytes) {
  std::unique_lock lock(mutex_);
  if (thread_.joinable()) changed_.wait(lock, [&] { return done_ >= bytes; });
  return done_;
}

Result<Sha256Digest> SourceSha256::Finish() {
  if (thread_.joinable()) thread_.join();
  PTEEDIT_TRY(std::move(status_));
  return hash_.Finish();
}

Status SourceSha256::Run() {
  std::vector<uint8_t> buffer(static_cast<size_t>(std::min<uint64_t>(source_->size(), PieceBytesOf(*source_))));
  Status status;
  for (uint64_t done = 0; done < source_->size() && status;) {
    const uint64_t available = Await(done);
    const MutableByteSpan piece{buffer.data(),
                                static_cast<size_t>(std::min<uint64_t>(available - done, buffer.size()))};
    if (piece.size == 0) return IoError("stopped");
    status = source_->Read(done, piece);
    hash_.Update({piece.data, piece.size});
    done += piece.size;
  }
  Await(source_->size());
  return status;
}

// Says how many bytes are hashed. Returns how many can be read by then: more, unless it is all or it is stopped.
uint64_t SourceSha256::Await(uint64_t hashed) {
  std::unique_lock lock(mutex_);
  done_ = hashed;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_stopped_ || available_ > hashed || hashed == source_->size(); });
  return is_stopped_ ? hashed : available_;
}

}  // namespace pteedit
