// Making a file as a delta says.
#ifndef PTEEDIT_SRC_PACKAGE_DELTA_BUILD_H_
#define PTEEDIT_SRC_PACKAGE_DELTA_BUILD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "pteedit/bytes.h"
#include "pteedit/package/manifest.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

using SourcesByName = std::map<std::string, std::shared_ptr<const Source>, std::less<>>;

// What operations refer to.
struct DeltaSources {
  SourcesByName old_files, delta_files;
};

// How many bytes all operations give. Fails with kMalformed, about the operation, where one refers to no part of a file
// that is there or asks for more memory than it may. Reads nothing.
Result<uint64_t> CheckOperations(const DeltaFile& file, const DeltaSources& sources);

// What takes a file: bytes, piece by piece of at most 1 MiB, and parts of sources; without `copy` these are bytes too.
struct DeltaSink {
  std::function<Status(ByteSpan bytes)> use;
  std::function<Status(const Source& source, Extent extent)> copy = {};
};

// Gives `sink` the file. CheckOperations has passed. Fails as the sources do, and with kMalformed, about the operation,
// where frames are damaged.
Status BuildFile(const DeltaFile& file, const DeltaSources& sources, const DeltaSink& sink);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_DELTA_BUILD_H_
