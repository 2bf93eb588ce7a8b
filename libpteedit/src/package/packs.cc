#include "package/packs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using FilesOfVariants = std::map<std::vector<std::string>, std::vector<const ReleaseFile*>>;

// By the names of the variants that have them, the largest file first.
FilesOfVariants FilesByVariants(const Manifest& manifest) {
  std::map<std::string, std::vector<std::string>> users;
  for (const ReleaseVariant& variant : manifest.variants) {
    for (const std::string& file : variant.files) users[file].push_back(variant.name);
  }
  FilesOfVariants groups;
  for (const ReleaseFile& file : manifest.files) {
    if (const auto found = users.find(file.file); found != users.end()) groups[found->second].push_back(&file);
  }
  for (auto& [variants, files] : groups) {
    std::stable_sort(files.begin(), files.end(),
                     [](const ReleaseFile* a, const ReleaseFile* b) { return a->bytes > b->bytes; });
  }
  return groups;
}

// Each file into the first pack with room for it.
std::vector<ReleasePack> PackFiles(const std::vector<const ReleaseFile*>& files, uint64_t limit) {
  std::vector<ReleasePack> packs;
  for (const ReleaseFile* file : files) {
    auto pack = std::find_if(packs.begin(), packs.end(), [&](const ReleasePack& candidate) {
      return candidate.bytes <= limit && file->bytes <= limit - candidate.bytes;
    });
    if (pack == packs.end()) pack = packs.insert(packs.end(), ReleasePack());
    pack->bytes += file->bytes;
    pack->files.push_back(file->file);
  }
  return packs;
}

}  // namespace

void CutPacks(Manifest& manifest, uint64_t limit) {
  const FilesOfVariants groups = FilesByVariants(manifest);
  std::vector<FilesOfVariants::const_iterator> order;
  for (auto group = groups.begin(); group != groups.end(); ++group) order.push_back(group);
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a->first.size() > b->first.size(); });
  for (const auto& group : order) {
    for (ReleasePack& pack : PackFiles(group->second, limit)) {
      pack.name = Text("pack-", manifest.packs.size() + 1);
      manifest.packs.push_back(std::move(pack));
    }
  }
  for (ReleaseVariant& variant : manifest.variants) variant.packs = PacksOf(manifest, variant);
}

std::vector<std::string> PacksOf(const Manifest& manifest, const ReleaseVariant& variant) {
  const std::set<std::string_view> files(variant.files.begin(), variant.files.end());
  std::vector<std::string> names;
  for (const ReleasePack& pack : manifest.packs) {
    if (std::any_of(pack.files.begin(), pack.files.end(), [&](const std::string& file) { return files.count(file); }))
      names.push_back(pack.name);
  }
  return names;
}

Status CheckPacks(const Manifest& manifest) {
  std::set<std::string_view> names, packed;
  for (const ReleasePack& pack : manifest.packs) {
    if (!names.insert(pack.name).second) return Malformed(Text("two packs are called ", Quoted(pack.name)));
    uint64_t bytes = 0;
    for (const std::string& name : pack.files) {
      const ReleaseFile* file = manifest.Find(name);
      if (file == nullptr || !packed.insert(name).second) {
        return Malformed(Text("pack ", Quoted(pack.name), " names ", Quoted(name),
                              file == nullptr ? ", which is none of the files" : ", which is in a pack already"));
      }
      bytes = CheckedAdd(bytes, file->bytes).value_or(~uint64_t{0});
    }
    if (bytes != pack.bytes)
      return Malformed(Text("pack ", Quoted(pack.name), " says bytes ", pack.bytes, ", its files have ", bytes));
  }
  for (const ReleaseVariant& variant : manifest.variants) {
    if (variant.packs != PacksOf(manifest, variant))
      return Malformed(Text("variant ", Quoted(variant.name), " names other packs than those with its files"));
    for (const std::string& file : variant.files) {
      if (!manifest.packs.empty() && packed.count(file) == 0)
        return Malformed(Text("variant ", Quoted(variant.name), " has ", Quoted(file), ", which is in no pack"));
    }
  }
  return {};
}

}  // namespace pteedit
