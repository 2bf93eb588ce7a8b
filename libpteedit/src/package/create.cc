#include "pteedit/package/create.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "package/manifest_names.h"
#include "pteedit/delegates.h"
#include "pteedit/requirements.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"
#include "verify/check_inputs.h"

namespace pteedit {
namespace {

constexpr char kAnyExtension[] = "bin";

// Of an included file, where its name has one that the names of a release take.
std::string ExtensionOf(const std::string& path) {
  const std::string name = BaseName(path);
  const size_t dot = name.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  return extension.size() > 1 && IsExtension(extension) ? extension.substr(1) : kAnyExtension;
}

void AddLabel(std::map<std::string, std::string>& labels, const std::string& name, const std::string& value) {
  std::string& label = labels[name];
  label += (label.empty() ? "" : "+") + EscapeControl(value).substr(0, kMaxNameBytes / 4);
}

std::map<std::string, std::string> LabelsOf(const VariantInput& variant, const Requirements& needs) {
  std::map<std::string, std::string> told;
  std::set<std::pair<std::string, std::string>> seen;
  for (const BackendRequirement& backend : needs.backends) {
    AddLabel(told, "backend", backend.backend);
    for (const BlobFact& fact : backend.targets) {
      if (seen.emplace(fact.name, fact.value).second) AddLabel(told, fact.name, fact.value);
    }
  }
  std::map<std::string, std::string> labels = variant.labels;
  for (const auto& [name, value] : told) {
    if (IsShownAsItIs(name) && IsShownAsItIs(value)) labels.emplace(name, value);
  }
  return labels;
}

class ReleasePlanner {
 public:
  Status Add(const VariantInput& input) {
    PTEEDIT_TRY(CheckVariant(input));
    PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(input.files));
    ReleasePlan::Variant variant{input.name, {}, {}, DescribeRequirements(input.files, delegates)};
    const Requirements& needs = variant.needs;
    variant.labels = LabelsOf(input, needs);
    variant.members.push_back(MemberOf({input.files.file().source(), "pte", true, {}}));
    std::set<std::string> needed;
    for (const KeyRequirement& key : needs.external_keys) needed.insert(key.file);
    for (const bool is_needed : {true, false}) {  // others go in by another way than the loader: an adapter
      for (const Container& file : input.files.data()) {
        if ((needed.count(file.name()) != 0) != is_needed) continue;
        variant.members.push_back(MemberOf({file.source(), "ptd", false, {}}));
        AddShard(variant.members.back(), file);
      }
    }
    plan_.variants.push_back(std::move(variant));
    return {};
  }

  Status Include(const IncludedInput& input) {
    if (!IsPortableName(input.name)) {
      return InvalidArgument(Text("included as ", Quoted(input.name), ": letters, digits, '.', '_' and '-' expected"))
          .In(input.file->name());
    }
    if (!included_.insert(input.name).second) {
      return InvalidArgument(Text("two files are included as ", Quoted(input.name))).In(input.file->name());
    }
    plan_.members.push_back({input.file, ExtensionOf(input.file->name()), false, input.name});
    return {};
  }

  ReleasePlan Take() && {
    std::sort(plan_.variants.begin(), plan_.variants.end(),
              [](const ReleasePlan::Variant& a, const ReleasePlan::Variant& b) { return a.name < b.name; });
    for (auto& [name, shards] : shards_) {
      if (shards.size() < 2) continue;
      std::vector<ReleasePlan::Shard>& index = plan_.indexes.emplace_back();
      for (auto& [number, shard] : shards) index.push_back(std::move(shard));
    }
    return std::move(plan_);
  }

 private:
  Status CheckVariant(const VariantInput& input) {
    const Container& program = input.files.file();
    PTEEDIT_TRY(CheckIsProgram(program));
    if (program.kind() == FileKind::kBundle)
      return InvalidArgument("is a bundled program; only programs can be released").In(program.name());
    if (!IsShownAsItIs(input.name)) {
      return InvalidArgument(Text("the variant is called ", Quoted(input.name), ", 1 to 255 bytes of text expected"))
          .In(program.name());
    }
    if (!names_.insert(input.name).second) {
      return InvalidArgument(Text("two variants are called ", Quoted(input.name), "; give them names: NAME=FILE"))
          .In(program.name());
    }
    PTEEDIT_TRY(CheckInputs(input.files));
    PTEEDIT_ASSIGN(const std::vector<FileFindings> findings, VerifyOpened(input.files, {/*hash_keys=*/false}));
    for (const FileFindings& found : findings) {
      for (const Finding& finding : found.findings) {
        if (finding.severity == Severity::kError)
          return Malformed(finding.where + (finding.where.empty() ? "" : " ") + finding.message).In(found.file);
      }
    }
    return {};
  }

  size_t MemberOf(ReleasePlan::Member member) {
    const Source* source = member.source.get();
    const std::optional<FileIdentity> file = IdentityOfDescriptor(source->file_place().descriptor);
    const auto key = std::make_tuple(file ? nullptr : source, file ? file->device : 0, file ? file->inode : 0);
    const auto [place, is_new] = index_.try_emplace({key, member.extension}, plan_.members.size());
    if (is_new) plan_.members.push_back(std::move(member));
    return place->second;
  }

  void AddShard(size_t member, const Container& file) {
    const std::optional<ShardOf> shard = FindShard(file.name());
    if (!shard) return;
    ReleasePlan::Shard& known = shards_[{shard->name, shard->count}][shard->index];
    known = {member, {}};
    for (const NamedEntry& entry : file.named_data()) known.keys.emplace_back(entry.key);
  }

