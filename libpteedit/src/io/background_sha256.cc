#include "io/background_sha256.h"

#include <utility>

#include "io/streaming.h"

namespace pteedit {

BackgroundSha256::BackgroundSha256(uint64_t bytes) {
  if (bytes > kStreamPieceBytes) thread_ = std::thread([this] { Run(); });
}

void BackgroundSha256::Update(ByteSpan bytes) {
  if (!thread_.joinable()) return hash_.Update(bytes);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
  std::vector<uint8_t> piece;
  if (!used_.empty()) {
    piece = std::move(used_.back());
    used_.pop_back();
  }
  lock.unlock();
  piece.assign(bytes.data, bytes.data + bytes.size);
  lock.lock();
  waiting_.push_back(std::move(piece));
  changed_.notify_all();
}

Sha256Digest BackgroundSha256::Finish() {
  End();
  return hash_.Finish();
}

void BackgroundSha256::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const ByteSpan piece{waiting_.front().data(), waiting_.front().size()};
    lock.unlock();
    hash_.Update(piece);
    lock.lock();
    used_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    changed_.notify_all();
  }
}

void BackgroundSha256::End() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace pteedit
