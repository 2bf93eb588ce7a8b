#include "extract.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "input_files.h"
#include "progress.h"
#include "pteedit/planned_file.h"
#include "pteedit/program_set.h"
#include "pteedit/text.h"
#include "text/size_tree.h"

namespace pteedit::cli {
namespace {

// Of "segment 3".
OptionalExtent SegmentPlace(const Container& container, const std::string& name) {
  const std::string prefix = "segment ";
  if (name.compare(0, prefix.size(), prefix) != 0) return {};
  const ProgramSet set(container);
  const Container& inner = set.program();
  for (size_t i = 0; i < inner.segments().size(); ++i) {
    if (name.substr(prefix.size()) != std::to_string(i)) continue;
    Extent place = inner.segments()[i];
    place.offset += container.program_extent().offset;
    return place;
  }
  return {};
}

// Whether a path leads nowhere but below the folder that it counts from.
bool StaysBelow(std::string_view path) {
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return false;
    start = end + 1;
  }
  return true;
}

// The files of the folder FOLDER where `name` is COMPONENT/FOLDER and the parts of that component are files in folders,
// as those of Core ML blobs are; or those of the only key that it refers to. Empty where there is no such folder.
Result<std::vector<Output>> FolderCalled(const Inspection& inspection, const SizeNode& sizes, const std::string& name) {
  std::vector<Output> files;
  for (size_t slash = name.find('/'); slash != std::string::npos && files.empty(); slash = name.find('/', slash + 1)) {
    const SizeNode* component = FindComponent(sizes, name.substr(0, slash));
    if (component != nullptr && component->more->refers_to.size() == 1)  // a blob that only names the key of its folder
      component = FindComponent(sizes, component->more->refers_to.front().key);
    if (component == nullptr) continue;
    const std::string folder = name.substr(slash + 1) + "/";
    for (const SizeNode& part : component->components) {
      if (!part.place || !part.name.starts_with(folder)) continue;
      Output file{part.name.substr(folder.size()), {}};
      if (!StaysBelow(file.path))
        return InvalidArgument("part '" + EscapeControl(part.name) + "' is no path inside a folder")
            .In(inspection.file);
      file.file.Append(inspection.container.source(), *part.place);
      files.push_back(std::move(file));
    }
  }
  return files;
}

Status WriteAsFolder(const std::vector<Output>& files, const std::string& folder, const std::string& input,
                     bool replace) {
  if (folder == "-") return InvalidArgument("a folder cannot be written to standard output");
  const auto written = WriteFolder(folder, files, {input}, {replace, /*hash=*/false, ShowWritten});
  return written ? Status() : Status(written.error());
}

}  // namespace

Status Extract(const Inspection& inspection, const std::string& name, const std::string& output, bool replace) {
  PTEEDIT_ASSIGN(const SizeNode sizes, SizesOf(inspection));
  const SizeNode* component = FindComponent(sizes, name);
  const OptionalExtent place = component != nullptr ? component->place : SegmentPlace(inspection.container, name);
  if (component == nullptr && !place) {
    const Result<std::vector<Output>> files = FolderCalled(inspection, sizes, name);
    if (!files) return files.error();
    if (!files->empty()) return WriteAsFolder(*files, output, inspection.file, replace);
  }
  if (component == nullptr && !place) return NoSuchComponent(sizes, name).In(inspection.file);
  if (!place) {
    return InvalidArgument("component '" + EscapeControl(name) + "' is not one piece, see -e for what is in it")
        .In(inspection.file);
  }
  PlannedFile bytes;
  bytes.Append(inspection.container.source(), *place);
  const int descriptor = output == "-" ? STDOUT_FILENO : -1;
  const auto written =
      WriteFiles({{output, bytes, descriptor}}, {PathOf(inspection.file)}, {replace, /*hash=*/false, ShowWritten});
  return written ? Status() : Status(written.error());
}

}  // namespace pteedit::cli
