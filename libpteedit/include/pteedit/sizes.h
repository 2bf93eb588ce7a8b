// Where the bytes of a file are: a tree whose leaves add up to the file, to the byte.
#ifndef PTEEDIT_SIZES_H_
#define PTEEDIT_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/extents.h"
#include "pteedit/program_set.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

struct KeyUse;

// What a size tree says of a component, without what is in it. There may be as many as tables.
struct SizeRow {
  // What the component uses but does not hold: keys and the bytes behind them, not part of `size`.
  struct Reference {
    std::string key;
    uint64_t bytes = 0;
    Rare<std::string> name = {};  // of the bytes, empty where they have none but the key
  };
  struct Details {
    std::vector<std::string> aliases;    // other names of the same bytes
    std::vector<std::string> own_names;  // what the file calls them where a name of a checkpoint stands in its place
    std::string note;                    // "inline"; "same as XnnpackBackend_0" where that node has the bytes
    std::vector<Reference> refers_to;
    Extents pieces;  // see PiecesOf(); empty where they are `place`
  };

  std::string name;
  uint64_t size = 0;  // in bytes
  SharedText dtype;   // of weights, see CommonDtype(); empty where it is not known
  Rare<Details> more;
  OptionalExtent place;        // in the file, where it is one piece: rows and what is in them, the flatbuffer
  uint32_t module_length = 0;  // of the beginning of `name` that is module()
  bool is_group = false;       // a part of a blob that holds weights: shown open wherever the blob is

  // "layers.3.attention" of what the model calls "layers.3.attention.weight".
  std::string_view module() const { return std::string_view(name).substr(0, module_length); }
};

struct SizeNode : SizeRow {
  // In bytes, where AddCompressedSizes() of compressed_sizes.h found them.
  struct Compressed {
    std::optional<uint64_t> size, planes_size;
  };

  std::vector<SizeNode> components;  // `size` is the sum over them wherever there are any
  Rare<Compressed> compressed;
};

// In the file: the node's own bytes, which add up to `size`.
PTEEDIT_API Extents PiecesOf(const SizeRow& row);

// Of which nodes in several pieces PiecesOf() tells them; nothing of the others. There may be as many as tables.
enum class SizePieces : uint8_t {
  kNone,
  kOfUsers,  // of the first level, of methods, and of weights: those with an element type
  kAll,
};

struct SizeOptions {
  // Also what is in the flatbuffer, the parts of processed blobs and of keys that are folders of Core ML, the weights
  // in blobs, and `refers_to` of delegates; reads blobs.
  bool look_inside = false;
  std::vector<BlobDecoder> decoders = {};  // as DescribeDelegates takes them
  // Of a data file: what the programs that read its keys take them for, see AddKeyUses().
  const std::map<std::string, KeyUse>* key_uses = nullptr;
  SizePieces pieces = SizePieces::kAll;
  bool has_references = true;  // whether delegates that are looked into have `refers_to`
};

// Of the file that is no data file of the set; those only tell the sizes behind keys. The root is "Total Size". Level 1
// of a program: Program Flatbuffer, Constant Tensors, Mutable Tensors, Delegate Blobs, Named Data, Padding,
// Unattributed; of a data file: Data Flatbuffer, Tensors, Padding, Unattributed; of a bundle: Bundled Data, Program
// (its tree one level down), Padding, Unattributed. A component without bytes and rows is left out. Every byte belongs
// to where it lies, and to one leaf: the first that claims it, in the order constants, mutable tensors, delegates,
// named data, flatbuffer. Runs of zeros shorter than 16384 bytes that nothing claims are Padding; what else nothing
// claims, and segments that nothing refers to, are Unattributed. Looked into, a flatbuffer has a row for each method,
// in that values, instructions, operators, delegates, strings, stack traces and other fields; then header, strings,
// vtables, fields of the root, and what lies between the tables. Fails only where the file can no longer be read.
PTEEDIT_API Result<SizeNode> MeasureSizes(const ProgramSet& set, const SizeOptions& options = {});

// The node that `path` names: a name or alias, or components separated by '/'. A component whose whole name is `path`
// wins over splitting, at every level (keys hold slashes), and one nearer to the root over a deeper one; a path need
// not begin at the root. What is one piece of the file, and the top level, win over rows that are put together. Where
// there is none, the one whose whole name differs by the case of letters only. Null where there is none of that either,
// or nodes of several names.
PTEEDIT_API const SizeNode* FindComponent(const SizeNode& root, const std::string& path);

// Names of components that look like `path`, best first, at most `count`.
PTEEDIT_API std::vector<std::string> NearMatches(const SizeNode& root, const std::string& path, size_t count);

}  // namespace pteedit

#endif  // PTEEDIT_SIZES_H_
