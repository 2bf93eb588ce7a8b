#include "io/temporary_name.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "io/system_calls.h"

namespace pteedit {
namespace {

constexpr int kNameTries = 1000;
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr size_t kMaxKeptName = 200;  // of the target's: with the rest below the 255 bytes that file systems allow

// No link, and no waiting where it is a pipe.
Descriptor OpenItself(const std::string& path) {
  return Descriptor(Retried([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); }));
}

// Whose ".NAME.4711-0.tmp" is, with `rest` behind the name: "4711-0.tmp". 0 where it is nobody's.
pid_t OwnerOf(std::string_view rest) {
  pid_t owner = 0;
  unsigned attempt = 0;
  const char* const end = rest.data() + rest.size();
  const auto number = std::from_chars(rest.data(), end, owner);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '-') return 0;
  const auto count = std::from_chars(number.ptr + 1, end, attempt);
  return count.ec == std::errc() && std::string_view(count.ptr, end) == kTemporaryEnd ? owner : 0;
}

bool IsOver(pid_t process) { return process > 0 && kill(process, 0) != 0 && errno == ESRCH; }

// What cannot be removed stays.
void RemoveStale(const std::string& target, const std::string& folder) {
  const std::string start = HiddenName(target) + ".";
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(start) || !IsOver(OwnerOf(std::string_view(name).substr(start.size())))) continue;
    const std::string path = entry->path().string();
    const Descriptor opened = OpenItself(path);
    if (opened.number() < 0 || flock(opened.number(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code stays;
    std::filesystem::remove_all(path, stays);
  }
}

}  // namespace

#if defined(_WIN32)
// They come on a thread of their own, which nothing holds.
HeldSignals::HeldSignals() = default;
HeldSignals::~HeldSignals() = default;
#else
HeldSignals::HeldSignals() {
  sigset_t held;
  sigfillset(&held);
  for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&held, own_fault);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif

void HoldLock(int descriptor) {
  if (flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
    // Another process goes on with it, which holds a lock itself.
  }
}

std::string HiddenName(const std::string& target) { return "." + BaseName(target).substr(0, kMaxKeptName); }

Descriptor OpenLocked(const std::string& path) {
  Descriptor opened = OpenItself(path);
  HoldLock(opened.number());
  return opened;
}

Error CannotRemove(const std::string& path, const char* why) {
  return IoError(std::string("cannot be removed: ") + why + "; the outputs are in their places").In(path);
}

Result<TemporaryName> TemporaryName::Take(const std::string& target, const std::string& folder,
                                          const std::function<int(const char* name)>& make) {
  const HeldSignals held;  // what is there is in the list
  RemoveStale(target, folder);
  for (int attempt = 0; attempt < kNameTries; ++attempt) {
    // Deterministic but for the process id: tried in turn until one is free.
    std::string path = Text(folder, "/", HiddenName(target), ".", getpid(), "-", attempt, kTemporaryEnd);
    if (make(path.c_str()) != 0) {
      if (errno == EEXIST) continue;
      return SystemError("cannot create", target);
    }
    return TemporaryName(AddTemporaryEntry(std::move(path)));
  }
  return IoError("cannot create: no free temporary name beside it").In(target);
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept {
  std::swap(entry_, other.entry_);
  return *this;
}

TemporaryName::~TemporaryName() {
  if (const Status removed = Remove(); !removed) {
    // An error is on its way already.
  }
}

const std::string& TemporaryName::path() const { return entry_->path; }

Status TemporaryName::Remove() {
  if (empty()) return {};
  const std::string& path = entry_->path;
  const int failed = unlink(path.c_str()) != 0 && errno != ENOENT ? errno : 0;
  Forget();
  if (failed == 0) return {};
  return CannotRemove(path, std::strerror(failed));
}

void TemporaryName::Forget() {
  if (entry_ != nullptr) entry_->is_there = false;
  entry_ = nullptr;
}

}  // namespace pteedit
