#include "package/checked_file.h"

#include "base/text.h"
#include "io/digest.h"
#include "pteedit/package/release.h"
#include "pteedit/try.h"

namespace pteedit {

Result<std::shared_ptr<const Source>> OpenSized(const std::string& folder, const ReleaseFile& file) {
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenReleaseFile(folder, file.file));
  if (source->size() == file.bytes) return source;
  return Malformed(Text("has ", source->size(), " bytes, ", file.bytes, " in the manifest")).In(source->name());
}

Status CheckContents(const Source& source, const std::string& sha256) {
  PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(source, {0, source.size()}));
  return CheckDigest(digest.Hex(), sha256, source);
}

Status CheckDigest(const std::string& is, const std::string& expected, const Source& source) {
  if (is == expected) return {};
  return Malformed(Text("has the SHA-256 ", is, ", ", expected, " in the manifest")).In(source.name());
}

Result<std::shared_ptr<const Source>> OpenChecked(const std::string& folder, const ReleaseFile& file) {
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenSized(folder, file));
  PTEEDIT_TRY(CheckContents(*source, file.sha256));
  return source;
}

bool HasFile(const Manifest& manifest, const ReleaseFile& file) {
  const ReleaseFile* other = manifest.Find(file.file);
  return other != nullptr && other->sha256 == file.sha256 && other->bytes == file.bytes;
}

}  // namespace pteedit
