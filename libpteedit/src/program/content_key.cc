#include "program/content_key.h"

#include <algorithm>

#include "base/text.h"

namespace pteedit {
namespace {

constexpr size_t kContentDigits = 40;
constexpr size_t kLayoutDigits = 8;
static_assert(kContentDigits + 1 + kLayoutDigits == kContentKeyBytes);
constexpr std::string_view kScalePrefix = "scale_";

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string LayoutText(const TensorLayout& layout) {
  return Text(static_cast<int>(layout.scalar_type), '|', Joined(layout.sizes, ","), '|', Joined(layout.dim_order, ","));
}

std::string ContentKey(const Sha256Digest& content, const TensorLayout& layout) {
  const std::string text = LayoutText(layout);
  const Sha256Digest shape = Sha256Of(ByteSpan{reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return content.Hex().substr(0, kContentDigits) + "." + shape.Hex().substr(0, kLayoutDigits);
}

bool IsContentKey(std::string_view key) {
  return key.size() == kContentKeyBytes && key[kContentDigits] == '.' && IsLowerHex(key.substr(0, kContentDigits)) &&
         IsLowerHex(key.substr(kContentDigits + 1));
}

bool IsSha256Key(std::string_view key) {
  if (key.starts_with(kScalePrefix)) key.remove_prefix(kScalePrefix.size());
  return key.size() == kSha256Digits && IsLowerHex(key);
}

std::string_view NameInKey(std::string_view key) {
  if (key.size() < kSha256Digits + 2 || IsSha256Key(key)) return {};
  const std::string_view name = key.substr(0, key.size() - kSha256Digits - 1);
  const bool is_placeholder = name.starts_with("p_") || name.starts_with("b_") || name.starts_with("c_");
  const bool is_hash = is_placeholder && key[name.size()] == '_' && IsLowerHex(key.substr(name.size() + 1));
  return is_hash ? name : std::string_view();
}

std::string_view HashInKey(std::string_view key) {
  if (IsContentKey(key)) return key.substr(0, kContentDigits);
  const bool ends_in_hash = IsSha256Key(key) || !NameInKey(key).empty();
  return ends_in_hash ? key.substr(key.size() - kSha256Digits) : std::string_view();
}

std::string Sha256KeyLike(std::string_view key, const Sha256Digest& content) {
  return Text(key.starts_with(kScalePrefix) ? kScalePrefix : "", content.Hex());
}

}  // namespace pteedit
