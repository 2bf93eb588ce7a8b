// Packs: files of a release together, for stores that limit what they take as one.
#ifndef PTEEDIT_SRC_PACKAGE_PACKS_H_
#define PTEEDIT_SRC_PACKAGE_PACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/package/manifest.h"

namespace pteedit {

// Puts every file of a variant into one pack of at most `limit` bytes, together only with files of the very same
// variants, so that nobody gets what it does not need. What most variants have comes first. A file that is larger than
// `limit` has a pack to itself.
void CutPacks(Manifest& manifest, uint64_t limit);

// The packs with files of the variant, in the order of the manifest.
std::vector<std::string> PacksOf(const Manifest& manifest, const ReleaseVariant& variant);

// That packs have names of their own, hold files of the release, none twice, with the bytes that they say, and that
// each variant names those that it needs. Fails with kMalformed.
Status CheckPacks(const Manifest& manifest);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PACKAGE_PACKS_H_
