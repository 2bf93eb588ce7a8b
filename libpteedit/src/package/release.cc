#include "pteedit/package/release.h"

#include "io/posix_file.h"
#include "pteedit/try.h"

namespace pteedit {

Result<std::shared_ptr<const Source>> OpenReleaseFile(const std::string& folder, const std::string& name) {
  const std::string path = folder + (folder.ends_with('/') ? "" : "/") + name;
  const std::string place = RealPath(folder).value_or(folder);
  const std::string file = RealPath(path).value_or(path);
  if (RealPath(path) && !file.starts_with(place == "/" ? place : place + "/")) {
    return Malformed("is a link that leads out of the release").In(path);
  }
  return OpenFileSource(path);
}

Result<Release> OpenRelease(const std::string& folder) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(folder, kManifestName));
  PTEEDIT_ASSIGN(Manifest manifest, ReadManifest(*source));
  return Release{folder, std::move(manifest)};
}

}  // namespace pteedit
