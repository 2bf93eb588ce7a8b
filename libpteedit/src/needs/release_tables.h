// Which releases of ExecuTorch have which kernels, nodes and datatypes of XNNPACK, operators of Vulkan and nodes of
// MLX. Generated; see the source files.
#ifndef PTEEDIT_SRC_NEEDS_RELEASE_TABLES_H_
#define PTEEDIT_SRC_NEEDS_RELEASE_TABLES_H_

#include <algorithm>
#include <compare>
#include <span>
#include <string_view>

namespace pteedit {

struct RuntimeRelease {
  int major = 0, minor = 0;
  friend auto operator<=>(const RuntimeRelease&, const RuntimeRelease&) = default;
};

struct NameInReleases {
  std::string_view name;
  RuntimeRelease first;
  RuntimeRelease last;  // of those that newer ones dropped, else 0.0
};

struct NumberInReleases {
  int number = 0;  // in the schema
  std::string_view name;
  RuntimeRelease first;
  RuntimeRelease last;  // as above
};

// Oldest first: those that these tables tell of.
std::span<const RuntimeRelease> KnownReleases();

// By name: the kernels of the stock libraries, which are the runtime's own, the portable and optimized, the quantized
// and those for language models (custom_ops).
std::span<const NameInReleases> StockKernels();

// By name, as blobs call them: those that the runtime of Vulkan registers.
std::span<const NameInReleases> VulkanOperators();

// By number.
std::span<const NumberInReleases> XnnpackNodes();
std::span<const NumberInReleases> XnnpackDatatypes();
std::span<const NumberInReleases> MlxNodes();

// The row of a table by name; null where there is none.
inline const NameInReleases* FindReleasesOf(std::string_view name, std::span<const NameInReleases> table) {
  const auto row = std::ranges::lower_bound(table, name, {}, &NameInReleases::name);
  return row == table.end() || row->name != name ? nullptr : &*row;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_RELEASE_TABLES_H_
