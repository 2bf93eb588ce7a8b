// The folder of files that a Core ML blob is: the files' bytes one behind the other, and at the end a JSON text that
// says where they lie, its bytes in reverse order, so that it can be read from the blob's last byte on:
//
//   {"nodes": [{"name", "kind", "dataRegion": {"offset", "size"}, "children": {name: index of a node}}, ...]}
//
// The last node is the folder itself; kind 0 is a file, 1 a folder, and only folders have children.
#ifndef PTEEDIT_SRC_DELEGATES_COREML_FILES_H_
#define PTEEDIT_SRC_DELEGATES_COREML_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

struct CoremlFile {
  std::string path;  // "model.mlpackage/Manifest.json"; none of its names is "." or "..", so it stays in its folder
  Extent extent;     // from the blob's start
};

struct CoremlFiles {
  std::vector<CoremlFile> files;  // disjoint, ordered by path
  Extent list;                    // the JSON text, which ends the blob

  // Null where there is no such file.
  const CoremlFile* Find(std::string_view path) const;
};

// Fails with kUnsupported where the blob is no such folder, and with kIo. Reads the list, at most 8 MiB, only.
Result<CoremlFiles> ReadCoremlFiles(const BlobInput& input);

// The files and the list, which together are the blob.
std::vector<BlobPart> PartsOf(const CoremlFiles& files, uint64_t blob_size);

// The same of bytes that may be anything; empty where they are no such folder. Fails with kIo.
Result<std::vector<BlobPart>> CoremlPartsIn(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_COREML_FILES_H_
