// Where bytes come from: something with a size that can be read at an offset. Files are read with pread, never mapped,
// so a file that shrinks while we read it is an error and not a signal.
#ifndef PTEEDIT_SOURCE_H_
#define PTEEDIT_SOURCE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

class PlannedFile;

// 32 bytes.
using Sha256Bytes = std::array<uint8_t, 32>;

class PTEEDIT_API Source {
 public:
  virtual ~Source();

  // How errors call it: a path, or what the caller said.
  virtual const std::string& name() const = 0;
  // In bytes; constant over the life of the object.
  virtual uint64_t size() const = 0;
  // Fills all of `out` with the bytes from `offset` on. Fails with kIo, naming the source, where they cannot all be
  // had.
  virtual Status Read(uint64_t offset, MutableByteSpan out) const = 0;

  // For copying inside the kernel: an open file and where this source begins in it; descriptor -1 where there is none.
  struct FilePlace {
    int descriptor = -1;
    uint64_t offset = 0;
  };
  virtual FilePlace file_place() const { return {}; }

  // The SHA-256 of a part, where it is known without reading it.
  virtual std::optional<Sha256Bytes> known_sha256(Extent) const { return std::nullopt; }

  // A part, where it lies in memory and never changes: whoever has this need not copy it. Null where it does not.
  virtual std::shared_ptr<const uint8_t[]> InMemory(Extent) const { return nullptr; }

  // What it is put together of; null where the bytes are its own.
  virtual const PlannedFile* plan() const { return nullptr; }
};

// Opens `path` for reading. Fails with kIo where it cannot be opened or is not a regular file or block device.
PTEEDIT_API Result<std::shared_ptr<const Source>> OpenFileSource(const std::string& path);

// Opens each. Paths that lead to the same file give the same Source, with the first one's name.
PTEEDIT_API Result<std::vector<std::shared_ptr<const Source>>> OpenFileSources(const std::vector<std::string>& paths);

// What an open descriptor, which stays open, has from where it is now to its end, under the name `name`. A regular file
// is read in place; of a pipe everything is first copied to a file in `folder` that has no name there and is gone with
// the Source, so that memory does not hold it. Fails with kIo.
PTEEDIT_API Result<std::shared_ptr<const Source>> OpenDescriptorSource(int descriptor, const std::string& name,
                                                                       const std::string& folder);

// Takes the bytes over.
PTEEDIT_API std::shared_ptr<const Source> MakeMemorySource(std::string name, std::vector<uint8_t> bytes);
PTEEDIT_API std::shared_ptr<const Source> MakeMemorySource(std::string name, std::shared_ptr<const uint8_t[]> bytes,
                                                           size_t size);

// Looks at bytes that the caller keeps alive and unchanged.
PTEEDIT_API std::shared_ptr<const Source> MakeViewSource(std::string name, ByteSpan bytes);

// `read` is called with a range inside [0, size) and fills the span whole or fails; it may be called from several
// threads.
using ReadFunction = std::function<Status(uint64_t offset, MutableByteSpan out)>;
PTEEDIT_API std::shared_ptr<const Source> MakeCallbackSource(std::string name, uint64_t size, ReadFunction read);

// A part of another source, with the other's name. Fails with kInvalidArgument where `extent` is not inside `whole`.
PTEEDIT_API Result<std::shared_ptr<const Source>> MakeWindowSource(std::shared_ptr<const Source> whole, Extent extent);

// A part of a source, whose bytes the caller has hashed.
struct HashedPart {
  Extent extent;
  Sha256Bytes sha256{};
};

// The same source, which knows these hashes: comparing and hashing contents then reads none of these parts. They have
// to be right, or what is unlike becomes one.
PTEEDIT_API std::shared_ptr<const Source> MakeHashedSource(std::shared_ptr<const Source> source,
                                                           const std::vector<HashedPart>& parts);

}  // namespace pteedit

#endif  // PTEEDIT_SOURCE_H_
