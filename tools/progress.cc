#include "progress.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>

#include "sizes_text.h"

namespace pteedit::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kQuietSeconds = 1;      // auto: shorter work shows nothing
constexpr double kSecondsBetween = 0.1;  // two prints
// Rates are wild at first, and a left-over time from one is worse than none.
constexpr double kRateSeconds = 0.5;

volatile std::sig_atomic_t stop_requested = 0;
// As long as the text on the terminal's last line: there is one terminal, so this is one variable.
size_t open_line_length = 0;

void CatchStopSignals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requested = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void ShowLine(const std::string& text) {
  const size_t rest = open_line_length > text.size() ? open_line_length - text.size() : 0;
  std::cerr << '\r' << text << std::string(rest, ' ') << std::flush;
  open_line_length = text.size();
}

class Progress {
 public:
  explicit Progress(When when) : always_(when == When::kAlways) {
    shown_ = always_ || (when == When::kAuto && isatty(STDERR_FILENO) == 1);
  }

  bool operator()(uint64_t done, uint64_t total) {
    if (shown_) Show(done, total);
    return !StopRequested();
  }

 private:
  void Show(uint64_t done, uint64_t total) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (!always_ && seconds < kQuietSeconds) return;
    const bool is_end = done == total;
    if (!is_end && seconds < next_) return;
    next_ = seconds + kSecondsBetween;
    ShowLine(ProgressText(done, total, seconds));
    if (is_end) EndProgressLine();
  }

  bool always_;
  bool shown_ = false;
  double next_ = 0;
  Clock::time_point begin_ = Clock::now();
};

std::string DurationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  const uint64_t minutes = whole / 60;
  if (minutes < 60) return std::to_string(minutes) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace

std::function<bool(uint64_t done, uint64_t total)> MakeProgress(When when) {
  CatchStopSignals();
  return Progress(when);
}

bool StopRequested() { return stop_requested != 0; }

void EndProgressLine() {
  if (open_line_length != 0) std::cerr << '\n';
  open_line_length = 0;
}

std::string ProgressText(uint64_t done, uint64_t total, double seconds) {
  std::string text = HumanSize(done) + " of " + HumanSize(total);
  if (seconds < kRateSeconds || done == 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  text += ", " + HumanSize(static_cast<uint64_t>(rate)) + "/s";
  if (done >= total) return text;
  return text + ", " + DurationText(static_cast<double>(total - done) / rate) + " left";
}

}  // namespace pteedit::cli
