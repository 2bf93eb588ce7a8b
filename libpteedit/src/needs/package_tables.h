// What the packages of ExecuTorch for phones have: the archives for Android (executorch-android and its flavours) and
// the Swift package. Generated; see the source file.
#ifndef PTEEDIT_SRC_NEEDS_PACKAGE_TABLES_H_
#define PTEEDIT_SRC_NEEDS_PACKAGE_TABLES_H_

#include <span>
#include <string_view>

#include "needs/release_tables.h"

namespace pteedit {

struct PackageRelease {
  std::string_view package;    // "android-vulkan"
  RuntimeRelease first, last;  // of those that have it so
  std::span<const std::string_view> backends;
  std::span<const std::string_view> lacks;  // of the stock kernels of the release
  std::span<const std::string_view> adds;   // kernels beside those
};

// By name, oldest first. Of iOS, with all libraries of the package.
std::span<const PackageRelease> PackagesForPhones();

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_PACKAGE_TABLES_H_
