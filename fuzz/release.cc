// Releases of programs, sent as a delta and as an archive: what a device makes is the new release, and of damaged files
// it makes none. The first two files are programs of the old and the new release, the others included in both.
#include "pteedit/package/release.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz_input.h"
#include "pteedit/package/archive.h"
#include "pteedit/package/create.h"
#include "pteedit/package/update.h"
#include "pteedit/package/verify_release.h"

using namespace pteedit;

namespace {

using fuzz::Promise;
using fuzz::PromiseResult;

constexpr uint64_t kPackBytes = 1 << 16;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pteedit-fuzz-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::shared_ptr<const Source> Copied(ByteSpan file, const char* name) {
  return MakeMemorySource(name, {file.data, file.data + file.size});
}

// False where no release can be made of it.
bool MakeRelease(const fuzz::FuzzInput& input, size_t program, const std::string& folder) {
  Result<Container> opened = Container::Open(Copied(input.files[program], "model.pte"));
  if (!opened) return false;
  std::vector<IncludedInput> included;
  for (size_t i = 2; i < input.files.size(); ++i)
    included.push_back({"file" + std::to_string(i), Copied(input.files[i], "included.bin")});
  const Result<ReleasePlan> plan = PlanRelease({{"a", {}, ProgramSet(*std::move(opened), {})}}, included);
  if (!plan) return false;
  ReleaseOptions options;
  if ((input.options[0] & 1) != 0) options.compress_level = 1;
  if ((input.options[0] & 2) != 0) options.pack_bytes = kPackBytes;
  return WriteRelease(*plan, folder, {}, options).has_value();
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
  const Result<PlannedFile> archive = PlanArchive(*release, "a");
  if (archive) PromiseResult(archive->AsSource("a.etm")->Read(0, {}), "its archive can be read:");
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One byte of one file of the delta, as the options say.
void Damage(const std::string& delta, const std::array<uint8_t, 4>& options) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(delta)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  const std::string& name = names[options[1] % names.size()];
  std::string text = TextOf(name);
  if (text.empty()) return;
  char& byte = text[(options[2] * size_t{251} + options[3]) % text.size()];
  byte = static_cast<char>(byte ^ (1 << (options[3] % 8)));
  std::ofstream(name, std::ios::binary) << text;
}

// The whole way of a device: what has to be fetched is fetched already.
void CheckUpdate(const Folder& folder, const std::array<uint8_t, 4>& options) {
  const UpdateFolders folders{folder / "new", folder / "delta", folder / "old"};
  const Result<UpdatePlan> plan = PlanUpdate(folders, "a");
  if (!plan || plan->fetch_bytes != 0) return;
  const Result<ApplyReport> updated = ApplyUpdate(folders, "a", folder / "updated", {});
  if ((options[0] & 4) == 0) PromiseResult(updated, "a device gets the release:");
  if (updated) CheckRelease(folder / "updated");
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
  const Result<DeltaReport> made = CreateDelta(folder / "old", folder / "new", folder / "delta", options);
  PromiseResult(made, "a delta can be made:");
  const bool is_damaged = (input.options[0] & 4) != 0;
  if (is_damaged) Damage(folder / "delta", input.options);
  const Result<ApplyReport> applied = ApplyDelta(folder / "delta", folder / "old", folder / "applied", {});
  if (!is_damaged) PromiseResult(applied, "a delta can be applied:");
  if (applied) {
    CheckRelease(folder / "applied");
    const Result<Release> wanted = OpenRelease(folder / "new"), got = OpenRelease(folder / "applied");
    Promise(ReleaseId(wanted->manifest) == ReleaseId(got->manifest), "what was made is the new release");
  }
  CheckUpdate(folder, input.options);
  return 0;
}
