#include "pteedit/target.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "needs/blob_needs.h"
#include "needs/device_needs.h"
#include "needs/kernel_types.h"
#include "needs/package_tables.h"
#include "needs/releases.h"
#include "program/schema.h"

namespace pteedit {
namespace {

// How many data files `Module` can be given, where that is limited, by the sources at the tags v0.6.0 to v1.4.1 and,
// for 1.5, the header in its wheel and what package_tables.cc is made of. extension/module/module.h, which the package
// for iOS has, too, takes one path in 0.6 and 0.7, a list of them from 1.0 on; Module.java and Module.kt of the
// archives for Android take none. That 0.5 knows no data files is among what they need.
struct LoaderRow {
  std::string_view package;  // begins so
  RuntimeRelease first, last;
  uint64_t data_files;
};
constexpr LoaderRow kLoaders[] = {{"android", {0, 6}, {1, 5}, 0}, {"", {0, 6}, {0, 7}, 1}};

std::optional<uint64_t> DataFilesOf(RuntimeRelease release, std::string_view package) {
  for (const LoaderRow& row : kLoaders) {
    if (package.starts_with(row.package) && row.first <= release && release <= row.last) return row.data_files;
  }
  return std::nullopt;
}

// Null where the build has neither the kernel nor all of its overloads.
const TargetKernel* FindKernel(const std::vector<TargetKernel>& kernels, std::string_view name) {
  for (const std::string& wanted : {std::string(name), Text(name.substr(0, name.rfind('.')), kAllOverloads)}) {
    const auto row = std::ranges::lower_bound(kernels, wanted, {}, &TargetKernel::name);
    if (row != kernels.end() && row->name == wanted) return &*row;
  }
  return nullptr;
}

// Of a call's types all must be built in: a kernel asks for each as it goes.
std::vector<std::string> MissingTypes(const TargetKernel& kernel, const OperatorRequirement& op) {
  std::vector<std::string> missing;
  for (const KernelSignature& signature : op.signatures) {
    for (const auto& argument : signature) {
      std::string dtype = ScalarTypeName(argument->scalar_type);
      const bool is_there = std::ranges::find(*kernel.dtypes, dtype) != kernel.dtypes->end();
      if (!is_there && std::ranges::find(missing, dtype) == missing.end()) missing.push_back(std::move(dtype));
    }
  }
  return missing;
}

class Comparison {
 public:
  Comparison(const Target& target, const Requirements& needs) : target_(target), needs_(needs) {}

  std::vector<RuntimeNeed> Missing() && {
    if (!target_.release.empty()) CompareRelease();
    if (target_.kernels) CompareKernels();
    if (target_.backends) CompareBackends();
    if (!target_.release.empty()) CompareTypes(ReleaseOf(target_.release));
    for (std::string& what : MissingOnDevice(target_.device, needs_)) missing_.push_back({"", std::move(what)});
    return std::move(missing_);
  }

 private:
  // Kernels and backends are held against what comes with the release where the target has no lists of its own.
  void CompareRelease() {
    const RuntimeRelease release = ReleaseOf(target_.release);
    for (const RuntimeNeed& need : needs_.runtime) {
      if (need.kind == RuntimeNeed::Kind::kKernel && target_.kernels) continue;
      if (need.kind == RuntimeNeed::Kind::kBackend && target_.backends) continue;
      const bool went = !need.last.empty() && ReleaseOf(need.last) < release;
      if (release < ReleaseOf(need.release) || went) missing_.push_back(need);
    }
    if (!target_.kernels) {
      for (const std::string& name : needs_.foreign_operators) missing_.push_back(KernelNeed(name));
    }
    if (target_.backends) return;
    for (const BackendRequirement& one : needs_.backends) {
      if (RuntimeNeed need = BackendNeed(one.backend); need.release.empty()) missing_.push_back(std::move(need));
    }
  }

  void CompareKernels() {
    for (const OperatorRequirement& op : needs_.operators) {
      const TargetKernel* kernel = FindKernel(*target_.kernels, op.name);
      if (op.calls == 0) continue;
      if (kernel == nullptr) missing_.push_back(KernelNeed(op.name));
      if (kernel == nullptr || !kernel->dtypes) continue;
      const std::vector<std::string> types = MissingTypes(*kernel, op);
      if (!types.empty()) missing_.push_back({"", Text("kernel ", Quoted(op.name), " for ", Joined(types, ", "))});
    }
  }

  // Kernels of a release look at types only when they run.
  void CompareTypes(RuntimeRelease release) {
    for (const OperatorRequirement& op : needs_.operators) {
      const auto row = std::ranges::lower_bound(TypesOfKernels(), op.name, {}, &KernelTypes::name);
      if (row == TypesOfKernels().end() || row->name != op.name || !HasAnyTypes(op.name, release)) continue;
      AddType(op, schema::ScalarType::HALF, row->float16, release);
      AddType(op, schema::ScalarType::BFLOAT16, row->bfloat16, release);
    }
  }

