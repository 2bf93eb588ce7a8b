#include "packages.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "input_files.h"
#include "progress.h"
#include "pteedit/merge_packages.h"
#include "pteedit/try.h"
#include "run.h"

namespace pteedit::cli {
namespace {

constexpr char kPackageExtension[] = ".ptn";

Status CheckOptions(const MergeArguments& arguments) {
  const MergeArguments none;
  const bool is_plain = arguments.bases.empty() && arguments.match.empty() && arguments.previous.empty() &&
                        arguments.variant_data == none.variant_data && !arguments.min_bytes && !arguments.max_bytes &&
                        arguments.binding.Choice() == none.binding.Choice() && arguments.writing.names.empty();
  if (is_plain) return {};
  return InvalidArgument("packages (.ptn) become one file, so of these options none but --shared-name means anything");
}

Result<std::vector<PackageVariant>> OpenVariants(const std::vector<NamedFiles>& sets) {
  std::vector<PackageVariant> variants;
  for (const NamedFiles& set : sets) {
    const std::string& path = set.paths.front();
    if (!IsPackage(set))
      return InvalidArgument("is no package (.ptn), which are merged with none but packages").In(path);
    if (set.paths.size() > 1) return InvalidArgument("is a package, which takes no data files").In(path);
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenPath(path));
    PTEEDIT_ASSIGN(Container file, Container::OpenToLook(std::move(source)));
    variants.push_back({std::move(file), set.name.empty() ? std::filesystem::path(path).stem().string() : set.name});
  }
  return variants;
}

}  // namespace

bool IsPackage(const NamedFiles& set) { return set.paths.front().ends_with(kPackageExtension); }

Result<RewriteOutput> RunPackages(const MergeArguments& arguments, const std::vector<NamedFiles>& sets) {
  PTEEDIT_TRY(CheckOptions(arguments));
  PTEEDIT_ASSIGN(const std::vector<PackageVariant> variants, OpenVariants(sets));
  const std::string name = std::filesystem::path(arguments.shared_name).replace_extension(kPackageExtension).string();
  const std::string path = arguments.output + "/" + name;
  PTEEDIT_ASSIGN(MergedPackage merged, MergePackages(variants, path, arguments.writing.ThreadCount()));
  RewriteOutput report = BeginReport("ptemerge", arguments.writing);
  report.nothing = "nothing to share: no tensor is in two of the packages";
  std::vector<std::string> inputs;
  for (const PackageVariant& variant : variants) {
    report.inputs.push_back({variant.file.name(), variant.file.source()->size(), {}, {}});
    inputs.push_back(variant.file.name());
  }
  report.outputs.push_back({path, merged.package.size(), "program", {}});
  report.report = std::move(merged.report);
  PTEEDIT_TRY(WriteMerged(arguments, {{name, merged.package}}, inputs, report.outputs));
  return report;
}

}  // namespace pteedit::cli
