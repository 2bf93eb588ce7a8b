#include "needs/library_names.h"

#include <string_view>

#include "base/text.h"
#include "io/streaming.h"
#include "needs/release_tables.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kLongestName = 256;
constexpr size_t kMostNames = 100'000;
constexpr std::string_view kBetween = "::";
constexpr std::string_view kBackendEnd = "Backend";
constexpr std::string_view kProfilerStart = "native_call_";  // the profiler's name of a kernel begins with it

bool IsOfName(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_' ||
         byte == ':' || byte == '.';
}

// The stock kernel that the text ends in: what stands before a name may look like a letter.
std::string_view StockKernelIn(std::string_view text, size_t between) {
  for (size_t i = 0; i < between; ++i) {
    if (const NameInReleases* row = FindReleasesOf(text.substr(i), StockKernels())) return row->name;
  }
  return {};
}

class NameFinder {
 public:
  Status Take(ByteSpan piece) {
    for (size_t i = 0; i < piece.size; ++i) {
      const uint8_t byte = piece.data[i];
      if (byte == 0) Sort();
      if (!IsOfName(byte)) {
        text_.clear();
      } else if (text_.size() <= kLongestName) {
        text_ += static_cast<char>(byte);
      }
    }
    const size_t names = found_.kernels.size() + found_.backends.size();
    if (names > kMostNames)
      return Unsupported(Text("has ", names, " texts like names of kernels, at most ", kMostNames, " expected"));
    return {};
  }

  LibraryNames Found() && { return std::move(found_); }

 private:
  void Sort() {
    const std::string_view text = text_;
    if (text.size() > kLongestName) return;
    const size_t between = text.find(kBetween);
    if (between != text.npos) return SortKernel(text, between);
    const bool is_constant = text.starts_with('k');  // kHtpBackend, a value of an enum
    const bool is_backend = text.ends_with(kBackendEnd) && text != kBackendEnd;
    if (is_backend && !is_constant && text.find('.') == text.npos) found_.backends.insert(text_);
  }

  // No name of C++ has a dot behind the colons.
  void SortKernel(std::string_view text, size_t between) {
    if (text.starts_with(kProfilerStart)) return;
    const std::string_view stock = StockKernelIn(text, between);
    const std::string_view overload = text.substr(between + kBetween.size());
    const bool has_overload = overload.find('.') != overload.npos && overload.find(':') == overload.npos;
    if (!stock.empty()) found_.kernels.emplace(stock);
    if (stock.empty() && has_overload && between != 0) found_.kernels.insert(text_);
  }

  std::string text_;  // of the bytes up to here, as long as they are those of a name
  LibraryNames found_;
};

}  // namespace

Result<LibraryNames> FindLibraryNames(const Source& library) {
  NameFinder finder;
  PTEEDIT_TRY(ForEachPiece(library, {0, library.size()}, [&](ByteSpan piece) { return finder.Take(piece); }));
  return std::move(finder).Found();
}

}  // namespace pteedit
