// The keys that constants get when they leave a program: a function of bytes and layout alone, fixed for ever, so that
// equal constants of different programs meet in one entry and unequal ones never do.
//   <first 40 hex digits of SHA-256 of the bytes> "." <first 8 of SHA-256 of "scalar type|sizes|dim order">
// Numbers of the layout text are decimal, comma separated: "6|10,4|0,1", of a scalar "6||".
#ifndef PTEEDIT_SRC_PROGRAM_CONTENT_KEY_H_
#define PTEEDIT_SRC_PROGRAM_CONTENT_KEY_H_

#include <string>
#include <string_view>

#include "io/digest.h"
#include "pteedit/container.h"

namespace pteedit {

// The layout text.
std::string LayoutText(const TensorLayout& layout);
std::string ContentKey(const Sha256Digest& content, const TensorLayout& layout);
bool IsContentKey(std::string_view key);
inline constexpr size_t kContentKeyBytes = 49;

// The keys that XNNPACK's and Vulkan's exporters make: SHA-256 of the bytes, of scales with "scale_" before it.
bool IsSha256Key(std::string_view key);
// Those of 1.1 begin with what the graph calls a parameter, buffer or constant, "p_fc_weight_<SHA-256>": that; else
// empty.
std::string_view NameInKey(std::string_view key);
// The hash that the key promises, as many digits of it as the key has; empty where it promises none.
std::string_view HashInKey(std::string_view key);
// The one like `key` that bytes with this digest have.
std::string Sha256KeyLike(std::string_view key, const Sha256Digest& content);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_CONTENT_KEY_H_
