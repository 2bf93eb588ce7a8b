// ptepack list: what is in a release, by its manifest.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "cli.h"
#include "commands.h"
#include "pteedit/package/release.h"
#include "pteedit/text.h"
#include "sizes_text.h"
#include "text/table.h"

namespace pteedit::cli {
namespace {

const char* const kListExamples = "Examples:\n  ptepack list release\n  ptepack list release --json";

struct ListArguments {
  std::string release;
  bool bytes = false, json = false;
};

OptionGroup ListOptions(ListArguments& arguments) {
  return {"",
          {{.name = "RELEASE", .purpose = "Its folder", .target = &arguments.release, .required = true},
           {"--bytes", "", "Exact bytes", &arguments.bytes},
           {.name = "--json",
            .purpose = "The manifest as it was read",
            .target = &arguments.json,
            .excludes = {{{"--bytes"}}}}}};
}

std::string LabelsText(const std::map<std::string, std::string>& labels) {
  std::string text;
  for (const auto& [name, value] : labels) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

// The variants that have `word` in their list.
std::string UsersOf(const Manifest& manifest, std::vector<std::string> ReleaseVariant::*list, const std::string& word) {
  std::string users;
  for (const ReleaseVariant& variant : manifest.variants) {
    const std::vector<std::string>& words = variant.*list;
    const bool has_it = std::find(words.begin(), words.end(), word) != words.end();
    if (has_it) users += (users.empty() ? "" : ", ") + variant.name;
  }
  return users;
}

std::string TargetsText(const Manifest& manifest) {
  std::set<std::string> targets;
  for (const ReleaseVariant& variant : manifest.variants)
    targets.insert(variant.targets.begin(), variant.targets.end());
  if (targets.empty()) return {};
  Table table({{"Target"}, {"Variants"}});
  for (const std::string& target : targets) table.AddRow({target, UsersOf(manifest, &ReleaseVariant::targets, target)});
  return "\n" + table.In({});
}

std::string PacksText(const Manifest& manifest, bool exact) {
  if (manifest.packs.empty()) return {};
  Table packs({{"Pack"}, {"Bytes", Align::kRight}, {"Files", Align::kRight}, {"Variants"}});
  for (const ReleasePack& pack : manifest.packs) {
    packs.AddRow({pack.name, exact ? std::to_string(pack.bytes) : HumanSize(pack.bytes),
                  std::to_string(pack.files.size()), UsersOf(manifest, &ReleaseVariant::packs, pack.name)});
  }
  return "\n" + packs.In({});
}

std::string ListText(const Manifest& manifest, bool exact) {
  const auto size = [&](uint64_t bytes) { return exact ? std::to_string(bytes) : HumanSize(bytes); };
  Table variants({{"Variant"},
                  {"Labels"},
                  {"Download", Align::kRight},
                  {"Installed", Align::kRight},
                  {"Largest file", Align::kRight},
                  {"Data files", Align::kRight},
                  {"ExecuTorch"}});
  for (const ReleaseVariant& variant : manifest.variants) {
    variants.AddRow({variant.name, LabelsText(variant.labels), size(variant.download_bytes),
                     size(variant.installed_bytes), size(variant.largest_file_bytes),
                     std::to_string(variant.data_files), variant.min_runtime});
  }
  Table files({{"File"}, {"Role"}, {"Bytes", Align::kRight}, {"Compressed", Align::kRight}});
  for (const ReleaseFile& file : manifest.files) {
    files.AddRow({file.file, file.name.empty() ? RoleName(file.role) : file.name, size(file.bytes),
                  file.compressed ? size(file.compressed->bytes) : ""});
  }
  return "release " + manifest.release + "\n\n" + variants.In({}) + "\n" + files.In({}) + TargetsText(manifest) +
         PacksText(manifest, exact);
}

}  // namespace

int ListMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("list", "Show what is in a release: its variants and files.", kListExamples));
  ListArguments arguments;
  const OptionGroup options = ListOptions(arguments);
  tool.Declare({options});
  return tool.Run(argc, argv, [&] {
    const std::string conflict = FindConflict({options}, tool.given());
    if (!conflict.empty()) return tool.PrintError(InvalidArgument(conflict));
    const Result<Release> release = OpenRelease(arguments.release);
    if (!release) return tool.PrintError(release.error());
    std::cout << (arguments.json ? ManifestText(release->manifest) : ListText(release->manifest, arguments.bytes));
    return static_cast<int>(kExitDone);
  });
}

}  // namespace pteedit::cli
