// In the place of what a page in a browser has no use for, or cannot have: paths to open, and records, which are
// packed.
#include "input_files.h"
#include "io/posix_file.h"
#include "pteedit/profile/compressed_sizes.h"
#include "record/zip_contents.h"

namespace pteedit {

Status ReadSample(const Source& source, Extent content, uint64_t offset, MutableByteSpan out) {
  return source.Read(content.offset + offset, out);
}

Result<SizeNode> AddCompressedSizes(const Source& /*file*/, SizeNode /*tree*/, const CompressOptions& /*options*/) {
  return Unsupported("compressed sizes are not measured in a browser");
}

Result<std::string> ReadContents(const ZipFile& /*zip*/, const ZipEntry& /*entry*/, uint64_t /*most*/) {
  return Unsupported("packed members of archives are not read in a browser");
}

namespace cli {

Result<std::shared_ptr<const Source>> OpenWhole(const std::string& file) {
  return IoError("there are no paths in a browser").In(file);
}

}  // namespace cli
}  // namespace pteedit
