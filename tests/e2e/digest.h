// What is compared: SHA-256 of everything there is to an output value, its kind, its layout and its bytes.
#ifndef PTERUN_DIGEST_H_
#define PTERUN_DIGEST_H_

#include <executorch/runtime/core/evalue.h>

#include <string>

namespace pterun {

// Computes the SHA-256, in hexadecimal, of a value's tag and contents; of a tensor: dtype, sizes, dim order and bytes.
std::string DigestOf(const executorch::runtime::EValue& value);

// Of a tensor that of its bytes alone, in the order of memory; of other values the same.
std::string DigestOfBytes(const executorch::runtime::EValue& value);

}  // namespace pterun

#endif  // PTERUN_DIGEST_H_
