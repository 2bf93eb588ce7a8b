// Releases of programs, sent as a delta and as an archive: what a device makes is the new release, and of damaged files
// it makes none. The first two files are programs of the old and the new release, the others included in both.
#include "pteedit/package/release.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "files.h"
#include "fuzz_input.h"
#include "pteedit/archive_member.h"
#include "pteedit/merge.h"
#include "pteedit/package/archive.h"
#include "pteedit/package/create.h"
#include "pteedit/package/prune.h"
#include "pteedit/package/update.h"
#include "pteedit/package/verify_release.h"
#include "pteedit/shards.h"
#include "temporary_folder.h"

using namespace pteedit;

namespace {

using Folder = test::TemporaryFolder;
using fuzz::Promise;
using fuzz::PromiseResult;

constexpr uint64_t kPackBytes = 1 << 16;
constexpr uint64_t kShardBytes = 1 << 12;

// Bits of the first option byte.
constexpr unsigned kCompressed = 1, kPacked = 2, kDamaged = 4, kMerged = 8, kAllVariants = 16, kStopped = 32;

std::shared_ptr<const Source> Copied(ByteSpan file, const char* name) {
  return MakeMemorySource(name, {file.data, file.data + file.size});
}

// Both programs, sharing shards of one data file; none where they cannot.
std::vector<VariantInput> MergedVariants(const Container& one, const Container& other) {
  MergeOptions options;
  options.min_bytes = 0;
  options.max_shard_bytes = kShardBytes;
  const Result<MergeResult> merged = MergePrograms({{one, "a", "a"}, {other, "b", "b"}}, options);
  if (!merged) return {};
  std::vector<Container> shards;
  for (const PlannedFile& file : merged->shared)
    shards.push_back(fuzz::Reopen(file, ShardName("shared.ptd", shards.size(), merged->shared.size()).c_str()));
  std::vector<VariantInput> variants;
  for (const MergedProgram& program : merged->programs) {
    const char* name = variants.empty() ? "a" : "b";
    std::vector<Container> data;
    for (const size_t shard : program.shared) data.push_back(shards[shard]);
    variants.push_back({name, {}, ProgramSet(fuzz::Reopen(program.program, name), std::move(data))});
  }
  return variants;
}

std::vector<VariantInput> VariantsOf(const fuzz::FuzzInput& input, size_t program) {
  const Result<Container> opened = Container::Open(Copied(input.files[program], "model.pte"));
  if (!opened) return {};
  if (program == 0 || (input.options[0] & kMerged) == 0) return {{"a", {}, ProgramSet(*opened, {})}};
  const Result<Container> other = Container::Open(Copied(input.files[0], "other.pte"));
  return other ? MergedVariants(*opened, *other) : std::vector<VariantInput>();
}

// False where no release can be made of it.
bool MakeRelease(const fuzz::FuzzInput& input, size_t program, const std::string& folder) {
  const std::vector<VariantInput> variants = VariantsOf(input, program);
  if (variants.empty()) return false;
  std::vector<IncludedInput> included;
  for (size_t i = 2; i < input.files.size(); ++i)
    included.push_back({"file" + std::to_string(i), Copied(input.files[i], "included.bin")});
  const Result<ReleasePlan> plan = PlanRelease(variants, included);
  if (!plan) return false;
  ReleaseOptions options;
  if ((input.options[0] & kCompressed) != 0) options.compress_level = 1;
  if ((input.options[0] & kPacked) != 0) options.pack_bytes = kPackBytes;
  options.dry_run = true;
  const Result<Manifest> planned = WriteRelease(*plan, folder, {}, options);
  options.dry_run = false;
  const Result<Manifest> written = WriteRelease(*plan, folder, {}, options);
  if (!written) return false;
  Promise(planned && ReleaseId(*planned) == ReleaseId(*written), "a dry run tells the release");
  return true;
}

// The variant's program and data files are in the archive as they are in the release.
void CheckArchive(const Release& release) {
  const ReleaseVariant& variant = release.manifest.variants.front();
  const Result<PlannedFile> plan = PlanArchive(release, variant.name);
  if (!plan) return;
  const auto archive = plan->AsSource("a.etm");
  const auto program = ProgramOrItself(archive);
  PromiseResult(program, "an archive has its program:");
  const auto file = OpenReleaseFile(release.folder, variant.files.front());
  Promise(fuzz::TextOf(**program) == fuzz::TextOf(**file), "which is the variant's");
  const auto members = DataMembers(archive);
  PromiseResult(members, "an archive has its data files:");
  Promise(members->size() <= variant.data_files, "which are the variant's");
  for (const std::string& member : *members) PromiseResult(OpenMember(archive, member), "each of which opens:");
  PromiseResult(PlanArchive(release, ""), "the whole release has an archive, too:");
}

void CheckRelease(const std::string& folder) {
  const Result<Release> release = OpenRelease(folder);
  PromiseResult(release, "a release that was made opens:");
  const auto findings = VerifyRelease(*release);
  PromiseResult(findings, "and can be verified:");
  for (const FileFindings& file : *findings) {
    for (const Finding& finding : file.findings)
      Promise(finding.severity != Severity::kError, "without errors:", finding.message);
  }
  PromiseResult(CheckReleaseFiles(*release, "", [](uint64_t, uint64_t) { return true; }), "and with all files:");
  CheckArchive(*release);
}

// One byte of one file of the delta, as the options say.
void Damage(const std::string& delta, const std::array<uint8_t, 4>& options) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(delta)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  const std::string& name = names[options[1] % names.size()];
  std::string text = fuzz::TextOf(name);
  if (text.empty()) return;
  char& byte = text[(options[2] * size_t{251} + options[3]) % text.size()];
  byte = static_cast<char>(byte ^ (1 << (options[3] % 8)));
  fuzz::WriteText(name, text);
}

