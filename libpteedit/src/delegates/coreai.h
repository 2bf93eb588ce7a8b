// Processed blobs of the Core AI backend: a JSON text that says where the model is,
//
//   {"packaging", "hash", "files": [path, ...], "min_deployment_version", "platform", "archs": {name: path}, ...}
//
// Where it lists files, each is in the named data under "coreai/<hash>/<path>"; else they are in a folder beside the
// program.
#ifndef PTEEDIT_SRC_DELEGATES_COREAI_H_
#define PTEEDIT_SRC_DELEGATES_COREAI_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads the blob whole, at most 1 MiB.
Result<DecodedBlob> DecodeCoreai(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_COREAI_H_
