#include "progress.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <utility>

#include "sizes_text.h"

namespace pteedit::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kQuietSeconds = 1;      // shorter work shows nothing
constexpr double kSecondsBetween = 0.1;  // two prints
// Rates are wild at first, and a left-over time from one is worse than none.
constexpr double kRateSeconds = 0.5;

double SecondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Progress {
 public:
  void Begin(When when) {
    const std::lock_guard lock(mutex_);
    always_ = when == When::kAlways;
    shown_ = always_ || (when == When::kAuto && isatty(STDERR_FILENO) == 1);
    is_writing_ = false;
    read_ = 0;
    Restart();
  }

  bool shown() const { return shown_; }

  void AddRead(uint64_t bytes) {
    const uint64_t all = read_ += bytes;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || is_writing_) return;
    const double seconds = SecondsSince(begin_);
    if (seconds >= kQuietSeconds && IsTime(seconds)) ShowLine(ReadText(all, seconds));
  }

  void ShowWritten(uint64_t done, uint64_t total) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    if (!is_writing_) Restart();
    is_writing_ = true;
    const double seconds = SecondsSince(begin_);
    const bool is_end = done == total;
    if (done == 0 || (!always_ && seconds < kQuietSeconds)) return;
    if (!is_end && !IsTime(seconds)) return;
    ShowLine(ProgressText(done, total, seconds));
    if (is_end) EndOpenLine();
  }

  void EndLine() {
    const std::lock_guard lock(mutex_);
    EndOpenLine();
  }

 private:
  void Restart() {
    begin_ = Clock::now();
    next_ = 0;
  }

  bool IsTime(double seconds) {
    if (seconds < next_) return false;
    next_ = seconds + kSecondsBetween;
    return true;
  }

  void ShowLine(const std::string& text) {
    if (open_line_length_ == 0) std::fflush(stdout);  // what was printed before is above
    const size_t rest = open_line_length_ > text.size() ? open_line_length_ - text.size() : 0;
    std::cerr << '\r' << text << std::string(rest, ' ') << std::flush;
    open_line_length_ = text.size();
  }

  void EndOpenLine() {
    if (open_line_length_ != 0) std::cerr << '\n';
    open_line_length_ = 0;
  }

  bool always_ = false, shown_ = false, is_writing_ = false;
  std::atomic<uint64_t> read_ = 0;
  std::mutex mutex_;
  Clock::time_point begin_;
  double next_ = 0;
  size_t open_line_length_ = 0;
};

Progress& TheProgress() {
  static Progress progress;
  return progress;
}

class CountedSource final : public Source {
 public:
  explicit CountedSource(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  const std::string& name() const override { return source_->name(); }
  uint64_t size() const override { return source_->size(); }
  FilePlace file_place() const override { return source_->file_place(); }
  std::optional<Sha256Bytes> known_sha256(Extent part) const override { return source_->known_sha256(part); }
  Status Read(uint64_t offset, MutableByteSpan out) const override {
    TheProgress().AddRead(out.size);
    return source_->Read(offset, out);
  }

 private:
  std::shared_ptr<const Source> source_;
};

std::string DurationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  const uint64_t minutes = whole / 60;
  if (minutes < 60) return std::to_string(minutes) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace

void BeginProgress(When when) { TheProgress().Begin(when); }

std::shared_ptr<const Source> CountingReads(std::shared_ptr<const Source> source) {
  if (!TheProgress().shown()) return source;
  return std::make_shared<CountedSource>(std::move(source));
}

bool ShowWritten(uint64_t done, uint64_t total) {
  TheProgress().ShowWritten(done, total);
  return true;
}

void EndProgressLine() { TheProgress().EndLine(); }

std::string ProgressText(uint64_t done, uint64_t total, double seconds) {
  std::string text = HumanSize(done) + " of " + HumanSize(total);
  if (seconds < kRateSeconds || done == 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  text += ", " + HumanSize(static_cast<uint64_t>(rate)) + "/s";
  if (done >= total) return text;
  return text + ", " + DurationText(static_cast<double>(total - done) / rate) + " left";
}

std::string ReadText(uint64_t bytes, double seconds) {
  const double rate = static_cast<double>(bytes) / seconds;
  return HumanSize(bytes) + " read, " + HumanSize(static_cast<uint64_t>(rate)) + "/s";
}

}  // namespace pteedit::cli
