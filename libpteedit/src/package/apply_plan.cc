#include "package/apply_plan.h"

#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "package/checked_file.h"
#include "package/manifest_names.h"
#include "pteedit/package/release.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class Planner {
 public:
  Planner(const Release& delta, const Release& from)
      : delta_(delta), from_(from), rows_(delta.manifest.delta->files), plan_(std::make_unique<ApplyPlan>()) {}

  Result<std::unique_ptr<const ApplyPlan>> Plan() {
    plan_->old = from_.manifest;
    plan_->made_by = delta_.folder + "/" + kManifestName;
    plan_->delta = delta_.manifest;
    for (const DeltaFile& made : plan_->delta.delta->files) {
      if (!made_.emplace(made.file, &made).second) return Wrong(Text("makes ", Quoted(made.file), " twice"));
    }
    PTEEDIT_TRY(OpenSources());
    PTEEDIT_TRY(MakeManifest());
    for (const ReleaseFile& file : plan_->manifest.files) PTEEDIT_TRY(PlanFile(file));
    if (made_.size() != used_) return Wrong("makes files that the new release does not have");
    return std::unique_ptr<const ApplyPlan>(std::move(plan_));
  }

 private:
  Error Wrong(const std::string& what) const {
    return Malformed("delta " + what).In(delta_.folder + "/" + kManifestName);
  }

  Status OpenSources() {
    DeltaSources& sources = plan_->sources;
    for (const ReleaseFile& file : delta_.manifest.files) {
      PTEEDIT_ASSIGN(sources.delta_files[file.file], OpenChecked(delta_.folder, file));
    }
    PTEEDIT_ASSIGN(sources.old_files[kManifestName], OpenReleaseFile(from_.folder, kManifestName));
    for (const DeltaFile& made : rows_) {
      for (const DeltaOperation& operation : made.operations) {
        if (operation.is_copy) PTEEDIT_TRY(OpenOld(operation.file));
        if (operation.dictionary) PTEEDIT_TRY(OpenOld(operation.dictionary->file));
      }
    }
    return {};
  }

  // What the old release does not have is found when operations are checked.
  Status OpenOld(const std::string& name) {
    const ReleaseFile* file = from_.manifest.Find(name);
    if (file == nullptr || plan_->sources.old_files.contains(name)) return {};
    PTEEDIT_ASSIGN(plan_->sources.old_files[name], OpenSized(from_.folder, *file));
    return {};
  }

  Result<uint64_t> Check(const DeltaFile& made) const {
    Result<uint64_t> bytes = CheckOperations(made, plan_->sources);
    if (!bytes) return std::move(bytes).error().In(delta_.folder + "/" + kManifestName);
    return bytes;
  }

  const DeltaFile* Use(const std::string& name) {
    const auto found = made_.find(name);
    if (found == made_.end()) return nullptr;
    ++used_;
    return found->second;
  }

  Status MakeManifest() {
    const DeltaFile* made = Use(kManifestName);
    if (made == nullptr) return Wrong(Text("does not make ", Quoted(kManifestName)));
    PTEEDIT_ASSIGN(const uint64_t bytes, Check(*made));
    if (bytes > kMaxManifestBytes)
      return Wrong(Text("makes a manifest of ", bytes, " bytes, at most ", kMaxManifestBytes, " are looked into"));
    std::vector<uint8_t> built;
    Status status = BuildFile(*made, plan_->sources, {[&](ByteSpan piece) {
      built.insert(built.end(), piece.data, piece.data + piece.size);
      return Status();
    }});
    if (!status) return std::move(status).error().In(delta_.folder + "/" + kManifestName);
    if (Sha256Of(ByteSpan{built.data(), built.size()}).Hex() != made->sha256)
      return Wrong("and the older release's manifest do not make the new one");
    plan_->text.assign(built.begin(), built.end());
    PTEEDIT_ASSIGN(plan_->manifest, ReadManifest(*MakeMemorySource("the new manifest", std::move(built))));
    if (plan_->manifest.release != delta_.manifest.release)
      return Wrong(Text("makes release ", plan_->manifest.release, ", not ", delta_.manifest.release));
    return {};
  }

  Status PlanFile(const ReleaseFile& file) {
    const DeltaFile* made = Use(file.file);
    if (made == nullptr) {
      if (!HasFile(from_.manifest, file))
        return Wrong(Text("does not make ", Quoted(file.file), ", which the older release does not have"));
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenSized(from_.folder, file));
      plan_->files.push_back({file, nullptr, std::move(source), nullptr});
      return {};
    }
    PTEEDIT_ASSIGN(const uint64_t bytes, Check(*made));
    if (bytes != file.bytes)
      return Wrong(Text("gives ", bytes, " bytes of ", Quoted(file.file), ", which has ", file.bytes));
    if (made->sha256 != file.sha256)
      return Wrong(Text("makes another ", Quoted(file.file), " than the new manifest has"));
    plan_->files.push_back({file, made, nullptr, nullptr});
    return {};
  }

  const Release& delta_;
  const Release& from_;
  const std::vector<DeltaFile>& rows_;
  std::unique_ptr<ApplyPlan> plan_;
  std::map<std::string, const DeltaFile*> made_;
  size_t used_ = 0;
};

}  // namespace

Result<std::unique_ptr<const ApplyPlan>> PlanApply(const std::string& delta, const std::string& from) {
  PTEEDIT_ASSIGN(const Release changes, OpenRelease(delta));
  if (!changes.manifest.delta) return Malformed("is no delta").In(delta + "/" + kManifestName);
  PTEEDIT_ASSIGN(const Release old, OpenRelease(from));
  if (old.manifest.release != changes.manifest.delta->from) {
    return InvalidArgument(
               Text("is release ", old.manifest.release, ", the delta is for ", changes.manifest.delta->from))
        .In(from);
  }
  return Planner(changes, old).Plan();
}

}  // namespace pteedit
