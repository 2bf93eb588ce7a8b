// An opened and checked file: .pte program, .ptd data file or .bpte bundled program, told apart by content, not by
// name. Opening reads the tables (kilobytes to megabytes) into memory and checks every offset, index and sum in them
// against the file; the weights and processed blobs stay where they are. What has passed can be described and rewritten
// without further checks. A Container is a cheap handle: copies share the same immutable state.
#ifndef PTEEDIT_CONTAINER_H_
#define PTEEDIT_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

enum class FileKind {
  kProgram,
  kData,
  kBundle,
  kNative,  // a package of the native backend, which only OpenToLook opens
};

// "pte", "ptd", "bpte", "ptn".
PTEEDIT_API const char* KindName(FileKind kind);

// Against files that were made to eat time or memory. Everything the exporter writes is far below. A message about one
// that is exceeded names it; an operation on a Container takes those it was opened with.
struct ParseLimits {
  uint64_t max_tables_bytes = (uint64_t{1} << 31) - 1;  // what a flatbuffer can be at most
  // Shared strings and vectors may unfold to this many times the tables, plus a base, when each use is counted.
  uint64_t max_unfold_factor = 64;
  uint64_t unfold_base_bytes = uint64_t{16} << 20;
  uint64_t max_unknown_fields = 1000;   // of different tables and numbers
  uint64_t max_mutable_segments = 256;  // runtimes read one
  // What has one place in the tables and stands in many rows of a listing, such as names, texts and arguments, may take
  // this many times the tables, plus a base, in all rows; so may the keys that blobs mention, and what delegates repeat
  // that share a blob.
  uint64_t max_listing_factor = 8;
  uint64_t listing_base_bytes = uint64_t{4} << 20;
  // What joining a profile with a record repeats, such as stack traces, may take this many bytes for each event, beside
  // those of the record's graphs and a base.
  uint64_t max_joined_event_bytes = 4096;
  uint64_t joined_base_bytes = uint64_t{16} << 20;
  // Contents that overlap may have this many times the bytes of the file, plus a base, when each is read.
  uint64_t max_content_factor = 4;
  uint64_t content_base_bytes = uint64_t{16} << 20;
};

// How the bytes of a tensor are to be read. Sizes are elements per dimension; dim_order[i] is the dimension that is
// i-th from outermost in memory; scalar_type is PyTorch's number (6 is float32). A scalar has neither sizes nor
// dim_order.
struct TensorLayout {
  int8_t scalar_type = 0;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
};
PTEEDIT_API bool operator==(const TensorLayout& a, const TensorLayout& b);

// "float32" for 6; "scalar_type_99" for a number without a name.
PTEEDIT_API std::string ScalarTypeName(int8_t scalar_type);
// Bytes that a dense tensor of this layout takes; nothing where the element type is unknown. Sizes of a checked file
// never overflow.
PTEEDIT_API std::optional<uint64_t> ByteSize(const TensorLayout& layout);

// What the first bytes of the file say, as found.
struct FileHeader {
  std::string identifier;               // "ET12", "FT01", "BP08"
  uint32_t version = 0;                 // of the root table
  bool has_extended_header = false;     // "eh00" or "FH01"; without it the next fields are 0
  uint32_t extended_header_length = 0;  // bytes
  uint64_t tables_offset = 0;           // FH01 only
  uint64_t tables_size = 0;             // bytes
  uint64_t segment_base_offset = 0;
  uint64_t segment_data_size = 0;  // 0 in a header of 24 bytes, which lacks the field
  bool layout_06 = false;          // a .ptd in the layout that only release 0.6 wrote
};

// A key with its bytes. `extent` counts from the start of the file and views live as long as the Container.
struct NamedEntry {
  std::string_view key;
  uint32_t segment_index = 0;
  Extent extent;
  SharedOptional<TensorLayout> layout;  // .ptd only, and absent where just a delegate understands the bytes
};

class PTEEDIT_API Container {
 public:
  // Fails with kMalformed where the file breaks its format, kUnsupported where it is none of our kinds, kIo where it
  // cannot be read. A program inside a bundle is opened with it.
  static Result<Container> Open(std::shared_ptr<const Source> source, const ParseLimits& limits = {});

  // The same, and a package (.ptn) too, which can be described, measured, verified and compared, not rewritten. Its
  // segments are its members, its named data the tensors; it has no tables.
  static Result<Container> OpenToLook(std::shared_ptr<const Source> source, const ParseLimits& limits = {});

  FileKind kind() const;
  const std::shared_ptr<const Source>& source() const;
  const std::string& name() const { return source()->name(); }
  const FileHeader& header() const;

  // The file's first bytes, through the end of the tables. Verified.
  ByteSpan tables() const;
  // By segment index, from the start of the file, each inside it. None in a bundle.
  const std::vector<Extent>& segments() const;
  // In file order. A .ptd's tensors and other entries, a .pte's named data; none in a bundle.
  const std::vector<NamedEntry>& named_data() const;
  // Fields and union types that our schema does not know: "table 'plan' has field 12". A file that has any can be
  // looked at but not rewritten.
  const std::vector<std::string>& unknown_fields() const;

  // Of a bundle: the program inside, whose extents count from its own start, and where it lies. Null in other kinds.
  const Container* program() const;
  Extent program_extent() const;

  struct State;
  const State& state() const { return *state_; }  // for the library's own use

 private:
  explicit Container(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace pteedit

#endif  // PTEEDIT_CONTAINER_H_
