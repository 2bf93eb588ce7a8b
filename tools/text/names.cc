#include "text/names.h"

#include <iterator>
#include <memory>
#include <utility>

#include "input_files.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/try.h"
#include "sizes_text.h"
#include "writing_tool.h"

namespace pteedit::cli {

OptionRow NamesOption(std::vector<std::string>& files) {
  return {"--names", "FILE", "Call contents as FILE does: .safetensors, a record, metadata; once for each", &files};
}

Result<std::vector<ContentName>> ReadAllNames(const std::vector<std::string>& files) {
  std::vector<ContentName> all;
  for (const std::string& file : files) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
    PTEEDIT_ASSIGN(std::vector<ContentName> names, ReadNames(source));
    std::move(names.begin(), names.end(), std::back_inserter(all));
  }
  return all;
}

Result<ContentNames> OpenNames(const std::vector<std::string>& files) {
  PTEEDIT_ASSIGN(std::vector<ContentName> all, ReadAllNames(files));
  return ContentNames(std::move(all));
}

Result<Container> OpenNamed(const std::string& file, const ContentNames& names, unsigned threads) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  PTEEDIT_ASSIGN(Container opened, Container::OpenToLook(source));
  if (names.empty()) return opened;
  return names.Name(opened, threads);
}

Result<MatchFiles> OpenMatched(const std::vector<std::string>& paths) {
  std::vector<std::string> programs, checkpoints;
  for (const std::string& path : paths) (path.ends_with(".safetensors") ? checkpoints : programs).push_back(path);
  MatchFiles match;
  PTEEDIT_ASSIGN(match.files, OpenContainers(programs));
  if (checkpoints.empty()) return match;
  PTEEDIT_ASSIGN(ContentNames names, OpenNames(checkpoints));
  match.tensors = std::make_shared<const ContentNames>(std::move(names));
  return match;
}

std::string UnnamedText(const NameCount& count) {
  if (count.unnamed == 0) return {};
  return std::to_string(count.unnamed) + " of " + std::to_string(count.contents) +
         (count.contents == 1 ? " constant (" : " constants (") + HumanSize(count.unnamed_bytes) +
         (count.unnamed == 1 ? ") has no name" : ") have no name");
}

Result<NamedInputs> NameInputs(std::vector<Container> files, const std::vector<std::string>& names, unsigned threads) {
  NamedInputs inputs{std::move(files), {}};
  if (names.empty()) return inputs;
  PTEEDIT_ASSIGN(const ContentNames opened, OpenNames(names));
  NameCount all;
  for (Container& file : inputs.files) {
    PTEEDIT_ASSIGN(file, opened.Name(file, threads));
    const NameCount count = CountNames(file);
    all.contents += count.contents;
    all.unnamed += count.unnamed;
    all.unnamed_bytes += count.unnamed_bytes;
  }
  if (all.unnamed != 0) inputs.notes.push_back(UnnamedText(all));
  return inputs;
}

}  // namespace pteedit::cli
