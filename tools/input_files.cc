#include "input_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "progress.h"
#include "pteedit/archive_member.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

constexpr char kMemberMark = '!';
#if defined(_WIN32)
constexpr char kFolderVariable[] = "TEMP";
#else
constexpr char kFolderVariable[] = "TMPDIR";
#endif

// Of "model.etm!weights/w.ptd" the places of the archive and of its member, where there is no file of that name.
struct MemberWord {
  std::string archive, member;
};

std::optional<MemberWord> MemberOf(const std::string& file) {
  const size_t mark = file.rfind(kMemberMark);
  std::error_code unknown;
  if (mark == std::string::npos || std::filesystem::exists(file, unknown)) return std::nullopt;
  return MemberWord{file.substr(0, mark), file.substr(mark + 1)};
}

std::string ArchiveOrFile(const std::string& file) {
  const std::optional<MemberWord> word = MemberOf(file);
  return word ? word->archive : file;
}

UrlOpener open_url = nullptr;

bool IsOpenedAsUrl(const std::string& file) { return open_url != nullptr && IsUrl(file); }

// Each once, in their order.
Result<std::vector<std::shared_ptr<const Source>>> OpenEachWhole(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  std::remove_copy_if(files.begin(), files.end(), std::back_inserter(paths), IsOpenedAsUrl);
  PTEEDIT_ASSIGN(const std::vector<std::shared_ptr<const Source>> at_paths, OpenFileSources(paths));
  auto at_path = at_paths.begin();
  std::map<std::string, std::shared_ptr<const Source>> at_urls;
  std::vector<std::shared_ptr<const Source>> opened;
  for (const std::string& file : files) {
    if (!IsOpenedAsUrl(file)) {
      opened.push_back(*at_path++);
      continue;
    }
    std::shared_ptr<const Source>& source = at_urls[file];
    if (source == nullptr) {
      PTEEDIT_ASSIGN(source, open_url(file));
    }
    opened.push_back(source);
  }
  return opened;
}

}  // namespace

bool IsUrl(const std::string& file) {
  constexpr std::string_view kSchemeLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  const size_t end = file.find_first_not_of(kSchemeLetters);
  return end != std::string::npos && end > 0 && file.compare(end, 3, "://") == 0;
}

void OpenUrlsWith(UrlOpener opener) { open_url = opener; }

Result<std::shared_ptr<const Source>> OpenWhole(const std::string& file) {
  PTEEDIT_ASSIGN(std::vector<std::shared_ptr<const Source>> opened, OpenEachWhole({file}));
  return std::move(opened.front());
}

Result<std::shared_ptr<const Source>> OpenPath(const std::string& file) {
  PTEEDIT_ASSIGN(std::vector<std::shared_ptr<const Source>> opened, OpenPaths({file}));
  return std::move(opened.front());
}

Result<std::vector<std::shared_ptr<const Source>>> OpenPaths(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(ArchiveOrFile(file));
  PTEEDIT_ASSIGN(const std::vector<std::shared_ptr<const Source>> raw, OpenEachWhole(paths));
  std::map<std::pair<const Source*, std::string>, std::shared_ptr<const Source>> known;
  std::vector<std::shared_ptr<const Source>> opened;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::optional<MemberWord> word = MemberOf(files[i]);
    std::shared_ptr<const Source>& source = known[{raw[i].get(), word ? word->member : ""}];
    if (source == nullptr) {
      const std::shared_ptr<const Source> counted = CountingReads(raw[i]);
      PTEEDIT_ASSIGN(source, word ? OpenMember(counted, word->member) : ProgramOrItself(counted));
    }
    opened.push_back(source);
  }
  return opened;
}

std::vector<std::string> WithDataInside(const std::string& program, const std::vector<std::string>& given) {
  std::vector<std::string> data;
  const Result<std::shared_ptr<const Source>> archive = OpenWhole(program);
  const Result<std::vector<std::string>> members = archive ? DataMembers(*archive) : archive.error();
  if (members) {
    for (const std::string& member : *members) data.push_back(program + kMemberMark + member);
  }
  const auto is_inside = [inside = data](const std::string& file) {
    return std::find(inside.begin(), inside.end(), file) != inside.end();
  };
  std::remove_copy_if(given.begin(), given.end(), std::back_inserter(data), is_inside);
  return data;
}

Result<std::shared_ptr<const Source>> OpenSource(const std::string& file) {
  if (file != kStandardInput) return OpenPath(file);
  static std::shared_ptr<const Source> input;  // a pipe can be read only once
  if (input != nullptr) return input;
  const char* folder = std::getenv(kFolderVariable);
  Result<std::shared_ptr<const Source>> opened =
      OpenDescriptorSource(STDIN_FILENO, file, folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  if (!opened) return opened;
  input = CountingReads(*std::move(opened));
  return input;
}

std::string PathOf(const std::string& file) { return file == kStandardInput ? "/dev/stdin" : ArchiveOrFile(file); }

std::vector<std::string> PathsOf(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(PathOf(file));
  return paths;
}

Result<Container> OpenFile(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  return Container::Open(source);
}

}  // namespace pteedit::cli
