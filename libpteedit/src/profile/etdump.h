// An ETDump: what the runtime measured, as it wrote it. A flatbuffer, size-prefixed or not, that names no methods; see
// the numbers of its fields below.
#ifndef PTEEDIT_SRC_PROFILE_ETDUMP_H_
#define PTEEDIT_SRC_PROFILE_ETDUMP_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "formats/flat_tables.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "pteedit/source.h"

namespace pteedit {

namespace etdump {

// The fields of each table, by number. Unset numbers are 0, the ones marked -1 are -1.
namespace dump {
enum : uint32_t { kVersion, kRuns };
}
namespace run {
enum : uint32_t { kName, kBundledInputIndex /* -1 */, kAllocators, kEvents };
}
namespace allocator {
enum : uint32_t { kName };
}
namespace event {  // exactly one of them is set
enum : uint32_t { kProfile, kAllocation, kDebug };
}
namespace profile_event {
enum : uint32_t {
  kName,
  kChain,                // i32
  kInstruction,          // i32, -1
  kDelegateDebugNumber,  // i32, -1
  kDelegateDebugText,
  kDelegateDebugMetadata,  // bytes
  kStart,                  // u64
  kEnd                     // u64
};
}
namespace allocation_event {
enum : uint32_t { kAllocator /* i32 */, kBytes /* u64 */ };
}
namespace debug_event {
enum : uint32_t {
  kChain,        // u64
  kInstruction,  // i32, -1
  kValue,
  kDelegateDebugNumber,  // i32, -1
  kDelegateDebugText,
  kName
};
}
namespace value {
enum : uint32_t { kType, kTensor, kTensorList, kInt, kFloat, kDouble, kBool, kOutput };
}
namespace tensor_list {
enum : uint32_t { kTensors };
}
namespace tensor {
enum : uint32_t { kScalarType, kSizes /* i64 */, kStrides /* i64 */, kOffset };
}

}  // namespace etdump

struct Etdump {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const uint8_t[]> bytes;  // of the file; a dump is all tables
  Extent buffer;                           // where the flatbuffer is in it, behind the prefix
  FlatTables Tables() const;
};

// Where the flatbuffer begins, 0 or 4, if the first 12 bytes of a file, or all of a shorter one, are those of an
// ETDump.
std::optional<uint64_t> EtdumpStart(ByteSpan head);

// kMalformed where the file ends before the size in its prefix, kUnsupported where it is none or has 2 GiB or more.
Result<Etdump> OpenEtdump(std::shared_ptr<const Source> source);

// Level 1: Profile Events, Debug Events, Allocation Events, each with one row a run that has any; Other Tables; what
// lies behind the flatbuffer, as Unattributed. kMalformed where the tables are damaged.
Result<SizeNode> MeasureEtdump(const Etdump& dump);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_ETDUMP_H_
