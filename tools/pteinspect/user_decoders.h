// What users know about processed blobs: metadata files, and commands that read a blob and print its metadata.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_USER_DECODERS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_USER_DECODERS_H_

#include <memory>
#include <string>
#include <vector>

#include "process.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/result.h"

namespace pteedit::cli {

class UserDecoders {
 public:
  // `commands` are "BACKEND=COMMAND". Files are asked before commands. Fails with kInvalidArgument where a command has
  // no backend, two have the same, or the environment variable PTEEDIT_DECODER_SECONDS, which limits their time, is no
  // number above 0; with kMalformed or kIo where a file is none of metadata or cannot be read.
  static Result<UserDecoders> Open(const std::vector<std::string>& files, const std::vector<std::string>& commands);

  const std::vector<BlobDecoder>& decoders() const { return decoders_; }
  // Files that were asked about blobs and knew none.
  std::vector<std::string> useless_files() const;

 private:
  struct Use {
    std::string file;
    bool is_asked = false;
    bool knows_any = false;
  };
  Status AddFile(const std::string& file);
  void AddCommand(const std::string& backend, const std::string& command, const CommandLimits& limits);

  std::vector<BlobDecoder> decoders_;
  std::vector<std::shared_ptr<Use>> uses_;
};

// What the environment tells a command about a blob: PTEEDIT_BACKEND, and as JSON PTEEDIT_COMPILE_SPECS.
std::vector<std::string> VariablesFor(const BlobView& view);

// The bytes of a metadata file; written to `output`, - for standard output, which must be none of `inputs`. Fails as
// WriteFiles does.
Status WriteMetadataFile(const std::vector<BlobMetadata>& blobs, const std::string& output,
                         const std::vector<std::string>& inputs, bool replace);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_USER_DECODERS_H_
