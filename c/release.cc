// Releases through the C door.
#include "release.h"

#include <memory>
#include <string>
#include <utility>

#include "pteedit/package/update.h"
#include "status.h"

namespace {

using pteedit::InvalidArgument;
using pteedit::Manifest;
using pteedit::ReleaseVariant;
using pteedit::c::Failed;
using pteedit::c::IsNull;

pteedit_status NoSuchIndex(const char* what, size_t index, size_t count) {
  return Failed(InvalidArgument(std::string("there is no ") + what + " " + std::to_string(index) + " of " +
                                std::to_string(count)));
}

}  // namespace

pteedit_status pteedit_release_open(const char* folder, pteedit_release** release) noexcept {
  if (release == nullptr) return IsNull("release");
  *release = nullptr;
  if (folder == nullptr) return IsNull("folder");
  pteedit::Result<pteedit::Release> opened = pteedit::OpenRelease(folder);
  if (!opened) return Failed(opened.error());
  *release = new pteedit_release{*std::move(opened)};
  return PTEEDIT_OK;
}

void pteedit_release_close(pteedit_release* release) noexcept { delete release; }

const char* pteedit_release_id(const pteedit_release* release) noexcept {
  return release == nullptr ? nullptr : release->release.manifest.release.c_str();
}

size_t pteedit_release_variant_count(const pteedit_release* release) noexcept {
  return release == nullptr ? 0 : release->release.manifest.variants.size();
}

pteedit_status pteedit_release_variant(const pteedit_release* release, size_t index,
                                       pteedit_variant* variant) noexcept {
  if (release == nullptr) return IsNull("release");
  if (variant == nullptr) return IsNull("variant");
  const auto& variants = release->release.manifest.variants;
  if (index >= variants.size()) return NoSuchIndex("variant", index, variants.size());
  const ReleaseVariant& found = variants[index];
  *variant = {
      found.name.c_str(),   found.min_runtime.c_str(), found.files.size(),      static_cast<size_t>(found.data_files),
      found.download_bytes, found.installed_bytes,     found.largest_file_bytes};
  return PTEEDIT_OK;
}

const char* pteedit_release_label(const pteedit_release* release, const char* variant, const char* label) noexcept {
  if (release == nullptr || variant == nullptr || label == nullptr) return nullptr;
  const ReleaseVariant* found = release->release.manifest.FindVariant(variant);
  if (found == nullptr) return nullptr;
  const auto value = found->labels.find(label);
  return value == found->labels.end() ? nullptr : value->second.c_str();
}

pteedit_status pteedit_release_file_of(const pteedit_release* release, const char* variant, size_t index,
                                       pteedit_release_file* file) noexcept {
  if (release == nullptr) return IsNull("release");
  if (variant == nullptr) return IsNull("variant");
  if (file == nullptr) return IsNull("file");
  const Manifest& manifest = release->release.manifest;
  const ReleaseVariant* found = manifest.FindVariant(variant);
  if (found == nullptr) return Failed(InvalidArgument(std::string("there is no variant '") + variant + "'"));
  if (index >= found->files.size()) return NoSuchIndex("file", index, found->files.size());
  const pteedit::ReleaseFile& is = *manifest.Find(found->files[index]);
  *file = {is.file.c_str(), RoleName(is.role), is.name.c_str(), is.bytes, is.sha256.c_str()};
  return PTEEDIT_OK;
}

pteedit_status pteedit_release_check(const pteedit_release* release, const char* variant, pteedit_progress progress,
                                     void* context) noexcept {
  if (release == nullptr) return IsNull("release");
  pteedit::c::Progress reported(progress, context);
  const pteedit::Status checked =
      pteedit::CheckReleaseFiles(release->release, pteedit::c::TextOf(variant), reported.Function());
  return checked ? PTEEDIT_OK : reported.FailedWith(checked.error());
}

struct pteedit_update {
  const pteedit::UpdateFolders folders;
  const std::string variant;
  const pteedit::UpdatePlan plan;
};

pteedit_status pteedit_update_plan(const char* release, const char* delta, const char* installed, const char* variant,
                                   pteedit_update** update) noexcept {
  if (update == nullptr) return IsNull("update");
  *update = nullptr;
  if (release == nullptr) return IsNull("release");
  if (installed == nullptr) return IsNull("installed");
  const pteedit::UpdateFolders folders{release, pteedit::c::TextOf(delta), installed};
  const std::string wanted = pteedit::c::TextOf(variant);
  pteedit::Result<pteedit::UpdatePlan> plan = pteedit::PlanUpdate(folders, wanted);
  if (!plan) return Failed(plan.error());
  *update = new pteedit_update{folders, wanted, *std::move(plan)};
  return PTEEDIT_OK;
}

void pteedit_update_close(pteedit_update* update) noexcept { delete update; }

const char* pteedit_update_to(const pteedit_update* update) noexcept {
  return update == nullptr ? nullptr : update->plan.to.c_str();
}

const char* pteedit_update_from(const pteedit_update* update) noexcept {
  return update == nullptr ? nullptr : update->plan.from.c_str();
}

size_t pteedit_update_fetch_count(const pteedit_update* update) noexcept {
  return update == nullptr ? 0 : update->plan.fetches.size();
}

uint64_t pteedit_update_fetch_bytes(const pteedit_update* update) noexcept {
  return update == nullptr ? 0 : update->plan.fetch_bytes;
}

pteedit_status pteedit_update_fetch_of(const pteedit_update* update, size_t index, pteedit_fetch* fetch) noexcept {
  if (update == nullptr) return IsNull("update");
  if (fetch == nullptr) return IsNull("fetch");
  const auto& fetches = update->plan.fetches;
  if (index >= fetches.size()) return NoSuchIndex("fetch", index, fetches.size());
  const pteedit::Fetch& is = fetches[index];
  *fetch = {is.is_of_delta ? 1 : 0, is.file.c_str(), is.offset, is.bytes, is.sha256.c_str()};
  return PTEEDIT_OK;
}

pteedit_status pteedit_update_apply(const pteedit_update* update, const char* to, pteedit_progress progress,
                                    void* context) noexcept {
  if (update == nullptr) return IsNull("update");
  pteedit::c::Progress reported(progress, context);
  pteedit::ApplyOptions options;
  options.replace = to == nullptr;
  options.progress = reported.Function();
  const std::string place = to == nullptr ? update->folders.installed : to;
  const auto applied = pteedit::ApplyUpdate(update->folders, update->variant, place, options);
  return applied ? PTEEDIT_OK : reported.FailedWith(applied.error());
}