  // Whether the kernel is there, and nothing else told of its types.
  bool HasAnyTypes(std::string_view name, RuntimeRelease release) const {
    if (!target_.kernels) return ReleaseOf(KernelNeed(name).release) <= release;
    const TargetKernel* kernel = FindKernel(*target_.kernels, name);
    return kernel != nullptr && !kernel->dtypes;
  }

  void AddType(const OperatorRequirement& op, schema::ScalarType type, RuntimeRelease first, RuntimeRelease release) {
    const auto scalar_type = static_cast<int8_t>(type);
    const bool is_called = std::ranges::any_of(op.signatures, [&](const KernelSignature& signature) {
      return std::ranges::any_of(signature, [&](const auto& tensor) { return tensor->scalar_type == scalar_type; });
    });
    if (!is_called || first <= release) return;
    const std::string what = Text(ScalarTypeName(scalar_type), " in kernel ", Quoted(op.name));
    missing_.push_back(first == kInNone ? RuntimeNeed{"", what + kInNoRelease} : NeedOf(first, {}, what));
  }

  void CompareBackends() {
    for (const BackendRequirement& one : needs_.backends) {
      const bool is_there = std::ranges::find(*target_.backends, one.backend) != target_.backends->end();
      if (!is_there) missing_.push_back(BackendNeed(one.backend));
    }
  }

  const Target& target_;
  const Requirements& needs_;
  std::vector<RuntimeNeed> missing_;
};

std::string ReleaseRange(RuntimeRelease first, RuntimeRelease last, std::string_view package) {
  return Text(kReleaseTarget, first.major, '.', first.minor, package, " to ", kReleaseTarget, last.major, '.',
              last.minor, package);
}

Error NotAPackage(std::string_view package, std::string_view offer) {
  std::optional<RuntimeRelease> first, last;
  std::vector<std::string> names;
  for (const PackageRelease& row : PackagesForPhones()) {
    if (names.empty() || names.back() != row.package) names.emplace_back(row.package);
    if (row.package != package) continue;
    if (!first) first = row.first;
    last = row.last;
  }
  const std::string expected =
      first ? ReleaseRange(*first, *last, Text('-', package)) : Text("a release's package ", Joined(names, ", "));
  return InvalidArgument(Text("is ", Quoted(offer), ", ", expected, " expected"));
}

std::vector<TargetKernel> KernelsOf(const PackageRelease& package, RuntimeRelease release) {
  std::vector<TargetKernel> kernels;
  for (const NameInReleases& row : StockKernels()) {
    const bool is_there = row.first <= release && (row.last == RuntimeRelease() || release <= row.last);
    const bool is_packed = std::ranges::find(package.lacks, row.name) == package.lacks.end();
    if (is_there && is_packed) kernels.push_back({std::string(row.name), {}});
  }
  for (const std::string_view name : package.adds) kernels.push_back({std::string(name), {}});
  std::ranges::sort(kernels, {}, &TargetKernel::name);
  return kernels;
}

Result<Target> PackageOf(RuntimeRelease release, std::string_view name, std::string_view offer) {
  for (const PackageRelease& row : PackagesForPhones()) {
    if (row.package != name || release < row.first || row.last < release) continue;
    Target target;
    target.name = offer;
    target.release = Text(release.major, '.', release.minor);
    target.device.data_files = DataFilesOf(release, name);
    target.kernels = KernelsOf(row, release);
    target.backends.emplace(row.backends.begin(), row.backends.end());
    return target;
  }
  return NotAPackage(name, offer);
}

// "-ios" of ".1-ios": patches change nothing that is compared.
std::string_view WithoutPatch(std::string_view rest) {
  if (!rest.starts_with('.')) return rest;
  const size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  return end == 1 ? rest : rest.substr(end);
}

}  // namespace

bool NamesRelease(std::string_view offer) { return offer.starts_with(kReleaseTarget); }

Result<Target> FindTarget(std::string_view offer) {
  for (const RuntimeRelease& release : KnownReleases()) {
    Target target;
    target.name = offer;
    target.release = Text(release.major, '.', release.minor);
    const std::string name = Text(kReleaseTarget, target.release);
    if (!offer.starts_with(name)) continue;
    const std::string_view rest = WithoutPatch(offer.substr(name.size()));
    target.device.data_files = DataFilesOf(release, "");
    if (rest.empty()) return target;
    if (rest.starts_with('-')) return PackageOf(release, rest.substr(1), offer);
  }
  return InvalidArgument(
      Text("is ", Quoted(offer), ", ", ReleaseRange(KnownReleases().front(), KnownReleases().back(), ""), " expected"));
}

std::vector<RuntimeNeed> CompareWith(const Target& target, const Requirements& needs) {
  return Comparison(target, needs).Missing();
}

std::string WordsOf(const RuntimeNeed& need) {
  return need.release.empty() || !need.last.empty() ? need.what : Text(need.what, ": since ", need.release);
}

}  // namespace pteedit
