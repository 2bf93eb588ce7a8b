// Where the bytes of a program and its data files are, by who needs them and by what they are, and what dropping one of
// those who need them would save.
#ifndef PTEEDIT_SIZE_GROUPS_H_
#define PTEEDIT_SIZE_GROUPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

enum class SizeAxis {
  kComponent,  // of the size tree: "Named Data"
  kMethod,     // whose tensors or delegates read it; of the tables the method's own
  kDelegate,   // that has it, or asks for its key; kKernels where tensors of methods read it
  kBackend,    // of those delegates
  // Called by instructions with it. Of what a delegate has, the operator inside that reads it, "XnnpackBackend:
  // XNNConv2d", and its backend for the rest; with kOpaque behind it where the blob does not tell its operators' reads.
  kOperator,
  kDtype,  // see CommonDtype()
};
inline constexpr std::string_view kKernels = "(kernels)";
inline constexpr std::string_view kOpaque = ": (opaque)";
inline constexpr std::string_view kNobody = "(none)";      // nobody needs it, nothing is known of it
inline constexpr std::string_view kSeveral = "(several)";  // need it

PTEEDIT_API const std::vector<SizeAxis>& AllSizeAxes();
PTEEDIT_API const char* NameOf(SizeAxis axis);  // "component", "method", "delegate", "backend", "operator", "dtype"

struct SizeGroup {
  std::vector<std::string> names;  // one on each axis
  uint64_t bytes = 0;
};

// Of all files of the set; each byte is in one group, so they add up to set.bytes(). The largest first, then by names.
// `decoders` are those of DescribeDelegates. Fails as that and AddKeyUses do.
PTEEDIT_API Result<std::vector<SizeGroup>> GroupSizes(const ProgramSet& set, const std::vector<SizeAxis>& axes,
                                                      const std::vector<BlobDecoder>& decoders = {});

struct RetainedSize {
  SizeAxis kind = SizeAxis::kMethod;  // kMethod, kDelegate, kOperator
  std::string name;
  uint64_t bytes = 0;                          // that nothing else of its axis needs
  std::map<std::string, uint64_t> components;  // of those bytes
};

// What each method, delegate and operator alone keeps in the files of the set: without it, nothing would need these
// bytes. By kind, the largest first, then by name; also methods and delegates that keep nothing. Operators inside
// delegates are told as on the axis; what an opaque backend keeps is one row.
PTEEDIT_API Result<std::vector<RetainedSize>> MeasureRetained(const ProgramSet& set,
                                                              const std::vector<BlobDecoder>& decoders = {});

}  // namespace pteedit

#endif  // PTEEDIT_SIZE_GROUPS_H_
