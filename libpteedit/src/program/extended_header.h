// The fixed-size records at byte 8 of .pte ("eh00") and .ptd ("FH01") files that say where the tables end and segments
// begin. All integers are little-endian; offsets count from the start of the file.
//
//   .pte   8  "eh00"
//         12  u32 length of this header, 24 or 32
//         16  u64 program_size
//         24  u64 segment_base_offset
//         32  u64 segment_data_size, only if the length is 32
//
//   .ptd   8  "FH01"
//         12  u32 length of this header, 40
//         16  u64 flatbuffer_offset
//         24  u64 flatbuffer_size
//         32  u64 segment_base_offset
//         40  u64 segment_data_size
#ifndef PTEEDIT_SRC_PROGRAM_EXTENDED_HEADER_H_
#define PTEEDIT_SRC_PROGRAM_EXTENDED_HEADER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "pteedit/bytes.h"

namespace pteedit {

inline constexpr uint64_t kExtendedHeaderOffset = 8;  // behind the root offset and the file identifier
inline constexpr uint32_t kProgramHeaderLength = 32;  // written since release 1.0
inline constexpr uint32_t kShortProgramHeaderLength = 24;
inline constexpr uint32_t kDataHeaderLength = 40;
// Of where a file begins in memory: tables elsewhere are copied before they are read.
inline constexpr size_t kMemoryAlignment = alignof(std::max_align_t);
inline constexpr uint64_t kHeadBytes = 48;  // enough of a file's start for either header

struct ExtendedHeader {
  uint32_t length = 0;
  uint64_t tables_offset = 0;  // 0 in a .pte; a root offset counts from byte 0 in both kinds
  uint64_t tables_size = 0;
  uint64_t segment_base_offset = 0;
  uint64_t segment_data_size = 0;  // 0 in a short header: then all bytes from the base on are segment data
};

// Nothing where the magic is not there. The numbers are as found, unchecked; fields behind `head`'s end read as 0.
std::optional<ExtendedHeader> ParseProgramHeader(ByteSpan head);
std::optional<ExtendedHeader> ParseDataHeader(ByteSpan head);

std::array<uint8_t, kProgramHeaderLength> ProgramHeaderBytes(const ExtendedHeader& header);
std::array<uint8_t, kDataHeaderLength> DataHeaderBytes(const ExtendedHeader& header);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_EXTENDED_HEADER_H_