  ReleasePlan plan_;
  std::set<std::string> names_, included_;
  // By the name of the whole data file and how many shards it has, then by their numbers.
  std::map<std::pair<std::string, size_t>, std::map<size_t, ReleasePlan::Shard>> shards_;
  // A file that is opened several times is one member.
  std::map<std::pair<std::tuple<const Source*, uint64_t, uint64_t>, std::string>, size_t> index_;
};

class Namer {
 public:
  Namer(const ReleasePlan& plan, const std::vector<std::string>& sha256) : plan_(plan), sha256_(sha256) {}

  Result<NamedRelease> Name() {
    CountUsers();
    for (size_t i = 0; i < plan_.members.size(); ++i) PTEEDIT_TRY(AddFile(i));
    for (const auto& index : plan_.indexes) index_names_.push_back(AddIndex(index));
    for (const ReleasePlan::Variant& variant : plan_.variants) AddVariant(variant);
    for (const auto& [name, file] : files_) {
      if (file.role == FileRole::kShared) named_.manifest.bases.push_back({name, file.sha256});
      named_.manifest.files.push_back(file);
    }
    FinishManifest(named_.manifest);
    return std::move(named_);
  }

 private:
  // Contents, not files, are shared.
  void CountUsers() {
    for (const ReleasePlan::Variant& variant : plan_.variants) {
      std::set<std::string> seen;
      for (const size_t member : variant.members) {
        if (seen.insert(sha256_[member]).second) ++users_[sha256_[member]];
      }
    }
  }

  FileRole RoleOf(size_t i) const {
    const ReleasePlan::Member& member = plan_.members[i];
    if (member.is_program) return FileRole::kProgram;
    if (!member.name.empty()) return FileRole::kIncluded;
    return users_.at(sha256_[i]) > 1 ? FileRole::kShared : FileRole::kVariant;
  }

  Status AddFile(size_t i) {
    const ReleasePlan::Member& member = plan_.members[i];
    const FileRole role = RoleOf(i);
    const std::string name = ReleaseFileName(role, sha256_[i], member.extension);
    named_.names.push_back(name);
    const auto [place, is_new] =
        files_.try_emplace(name, ReleaseFile{name, role, member.name, member.source->size(), sha256_[i], {}});
    const ReleaseFile& file = place->second;
    if (is_new || (file.sha256 == sha256_[i] && file.name == member.name)) return {};
    return InvalidArgument(Text("would be called ", Quoted(name), " as another file is")).In(member.source->name());
  }

  std::string AddIndex(const std::vector<ReleasePlan::Shard>& index) {
    std::vector<IndexedShard> shards;
    for (const auto& [member, keys] : index)
      shards.push_back({named_.names[member], plan_.members[member].source->size(), keys});
    const std::string text = ShardIndexText(shards);
    const std::string sha256 = Sha256Of(ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()}).Hex();
    const std::string name = ReleaseFileName(FileRole::kIndex, sha256, "json");
    files_.try_emplace(name, ReleaseFile{name, FileRole::kIndex, {}, text.size(), sha256, {}});
    named_.indexes.emplace(name, text);
    return name;
  }

  // The indexes of its shards.
  void AddIndexes(const std::vector<size_t>& members, std::vector<std::string>& names) const {
    for (size_t i = 0; i < plan_.indexes.size(); ++i) {
      const auto is_of_variant = [&](const ReleasePlan::Shard& shard) {
        return std::find(members.begin(), members.end(), shard.member) != members.end();
      };
      if (std::any_of(plan_.indexes[i].begin(), plan_.indexes[i].end(), is_of_variant))
        names.push_back(index_names_[i]);
    }
  }

  void AddVariant(const ReleasePlan::Variant& variant) {
    ReleaseVariant added;
    added.name = variant.name;
    added.labels = variant.labels;
    added.min_runtime = variant.needs.min_runtime;
    added.data_files = variant.needs.data_files;
    added.targets = variant.targets;
    for (const size_t member : variant.members) added.files.push_back(named_.names[member]);
    AddIndexes(variant.members, added.files);
    for (size_t i = 0; i < plan_.members.size(); ++i) {
      if (!plan_.members[i].name.empty()) added.files.push_back(named_.names[i]);
    }
    added.files = WithoutRepeats(std::move(added.files));
    named_.manifest.variants.push_back(std::move(added));
  }

  const ReleasePlan& plan_;
  const std::vector<std::string>& sha256_;
  std::map<std::string, uint64_t> users_;
  std::map<std::string, ReleaseFile> files_;
  std::vector<std::string> index_names_;  // by index of the plan
  NamedRelease named_;
};

}  // namespace

Result<ReleasePlan> PlanRelease(const std::vector<VariantInput>& variants, const std::vector<IncludedInput>& included) {
  ReleasePlanner planner;
  for (const VariantInput& variant : variants) PTEEDIT_TRY(planner.Add(variant));
  for (const IncludedInput& file : included) PTEEDIT_TRY(planner.Include(file));
  return std::move(planner).Take();
}

Result<std::vector<std::string>> HashMembers(const ReleasePlan& plan) {
  std::vector<std::string> hashes;
  for (const ReleasePlan::Member& member : plan.members) {
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*member.source, {0, member.source->size()}));
    hashes.push_back(digest.Hex());
  }
  return hashes;
}

Result<NamedRelease> NameRelease(const ReleasePlan& plan, const std::vector<std::string>& sha256) {
  return Namer(plan, sha256).Name();
}

}  // namespace pteedit