// Twice, where the first time is stopped on its way.
Result<ApplyReport> Apply(const Folder& folder, const std::array<uint8_t, 4>& options) {
  ApplyOptions apply;
  const std::string to = folder / "applied";
  apply.dry_run = true;
  (void)ApplyDelta(folder / "delta", folder / "old", to, apply);
  Promise(!std::filesystem::exists(to), "a dry run writes nothing");
  apply.dry_run = false;
  if ((options[0] & kStopped) != 0) {
    apply.progress = [](uint64_t done, uint64_t total) { return done < total / 2; };
    Promise(!ApplyDelta(folder / "delta", folder / "old", to, apply), "what is stopped fails");
    Promise(!OpenRelease(to), "and is no release");
    apply.progress = nullptr;
  }
  return ApplyDelta(folder / "delta", folder / "old", to, apply);
}

// The whole way of a device: what has to be fetched is fetched already.
void CheckUpdate(const Folder& folder, const std::array<uint8_t, 4>& options) {
  const UpdateFolders folders{folder / "new", folder / "delta", folder / "old"};
  const std::string variant = (options[0] & kAllVariants) != 0 ? "" : "a";
  const Result<UpdatePlan> plan = PlanUpdate(folders, variant);
  if (!plan || plan->fetch_bytes != 0) return;
  const Result<ApplyReport> updated = ApplyUpdate(folders, variant, folder / "updated", {});
  if ((options[0] & kDamaged) == 0) PromiseResult(updated, "a device gets the release:");
  if (!updated) return;
  const Result<Release> release = OpenRelease(folder / "updated");
  PromiseResult(release, "which opens:");
  PromiseResult(CheckReleaseFiles(*release, variant, nullptr), "and has all that the device asked for:");
  if (variant.empty()) CheckRelease(folder / "updated");
}

// Over the old release, of which then only what both have is left.
void CheckInPlace(const Folder& folder, const std::string& release) {
  const std::string old = folder / "old";
  ApplyOptions options;
  options.replace = true;
  const Result<ApplyReport> applied = ApplyDelta(folder / "delta", old, old, options);
  PromiseResult(applied, "a release takes the place of the old one:");
  const auto found = PruneReleases({old}, true), removed = PruneReleases({old}, false);
  PromiseResult(removed, "what is no part of it can be removed:");
  Promise(found && found->size() == removed->size(), "as a dry run said");
  CheckRelease(old);
  Promise(ReleaseId(OpenRelease(old)->manifest) == release, "and is the new one");
  Promise(PruneReleases({old}, true)->empty(), "nothing is left to remove");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.size() < 2) return 0;
  const Folder folder;
  if (!MakeRelease(input, 0, folder / "old") || !MakeRelease(input, 1, folder / "new")) return 0;
  CheckRelease(folder / "new");
  DeltaOptions options;
  options.level = 1;
  options.dry_run = true;
  const Result<DeltaReport> planned = CreateDelta(folder / "old", folder / "new", folder / "delta", options);
  options.dry_run = false;
  const Result<DeltaReport> made = CreateDelta(folder / "old", folder / "new", folder / "delta", options);
  PromiseResult(made, "a delta can be made:");
  Promise(planned && planned->to == made->to, "as a dry run said");
  const bool is_damaged = (input.options[0] & kDamaged) != 0;
  if (is_damaged) Damage(folder / "delta", input.options);
  const Result<ApplyReport> applied = Apply(folder, input.options);
  if (!is_damaged) PromiseResult(applied, "a delta can be applied:");
  const Result<Release> wanted = OpenRelease(folder / "new");
  if (applied) {
    CheckRelease(folder / "applied");
    const Result<Release> got = OpenRelease(folder / "applied");
    Promise(ReleaseId(wanted->manifest) == ReleaseId(got->manifest), "what was made is the new release");
  }
  CheckUpdate(folder, input.options);
  if (!is_damaged) CheckInPlace(folder, ReleaseId(wanted->manifest));
  return 0;
}
