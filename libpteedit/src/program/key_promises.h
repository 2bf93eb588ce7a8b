// Keys that promise what bytes they stand for: our own content keys, and XNNPACK's, which are the SHA-256 of their
// bytes. Whoever goes by such a key (a cache, a merge, somebody who downloads only what is new) never looks at the
// bytes.
#ifndef PTEEDIT_SRC_PROGRAM_KEY_PROMISES_H_
#define PTEEDIT_SRC_PROGRAM_KEY_PROMISES_H_

#include <vector>

#include "io/digest.h"
#include "pteedit/container.h"
#include "pteedit/finding.h"
#include "pteedit/result.h"

namespace pteedit {

// Whether the key of this entry promises its content. Our own do by their form. `is_hash`: whether a delegate uses it
// whose backend makes keys of hashes; then it does if it looks like one.
bool PromisesContent(const NamedEntry& entry, bool is_hash);

// SHA-256 of what each of these entries of `file` stands for, in their order. Reads bytes that several have once; the
// result is the same with any number of threads. Fails with kIo.
Result<std::vector<Sha256Digest>> HashEntries(const Container& file, const std::vector<const NamedEntry*>& entries,
                                              unsigned threads);

// The error 'key-hash' for each of these entries of `file` whose bytes are not those that it promises, in their order.
// Hashes them with HashEntries and fails as that does.
Result<std::vector<Finding>> FindBrokenPromises(const Container& file, const std::vector<const NamedEntry*>& entries,
                                                unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_KEY_PROMISES_H_
