// Packages of the native backend (.ptn, since 1.5.1): zip archives whose members are stored as they are.
//   program.ptg          the graph: what is a processed blob in a .pte, see delegates/native.h
//   program.safetensors  the tensors that it reads by key, equal ones once; missing where it reads none
//   aliases.json         {"key": "owner"}, keys that read the tensor of another; missing where there are none
// What the graph says is not looked at here.
#ifndef PTEEDIT_SRC_PROGRAM_NATIVE_PACKAGE_H_
#define PTEEDIT_SRC_PROGRAM_NATIVE_PACKAGE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/zip_file.h"
#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// What sizes and comparisons call the first.
inline constexpr char kProgramGraph[] = "Program Graph";

struct NativePackage {
  std::vector<ZipEntry> members;  // in the order of the directory, which is that of the segments
  Extent graph;                   // places in the file, empty where there is no such member
  Extent tensor_head;             // what lists the tensors
  Extent aliases;
  Extent end;                    // behind the directory's records, to the end of the file
  uint64_t tensors = 0;          // of named_data, before the aliases
  std::vector<uint64_t> ranks;   // of named_data, also of tensors that have no layout
  std::deque<std::string> keys;  // which named_data views
};

struct OpenedPackage {
  std::shared_ptr<const NativePackage> package;
  std::vector<NamedEntry> named_data;  // tensors in the order of their header, then the aliases
  std::vector<Error> problems;
};

// Whether the format knows a member of this name.
bool IsPackageMember(std::string_view name);

// Whether a file that begins with `head` is one, as far as its first member tells.
bool LooksLikePackage(ByteSpan head);

// Fails with kMalformed where there is no directory to read, kIo where the file cannot be read; all else are problems.
Result<OpenedPackage> OpenPackage(const std::shared_ptr<const Source>& source);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_NATIVE_PACKAGE_H_
