// What a file tells of the people and machines that made it: for whoever publishes models.
#ifndef PTEEDIT_LEAKS_H_
#define PTEEDIT_LEAKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

struct Leak {
  // "path": absolute, of a machine; "source": relative, of a source file; "host": in a URL, of a private network;
  // "address": user@host.
  const char* kind = "";
  std::string text;                     // as it stands in the file, up to 1024 bytes
  std::string user;                     // whose home a path leads into, or before the @; else empty
  std::vector<std::string> components;  // where it is first, in the size tree from level 1 down
  uint64_t offset = 0;                  // in the file, of the first
  uint64_t count = 0;                   // how often it occurs
};

struct Leaks {
  std::vector<Leak> found;  // by kind and text
  uint64_t left_out = 0;    // occurrences of others, beyond the first 10,000 texts
};

// Reads the whole file in pieces and looks at all of its bytes: tables, compile specs, keys, blobs. What is compressed
// or encrypted in there stays unseen, and names that look like no path are not known for names. Fails only where the
// file can no longer be read.
PTEEDIT_API Result<Leaks> FindLeaks(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_LEAKS_H_
