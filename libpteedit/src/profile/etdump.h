// An ETDump: what the runtime measured, as it wrote it. A flatbuffer, size-prefixed or not, that names no methods; see
// its fields below.
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

// The fields of each table, as FlatTables counts them. Unset numbers are 0, the ones marked -1 are -1.
namespace dump {
enum : uint16_t { kVersion = 4, kRuns = 6 };
}
namespace run {
enum : uint16_t { kName = 4, kBundledInputIndex = 6 /* -1 */, kAllocators = 8, kEvents = 10 };
}
namespace allocator {
enum : uint16_t { kName = 4 };
}
namespace event {  // exactly one of them is set
enum : uint16_t { kProfile = 4, kAllocation = 6, kDebug = 8 };
}
namespace profile_event {
enum : uint16_t {
  kName = 4,
  kChain = 6,                 // i32
  kInstruction = 8,           // i32, -1
  kDelegateDebugNumber = 10,  // i32, -1
  kDelegateDebugText = 12,
  kDelegateDebugMetadata = 14,  // bytes
  kStart = 16,                  // u64
  kEnd = 18                     // u64
};
}
namespace allocation_event {
enum : uint16_t { kAllocator = 4 /* i32 */, kBytes = 6 /* u64 */ };
}
namespace debug_event {
enum : uint16_t {
  kChain = 4,        // u64
  kInstruction = 6,  // i32, -1
  kValue = 8,
  kDelegateDebugNumber = 10,  // i32, -1
  kDelegateDebugText = 12,
  kName = 14
};
}
namespace value {
enum : uint16_t {
  kType = 4,
  kTensor = 6,
  kTensorList = 8,
  kInt = 10,
  kFloat = 12,
  kDouble = 14,
  kBool = 16,
  kOutput = 18
};
}
namespace tensor_list {
enum : uint16_t { kTensors = 4 };
}
namespace tensor {
enum : uint16_t { kScalarType = 4, kSizes = 6 /* i64 */, kStrides = 8 /* i64 */, kOffset = 10 };
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
